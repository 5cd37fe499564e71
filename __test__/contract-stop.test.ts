// The stop of a session: one attempt at a time, and what it does before it returns.
import { describe, expect, test } from 'vitest';
import {
  NOTHING,
  OK,
  attach,
  drawingCore,
  failedWith,
  gate,
  macrotask,
  microtasks,
  newCore,
  refusal,
  rejection,
  runOf,
  startTurn,
  watch,
} from './contract-kit.ts';
import type { StopAttempt } from '../index.js';

const drain = async (stop: StopAttempt): Promise<void> => void (await stop.drained());

describe('a stop', () => {
  test('flags all, tells the runs, aborts, clears the queue and then makes its attempt', async () => {
    const core = newCore();
    const log: string[] = [];
    const turn = core.openSteeringTurn('chat', 't', (snapshot) =>
      log.push(`queue of ${snapshot.steering.length}`),
    );
    core.steer('chat', 'do this');
    const bare = core.claimExecution('chat');
    const told = core.claimExecution('chat');
    told.attach(runOf('r1'), () => log.push(`told, all flagged: ${bare.isStopRequested()}`));
    for (const [name, claim] of Object.entries({ bare, told })) {
      claim.stopSignal.addEventListener('abort', () => log.push(`abort of ${name}`));
    }
    log.length = 0;
    const stopped = core.stopSession('chat', {}, async () => void log.push('attempt'));
    expect(log).toEqual([
      'told, all flagged: true',
      'abort of bare',
      'abort of told',
      'queue of 0',
      'attempt',
    ]);
    await stopped;
    turn.release();
  });

  test('is refused nothing and refuses new claims until its attempt has ended', async () => {
    const core = newCore();
    const before = core.claimExecution('chat');
    const held = gate();
    const stopped = core.stopSession('chat', {}, () => held.promise);
    const error = refusal('ERR_SESSION_STOPPING', () => core.claimExecution('chat'));
    expect(error.message).toBe('Session chat is stopping and cannot admit a new execution');
    expect(core.claimExecution('chat', before)).toBe(before);
    core.claimExecution('other').release();
    held.open();
    const lifted = stopped.then(() => core.claimExecution('chat').release());
    await lifted;
    expect(before.isStopRequested()).toBe(true);
    before.release();
    expect(core.stats()).toEqual(NOTHING);
  });

  test('is single flight: whoever stops meanwhile gets the same promise', async () => {
    const core = newCore();
    const held = gate();
    const first = core.stopSession('chat', {}, () => held.promise);
    const second = core.stopSession('chat', {}, () => expect.unreachable());
    expect(second).toBe(first);
    const cause = new Error('backend is stuck');
    held.fail(cause);
    await expect(first).rejects.toBe(cause);
    const third = core.stopSession('chat', {}, async () => {});
    expect(third).not.toBe(first);
    await third;
  });

  test('that throws at once rejects, and is lifted', async () => {
    const core = newCore();
    const cause = new Error('at once');
    const attempt = (): Promise<void> => {
      throw cause;
    };
    await expect(core.stopSession('chat', {}, attempt)).rejects.toBe(cause);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('hands its input on, and knows its session', async () => {
    const core = newCore();
    const input = { source: 'escape key' };
    await core.stopSession('chat', input, async (stop) => {
      expect(stop.input).toBe(input);
      expect(stop.sessionId).toBe('chat');
      expect(stop.operation).toBeUndefined();
      expect(stop.activeClaims()).toEqual([]);
    });
  });

  test('reaches running turns as active claims, by generation, and leaves their signals alone', async () => {
    const core = newCore();
    const child = await startTurn(core, 'kid', { route: 'kid', turn: 'kid' });
    const parent = await startTurn(core, 'r1');
    const late = await startTurn(core, 'r2');
    await core.stopSession('chat', {}, async (stop) => {
      expect(stop.activeClaims()).toEqual([child, parent, late]);
    });
    expect([child, parent, late].map((each) => each.stopSignal.aborted)).toEqual([
      false,
      false,
      false,
    ]);
    expect(parent.isStopRequested()).toBe(false);
  });

  test('may be asked for from inside itself', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const promises: Promise<void>[] = [];
    claim.attach(runOf('r1'), () => {
      refusal('ERR_SESSION_STOPPING', () => core.claimExecution('chat'));
      promises.push(core.stopSession('chat', {}, () => expect.unreachable()));
    });
    claim.stopSignal.addEventListener('abort', () => {
      promises.push(core.stopSession('chat', {}, () => expect.unreachable()));
    });
    const stopped = core.stopSession('chat', {}, async () => {});
    expect(promises).toEqual([stopped, stopped]);
    await stopped;
  });

  test('rejects wrong arguments and starts nothing', async () => {
    const core = newCore();
    await rejection(
      'ERR_INVALID_ARG_TYPE',
      core.stopSession('', {}, async () => {}),
    );
    await rejection('ERR_INVALID_ARG_TYPE', core.stopSession('chat', {}, 7 as never));
    core.claimExecution('chat').release();
  });
});

describe('a captured claim', () => {
  test('is told once, however often it is stopped', async () => {
    const core = newCore();
    const told: StopAttempt[] = [];
    const claim = core.claimExecution('chat');
    claim.attach(runOf('r1'), (stop) => told.push(stop));
    await core.stopSession('chat', {}, async () => {});
    await core.stopSession('chat', {}, async () => {});
    expect(told.length).toBe(1);
    claim.finalize(OK);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('counts in every stop that captured it', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    let first: StopAttempt | undefined;
    await core.stopSession('chat', {}, async (stop) => void (first = stop));
    const early = watch(first!.drained());
    const second = core.stopSession('chat', {}, drain);
    claim.finalize(failedWith('end'));
    await second;
    await microtasks();
    expect(early).toEqual({ state: 'resolved', value: ['end'] });
    expect(core.stats()).toEqual(NOTHING);
  });

  test('that is attached later is told before attach returns, also from inside another callback', async () => {
    const core = newCore();
    const log: string[] = [];
    const [one, two] = [core.claimExecution('chat'), core.claimExecution('chat')];
    const three = core.claimExecution('chat');
    one.attach(runOf('r1'), () => {
      two.attach(runOf('r2'), () => log.push('two'));
      log.push('one');
    });
    const stopped = core.stopSession('chat', {}, drain);
    expect(log).toEqual(['two', 'one']);
    three.attach(runOf('r3'), (stop) => log.push(`three in ${stop.sessionId}`));
    expect(log).toEqual(['two', 'one', 'three in chat']);
    for (const claim of [one, two, three]) claim.finalize(OK);
    await stopped;
  });

  test('has its cancellation as the reason, one object for good', async () => {
    const core = newCore();
    const claim = core.claimExecution('chat');
    const { cancellation } = claim;
    await core.stopSession('chat', {}, async () => {});
    expect(claim.stopSignal.aborted).toBe(true);
    expect(claim.stopSignal.reason).toBe(cancellation);
    expect(claim.cancellation).toBe(cancellation);
    expect(cancellation.code).toBe('ERR_EXECUTION_CANCELLED');
    expect(cancellation.name).toBe('RuntimeExecutionCancellation');
    expect(cancellation.message).toBe('Execution for session chat was cancelled before dispatch');
  });

  test('when attached ends by its finalization and not by release', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    const drained = core.stopSession('chat', {}, drain);
    claim.release();
    claim.settle(failedWith('ignored'));
    await macrotask();
    expect(claim.phase).toBe('attached');
    claim.finalize(OK);
    expect(claim.phase).toBe('released');
    await drained;
  });

  test('when attached ends by the finalization recorded before the stop', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    claim.finalize(OK);
    claim.finalize(failedWith('the last one counts'));
    const stopped = core.stopSession('chat', {}, async (stop) => {
      claim.release();
      expect(claim.phase).toBe('failed');
      expect(await stop.drained()).toEqual(['the last one counts']);
    });
    await stopped;
  });

  test('that is reserved hands the attempt over, and may be undone', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const claim = attach(core, 'r2');
    await core.stopSession('chat', {}, async (stop) => {
      expect(claim.reserve(running.generation)).toBe(stop);
      claim.leaveGeneration();
      claim.settle(failedWith('stopped'));
      expect(await stop.drained()).toEqual(['stopped']);
    });
  });

  test('never makes its backend the current one', async () => {
    const core = newCore();
    const claim = attach(core, 'r1');
    const stopped = core.stopSession('chat', {}, drain);
    const made = core.createGeneration(claim, undefined, {}, {});
    expect(made.isCurrent).toBe(false);
    expect(core.currentGeneration('chat')).toBeUndefined();
    expect(core.generations('chat')).toEqual([made]);
    refusal('ERR_GENERATION_STALE', () => claim.reserve(made));
    await made.dispose(async () => {});
    claim.finalize(OK);
    await stopped;
    expect(core.stats()).toEqual(NOTHING);
  });
});

describe('drained', () => {
  test('waits for every captured claim, in the macrotask in which the last one ends', async () => {
    const core = newCore();
    const claims = ['r1', 'r2', 'r3'].map((id) => attach(core, id));
    let attempt: StopAttempt | undefined;
    const stopped = core.stopSession('chat', {}, async (stop) => {
      attempt = stop;
      await stop.drained();
    });
    const errors = watch(attempt!.drained());
    claims[2]!.finalize(failedWith('third'));
    claims[0]!.finalize(failedWith('first'));
    await macrotask();
    expect(errors.state).toBe('pending');
    let turned = false;
    setImmediate(() => (turned = true));
    claims[1]!.finalize(OK);
    await microtasks();
    expect(turned).toBe(false);
    expect(errors).toEqual({ state: 'resolved', value: ['first', 'third'] });
    await stopped;
    expect(await attempt!.drained()).toEqual(['first', 'third']);
  });
});

test('a stop draws no id and no time of its own', async () => {
  const { core, drawn } = drawingCore();
  core.claimExecution('chat');
  await core.stopSession('chat', {}, async () => {});
  expect(drawn).toEqual([]);
});
