// Exclusive work on sets of sessions, and the claims that wait for it.
import { describe, expect, test } from 'vitest';
import { SessionBusyError } from '../index.js';
import {
  NOTHING,
  attach,
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

describe('a mutation', () => {
  test('never begins inside the call, and hands on what its task gives', async () => {
    const core = newCore();
    let begun = false;
    const plain = core.mutateSessions(['chat'], () => {
      begun = true;
      return 'plain';
    });
    expect(begun).toBe(false);
    expect(core.stats().sessions).toBe(1);
    await microtasks();
    expect(begun).toBe(true);
    expect(await plain).toBe('plain');
    expect(await core.mutateSessions(['chat', 'other'], async () => 'later')).toBe('later');
    expect(core.stats()).toEqual(NOTHING);
  });

  test('that fails, at once or later, fails its caller and holds nobody up', async () => {
    const core = newCore();
    const cause = new Error('refused');
    const first = core.mutateSessions(['chat'], () => {
      throw cause;
    });
    const second = core.mutateSessions(['chat'], () => Promise.reject(cause));
    const third = core.mutateSessions(['chat'], () => 'after both');
    await expect(first).rejects.toBe(cause);
    await expect(second).rejects.toBe(cause);
    expect(await third).toBe('after both');
  });

  test('waits for each of its sessions, and for those that merely wait on one of them', async () => {
    const core = newCore();
    const log: string[] = [];
    const held = gate();
    const run = (name: string, sessions: string[]): Promise<void> =>
      core.mutateSessions(sessions, async () => {
        log.push(`${name} begins`);
        if (name === 'left') await held.promise;
        await macrotask();
        log.push(`${name} ends`);
      });
    const all = [run('left', ['l']), run('both', ['r', 'l']), run('right', ['r', 'r'])];
    const apart = run('apart', ['x']);
    await apart;
    expect(log).toEqual(['left begins', 'apart begins', 'apart ends']);
    log.length = 0;
    held.open();
    await Promise.all(all);
    expect(log).toEqual(['left ends', 'both begins', 'both ends', 'right begins', 'right ends']);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('runs from inside a live turn of its own session', async () => {
    const core = newCore();
    const running = await startTurn(core, 'r1');
    const claim = attach(core, 'r2');
    expect(await core.mutateSessions(['chat'], () => core.activeTurnIds('chat'))).toEqual([
      'turn of r1',
    ]);
    expect(claim.phase).toBe('attached');
    running.leaveGeneration();
  });

  test('sets that cross in every way do not lock each other out', async () => {
    const core = newCore();
    const sets = [['a', 'b'], ['b', 'a'], ['c', 'a'], ['b', 'c'], ['c', 'b', 'a'], ['a']];
    const ended: number[] = [];
    await Promise.all(
      sets.map((set, at) =>
        core.mutateSessions(set, async () => {
          await macrotask();
          ended.push(at);
        }),
      ),
    );
    expect(ended).toEqual([0, 1, 2, 3, 4, 5]);
    expect(core.stats()).toEqual(NOTHING);
  });

  test('on a set that is none rejects and queues nothing', async () => {
    const core = newCore();
    for (const bad of [[], [''], ['a', 7], 'a', null, {}]) {
      const refused = core.mutateSessions(bad as never, () => expect.unreachable());
      expect(await rejection('ERR_INVALID_ARG_TYPE', refused)).toBeInstanceOf(TypeError);
    }
    await rejection('ERR_INVALID_ARG_TYPE', core.mutateSessions(['a'], 7 as never));
    expect(core.stats()).toEqual(NOTHING);
  });
});

describe('a claim', () => {
  test('waits in enter for the mutations queued before it was made, not for later ones', async () => {
    const core = newCore();
    const [first, second, third] = [gate(), gate(), gate()];
    const early = core.claimExecution('chat');
    const before = [
      core.mutateSessions(['chat'], () => first.promise),
      core.mutateSessions(['other', 'chat'], () => second.promise),
    ];
    const claim = core.claimExecution('chat');
    const after = core.mutateSessions(['chat'], () => third.promise);
    const entered = watch(claim.enter());
    await early.enter();
    first.open();
    await before[0];
    await microtasks();
    expect(entered.state).toBe('pending');
    const error = refusal('ERR_CLAIM_PHASE', () => claim.attach(runOf('r1'), () => {}));
    expect(error.message).toBe(
      'Execution claim cannot attach Run r1 while a session mutation is ahead of it',
    );
    expect(claim.phase).toBe('pending');
    second.open();
    await before[1];
    await microtasks();
    expect(entered.state).toBe('resolved');
    claim.attach(runOf('r1'), () => {});
    third.open();
    await after;
  });

  test('enters in the macrotask in which the mutation ended, even badly', async () => {
    const core = newCore();
    const held = gate();
    const mutation = watch(core.mutateSessions(['chat'], () => held.promise));
    const claim = core.claimExecution('chat');
    const entered = watch(claim.enter());
    await macrotask();
    let turned = false;
    setImmediate(() => (turned = true));
    held.fail(new Error('mutation'));
    await microtasks();
    expect([mutation.state, entered.state, turned]).toEqual(['rejected', 'resolved', false]);
  });

  test('finds the barrier down when the mutation has settled', async () => {
    const core = newCore();
    await core.mutateSessions(['chat'], () => {});
    const claim = core.claimExecution('chat');
    claim.attach(runOf('r1'), () => {});
    expect(claim.phase).toBe('attached');
  });

  test('does not enter unless it is pending when its wait ends', async () => {
    const core = newCore();
    const held = gate();
    const mutation = core.mutateSessions(['chat'], () => held.promise);
    const claim = core.claimExecution('chat');
    const entered = watch(claim.enter());
    claim.release();
    await macrotask();
    expect(entered.state).toBe('pending');
    held.open();
    await mutation;
    await microtasks();
    expect(entered.value).toMatchObject({
      code: 'ERR_CLAIM_PHASE',
      message: 'Execution claim cannot enter admission from phase released for session chat',
    });
    await rejection('ERR_CLAIM_PHASE', attach(core, 'r1').enter());
  });

  test('is not let in early by a stop', async () => {
    const core = newCore();
    const held = gate();
    const mutation = core.mutateSessions(['chat'], () => held.promise);
    const claim = core.claimExecution('chat');
    const entered = watch(claim.enter());
    await core.stopSession('chat', {}, async () => {});
    expect(claim.stopSignal.aborted).toBe(true);
    expect(entered.state).toBe('pending');
    held.open();
    await mutation;
    await microtasks();
    expect(entered.state).toBe('resolved');
    claim.release();
    expect(core.stats()).toEqual(NOTHING);
  });
});

describe('a quiescent mutation', () => {
  const quiescent = { quiescent: true };

  test('is refused while a claim is live in any of its sessions, and names them sorted', async () => {
    const core = newCore();
    for (const id of ['zeta', 'alpha']) core.claimExecution(id);
    const refused = core.mutateSessions(
      ['zeta', 'mid', 'alpha', 'zeta'],
      () => expect.unreachable(),
      quiescent,
    );
    const error = await rejection('ERR_SESSION_BUSY', refused);
    expect(error).toBeInstanceOf(SessionBusyError);
    expect((error as SessionBusyError).sessionIds).toEqual(['alpha', 'zeta']);
    expect(error.message).toBe('Session alpha has a live execution claim');
    const free = core.claimExecution('mid');
    free.attach(runOf('r1', 'mid'), () => {});
  });

  test('does not mind turns that run on claims that have ended', async () => {
    const core = newCore();
    await startTurn(core, 'r1');
    expect(await core.mutateSessions(['chat'], () => 'ran', quiescent)).toBe('ran');
  });

  test('is judged when it is asked for, not when its turn comes', async () => {
    const core = newCore();
    const held = gate();
    const first = core.mutateSessions(['chat'], () => held.promise);
    const second = core.mutateSessions(['chat'], () => 'in turn', quiescent);
    const claim = core.claimExecution('chat');
    const third = core.mutateSessions(['chat'], () => expect.unreachable(), quiescent);
    await rejection('ERR_SESSION_BUSY', third);
    held.open();
    await first;
    expect(await second).toBe('in turn');
    claim.release();
  });
});
