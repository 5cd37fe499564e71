// What one thread does is seen in another: stops, messages, errors, and in which order they arrive.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RuntimeCore, ScopedCoreOptions, StopAttempt } from '../index.js';
import { anotherCopy } from './fixtures/boundary/copies.js';
import { freshScope, makeCore, running } from './fixtures/boundary/kit.js';
import { askWorker, saying, startWorker, until } from './fixtures/threads/kit.js';

const EMPTY = { sessions: 0, admissions: 0 };

function member(options: Partial<ScopedCoreOptions> = {}) {
  const scope = freshScope();
  const core = makeCore({ scope, ...options });
  onTestFinished(() => core.close());
  return { scope, core };
}

async function stopped(core: RuntimeCore, session = 's'): Promise<unknown[]> {
  let errors: unknown[] = [];
  await core.stopSession(session, { why: 'asked' }, async (stop) => {
    errors = await stop.drained();
  });
  return errors;
}

describe('a turn that runs in a worker', () => {
  it('is stopped from the main thread, by its own kernel, and leaves nothing behind', async () => {
    const { scope, core } = member();
    const hand = startWorker({ job: 'turn', scope });
    await saying(hand);
    expect([core.hasActiveRuns('s'), core.activeTurnIds('s')]).toEqual([true, ['turn of w']]);
    expect(await stopped(core)).toEqual([]);
    const steps = ['runs', 'part: asked, 1 running', 'backend stopped', 'status', 'note'];
    await saying(hand, steps.length + 1);
    expect(hand.said).toEqual([...steps, 'backend disposed']);
    expect(core.hasActiveRuns('s')).toBe(false);
    expect([core.stats(), await askWorker(hand)]).toEqual([EMPTY, EMPTY]);
  });

  it('keeps others from its session and route, and from no other', async () => {
    const { scope, core } = member();
    const hand = startWorker({ job: 'turn', scope });
    await saying(hand);
    const claim = core.claimExecution('s');
    expect([claim.isExclusive(), core.currentGeneration('s')]).toEqual([false, undefined]);
    const foreign = { code: 'ERR_GENERATION_FOREIGN' };
    expect(() => claim.activationBlocker()).toThrow(expect.objectContaining(foreign));
    const build = () => expect.unreachable('the backend lives elsewhere');
    await expect(core.activate('s', undefined, build)).rejects.toMatchObject(foreign);
    claim.release();
    expect(core.claimExecution('other').isExclusive()).toBe(true);
  });

  it('is told first, then aborted, claim by claim; then the kernel takes its part', async () => {
    const { scope, core } = member();
    const hand = startWorker({ job: 'order', scope });
    await saying(hand);
    expect(await stopped(core)).toEqual([]);
    await saying(hand, 7);
    const order = ['onStop a', 'onStop c', 'abort a', 'abort b', 'abort c', 'part'];
    expect(hand.said).toEqual(['ready', ...order]);
  });
});

describe('a turn of the main thread', () => {
  it('is steered by a worker: nothing is lost, and each kind keeps its order', async () => {
    const snapshots: { steering: string[]; followup: string[] }[] = [];
    const { scope, core } = member();
    const turn = core.openSteeringTurn('s', 't', (snapshot) => snapshots.push(snapshot));
    const hand = startWorker({ job: 'steers', scope });
    await saying(hand);
    const texts = (kind: string) => Array.from({ length: 100 }, (_, at) => `${kind} ${at}`);
    await until(() => snapshots.length === 200);
    expect(snapshots.at(-1)).toMatchObject({
      steering: texts('steered'),
      followup: texts('queued'),
    });
    const pulled = turn.pull();
    expect(pulled.map((each) => each.content.text)).toEqual(texts('steered'));
    turn.ack(pulled.map((each) => each.id));
    expect(core.drainFollowup('s')).toEqual(texts('queued'));
    turn.release();
    expect([core.stats(), await askWorker(hand)]).toEqual([EMPTY, EMPTY]);
  });

  it('is stopped by a worker, which learns how its claims and its part ended', async () => {
    const told: string[] = [];
    const error = Object.assign(new TypeError('of the main thread'), { code: 'E_MAIN' });
    const onForeignStop = async (stop: StopAttempt) => {
      told.push(`part: ${(stop.input as { why: string }).why}`);
      claim.leaveGeneration();
      claim.settle({ ok: false, error });
      await generation.dispose(async () => {});
    };
    const { scope, core } = member({ onForeignStop });
    const { claim, generation } = running(core, 's', 'a', () => told.push('onStop'));
    claim.stopSignal.addEventListener('abort', () => told.push('abort'));
    const hand = startWorker({ job: 'stops', scope });
    expect(await saying(hand)).toEqual([{ errors: [['TypeError', error.message, 'E_MAIN']] }]);
    expect(told).toEqual(['onStop', 'abort', 'part: asked by the worker']);
    await hand.gone;
    expect(core.stats()).toEqual(EMPTY);
  });
});

describe('an error of another thread', () => {
  it('has its name, message, code and cause, and is an Error', async () => {
    const { scope, core } = member();
    const hand = startWorker({ job: 'fails', scope });
    await saying(hand);
    const errors = (await stopped(core)) as Error[];
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    expect(errors).toMatchObject([
      {
        ...{ name: 'TypeError', message: 'what', code: 'E_WHAT' },
        cause: { name: 'RangeError', message: 'why', code: 'E_WHY' },
      },
      { name: 'PartError', message: 'the part', code: 'E_PART' },
    ]);
    expect(errors[0]!.cause).toBeInstanceOf(Error);
    expect(core.stats()).toEqual(EMPTY);
  });
});

describe('a scope of two copies of the package in one thread and a worker', () => {
  it('is one: a stop reaches all three, and waits for all three', async () => {
    const told: string[] = [];
    const { scope, core } = member();
    const copy = anotherCopy();
    const second = new copy.RuntimeCore({
      ...{ newId: () => 'id', now: () => 1, scope },
      onForeignStop: async () => {
        told.push('part of the copy');
        claim.release();
      },
    });
    onTestFinished(() => second.close());
    const claim = second.claimExecution('s');
    claim.stopSignal.addEventListener('abort', () => told.push('abort of the copy'));
    const hand = startWorker({ job: 'turn', scope });
    await saying(hand);
    expect(claim.isExclusive()).toBe(false);
    expect(await stopped(core)).toEqual([]);
    expect(told).toEqual(['abort of the copy', 'part of the copy']);
    await until(() => hand.said.includes('backend disposed'));
    expect([core.stats(), second.stats(), await askWorker(hand)]).toEqual([EMPTY, EMPTY, EMPTY]);
  });

  it('is stopped by the worker in both copies', async () => {
    const parts: string[] = [];
    const scope = freshScope();
    const make = (tenure: { RuntimeCore: typeof RuntimeCore }, name: string) => {
      const onForeignStop = async () => {
        parts.push(name);
        claim.release();
      };
      const core = new tenure.RuntimeCore({
        newId: () => name,
        now: () => 1,
        scope,
        onForeignStop,
      });
      onTestFinished(() => core.close());
      const claim = core.claimExecution('s');
      return core;
    };
    const cores = [make(await import('../index.js'), 'first'), make(anotherCopy(), 'copy')];
    const hand = startWorker({ job: 'stops', scope });
    expect(await saying(hand)).toEqual([{ errors: [] }]);
    expect(parts.sort()).toEqual(['copy', 'first']);
    await hand.gone;
    expect(cores.map((core) => core.stats())).toEqual([EMPTY, EMPTY]);
  });
});
