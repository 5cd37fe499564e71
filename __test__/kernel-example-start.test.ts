import { expect, test } from 'vitest';
import { ShellBackend, type LedgerRecord } from '../examples/kernel/index.mts';
import {
  gate,
  makeKernel,
  recordsOf,
  tempFolder,
  TestLedger,
  until,
  Watched,
} from './fixtures/kernel/support.ts';

const S = 'main';

/** Holds the append that begins a run until it is let go. */
class HeldLedger extends TestLedger {
  readonly gate = gate();
  holds = false;
  held = false;

  override async append(sessionId: string, record: LedgerRecord): Promise<void> {
    if (record.type === 'run' && this.holds) {
      this.held = true;
      await this.gate.opened;
    }
    await super.append(sessionId, record);
  }
}

test('a stop while the backend is being built ends the build and the turn', async () => {
  let warmUp = 'echo "$$" >&2; sleep 60';
  const kernel = await makeKernel({ shell: { warmUp: () => warmUp } });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo never' }));
  await until('the build', () => turn.phases.includes('attached'));
  kernel.steer(S, 'echo mine');
  await kernel.stopSession(S);
  expect(await turn.done).toBeUndefined();
  expect(turn.outcome).toBe('stopped');
  expect(turn.phases).toEqual(['claimed', 'attached']);
  expect(kernel.stats()).toEqual({ sessions: 0, admissions: 0, operations: [] });
  warmUp = 'exit 0';
  const next = new Watched(kernel.startTurn(S, { text: 'echo next' }));
  expect(await next.done).toBeUndefined();
  expect(next.output).toBe('next\n');
});

test('a build that does not notice a stop does not delay it, and is never used', async () => {
  const { opened, open } = gate();
  let built = 0;
  let disposed = 0;
  const kernel = await makeKernel({
    patienceMs: 50,
    startBackend: async (context) => {
      if ((built += 1) === 1) await opened;
      const backend = await ShellBackend.start(
        {},
        { ...context, signal: new AbortController().signal },
      );
      const dispose = (): Promise<void> => Promise.resolve(void (disposed += 1));
      return built === 1 ? Object.assign(backend, { dispose }) : backend;
    },
  });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo never' }));
  await until('the build', () => built === 1);
  await kernel.stopSession(S);
  await turn.done;
  expect(turn.outcome).toBe('stopped');
  const next = new Watched(kernel.startTurn(S, { text: 'echo next' }));
  await until('the next turn', () => next.phases.includes('attached'));
  open();
  expect(await next.done).toBeUndefined();
  expect(next.output).toBe('next\n');
  expect([built, disposed]).toEqual([2, 1]);
});

test('a claim that is stopped before its turn starts never runs', async () => {
  const kernel = await makeKernel();
  const claim = kernel.claimExecution(S);
  const stopped = kernel.stopSession(S);
  const turn = new Watched(kernel.startTurn(S, { text: 'echo never', claim }));
  await Promise.all([stopped, turn.done]);
  expect(turn.outcome).toBe('stopped');
  expect(turn.hasRun('echo never')).toBe(false);
});

test('a stop while a turn is being written down keeps it from running', async () => {
  const ledger = new HeldLedger(await tempFolder());
  ledger.holds = true;
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo never' }));
  await until('the append', () => ledger.held);
  const stopped = kernel.stopSession(S);
  ledger.gate.open();
  await Promise.all([stopped, turn.done]);
  expect([turn.outcome, turn.hasRun('echo never')]).toEqual(['stopped', false]);
  const ends = (await recordsOf(ledger, S)).filter(({ type }) => type === 'end');
  expect(ends).toMatchObject([{ outcome: 'stopped' }]);
  const next = new Watched(kernel.startTurn(S, { text: 'echo next' }));
  expect(await next.done).toBeUndefined();
});

test('a stop while a continuation is being committed keeps it from running', async () => {
  const ledger = new HeldLedger(await tempFolder());
  const kernel = await makeKernel({ ledger });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  await kernel.stopSession(S);
  await turn.done;
  const source = await kernel.resumable(S);
  if (!source) throw new Error('nothing to continue');
  ledger.holds = true;
  const continuation = new Watched(kernel.resumeContinuation(source));
  await until('the commit', () => ledger.held);
  const stopped = kernel.stopSession(S);
  ledger.gate.open();
  await Promise.all([stopped, continuation.done]);
  expect([continuation.outcome, continuation.all('step')]).toEqual(['stopped', []]);
  const notes = (await recordsOf(ledger, S)).filter(({ type }) => type === 'note');
  expect(notes).toHaveLength(2);
  const again = await kernel.resumable(S);
  expect(again?.steps).toEqual(source.steps);
  expect(again?.sourceRunId).not.toBe(source.sourceRunId);
});

test('a reader that leaves while the backend is being built ends the build', async () => {
  const kernel = await makeKernel({ shell: { warmUp: () => 'sleep 60' } });
  for await (const event of kernel.startTurn(S, { text: 'echo never' })) {
    if (event.type === 'phase' && event.phase === 'attached') break;
  }
  expect(kernel.stats()).toEqual({ sessions: 0, admissions: 0, operations: [] });
});

test('a stop kills what runs without waiting for what is still starting', async () => {
  const { opened, open } = gate();
  const kernel = await makeKernel({
    patienceMs: 60_000,
    startBackend: async (context) => {
      if (context.route !== undefined) await opened;
      return ShellBackend.start({}, { ...context, signal: new AbortController().signal });
    },
  });
  const turn = new Watched(kernel.startTurn(S, { text: 'echo up; sleep 60' }));
  await turn.untilOutput('up');
  const child = new Watched(kernel.startChildTurn(S, { text: 'echo never' }));
  await until('the build', () => child.phases.includes('attached'));
  const stopped = kernel.stopSession(S);
  await turn.until('step_end');
  expect(turn.all('step_end')[0]?.result.ended).toBe('killed');
  expect(child.outcome).toBeUndefined();
  open();
  await Promise.all([stopped, turn.done, child.done]);
  expect([turn.outcome, child.outcome]).toEqual(['stopped', 'stopped']);
});
