// The committed start of a continued run: it lets that run be dispatched once.
import { expect, test } from 'vitest';
import { NOTHING, OK, attach, gate, newCore, refusal, rejection, runOf } from './contract-kit.ts';

test('a start is committed inside the call, and taken once', async () => {
  const core = newCore();
  const claim = attach(core, 'r1');
  const held = gate<object>();
  let commits = 0;
  const committed = claim.commitStart(() => {
    commits += 1;
    return held.promise;
  });
  expect(commits).toBe(1);
  expect(refusal('ERR_CLAIM_START', () => claim.takeStart()).message).toBe(
    'Execution claim has no committed start',
  );
  const start = { event: 'e1' };
  held.open(start);
  expect(await committed).toBe(start);
  expect(claim.takeStart()).toBe(start);
  expect(refusal('ERR_CLAIM_START', () => claim.takeStart()).message).toBe(
    'Execution claim has already taken its start',
  );
});

test('nothing is committed twice: not while it is in flight, nor after it ended, nor after it was taken', async () => {
  const core = newCore();
  const claim = attach(core, 'r1');
  const again = async (): Promise<void> => {
    const refused = claim.commitStart(async () => expect.unreachable());
    const error = await rejection('ERR_CLAIM_START', refused);
    expect(error.message).toBe('Execution claim has already committed its start');
  };
  const committed = claim.commitStart(async () => ({}));
  await again();
  await committed;
  await again();
  claim.takeStart();
  await again();
  claim.release();
  await again();
});

test.each([
  ['rejects', (error: Error) => Promise.reject(error)],
  [
    'throws',
    (error: Error): never => {
      throw error;
    },
  ],
])(
  'a commit that %s may have taken effect: it is neither repeated nor taken',
  async (_how, fail) => {
    const claim = attach(newCore(), 'r1');
    const cause = new Error('connection lost');
    await expect(claim.commitStart(() => fail(cause))).rejects.toBe(cause);
    await rejection(
      'ERR_CLAIM_START',
      claim.commitStart(async () => ({})),
    );
    refusal('ERR_CLAIM_START', () => claim.takeStart());
  },
);

test('only an attached run commits its start, and a refusal is no commit', async () => {
  const core = newCore();
  const claim = core.claimExecution('chat');
  const early = await rejection(
    'ERR_CLAIM_PHASE',
    claim.commitStart(async () => ({})),
  );
  expect(early.message).toBe('Execution claim cannot commit a start in phase pending');
  claim.attach(runOf('r1'), () => {});
  expect(await claim.commitStart(async () => ({ at: 1 }))).toEqual({ at: 1 });
  const late = attach(core, 'r2');
  late.reserve(core.createGeneration(late, undefined, {}, {}));
  const error = await rejection(
    'ERR_CLAIM_PHASE',
    late.commitStart(async () => ({})),
  );
  expect(error.message).toBe('Execution claim cannot commit a start in phase reserved');
});

test('a stop does not stand in the way of a start, and an ended admission does not take it away', async () => {
  const core = newCore();
  const claim = attach(core, 'r1');
  const other = attach(core, 'r2');
  const stopped = core.stopSession('chat', {}, async (stop) => void (await stop.drained()));
  const [one, two] = [{ of: 'r1' }, { of: 'r2' }];
  await Promise.all([claim.commitStart(async () => one), other.commitStart(async () => two)]);
  claim.finalize(OK);
  other.finalize(OK);
  await stopped;
  expect(core.stats()).toEqual(NOTHING);
  expect([other.takeStart(), claim.takeStart()]).toEqual([two, one]);
});

test('a commit is a function', async () => {
  const claim = attach(newCore(), 'r1');
  await rejection('ERR_INVALID_ARG_TYPE', claim.commitStart({} as never));
  expect(await claim.commitStart(async () => ({ ok: 1 }))).toEqual({ ok: 1 });
});
