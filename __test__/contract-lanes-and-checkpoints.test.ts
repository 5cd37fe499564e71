// Work that is done one after another, and the checkpoint that is loaded once.
import { describe, expect, test } from 'vitest';
import { NOTHING, OK, gate, macrotask, microtasks, newCore, rejection } from './contract-kit.ts';

describe('a serial lane', () => {
  test('begins each task after the one before, never inside the call', async () => {
    const core = newCore();
    const log: string[] = [];
    const held = gate();
    const first = core.serialize('chat', 'writes', async () => {
      log.push('first begins');
      await held.promise;
      log.push('first ends');
      return 1;
    });
    const second = core.serialize('chat', 'writes', async () => {
      log.push('second');
      return 2;
    });
    expect(log).toEqual([]);
    await macrotask();
    expect(log).toEqual(['first begins']);
    held.open();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(log).toEqual(['first begins', 'first ends', 'second']);
    await microtasks();
    expect(core.stats()).toEqual(NOTHING);
  });

  test('goes on past failures, of whatever kind', async () => {
    const core = newCore();
    const cause = new Error('disk');
    const rejected = core.serialize('chat', 'w', () => Promise.reject(cause));
    const thrown = core.serialize('chat', 'w', () => {
      throw cause;
    });
    const after = core.serialize('chat', 'w', async () => 'after');
    await expect(rejected).rejects.toBe(cause);
    await expect(thrown).rejects.toBe(cause);
    expect(await after).toBe('after');
  });

  test('holds up neither another lane nor another session', async () => {
    const core = newCore();
    const held = gate();
    const slow = core.serialize('chat', 'w', () => held.promise);
    expect(await core.serialize('chat', 'x', async () => 'lane')).toBe('lane');
    expect(await core.serialize('chat', '', async () => 'unnamed')).toBe('unnamed');
    expect(await core.serialize('other', 'w', async () => 'session')).toBe('session');
    held.open();
    await slow;
  });

  test('goes on in the macrotask in which the task before ended', async () => {
    const core = newCore();
    const held = gate();
    void core.serialize('chat', 'w', () => held.promise);
    let begun = false;
    const next = core.serialize('chat', 'w', async () => void (begun = true));
    await macrotask();
    let turned = false;
    setImmediate(() => (turned = true));
    held.open();
    await microtasks();
    expect([begun, turned]).toEqual([true, false]);
    await next;
  });

  test('rejects wrong arguments', async () => {
    const core = newCore();
    const task = async (): Promise<void> => {};
    await rejection('ERR_INVALID_ARG_TYPE', core.serialize('', 'w', task));
    await rejection('ERR_INVALID_ARG_TYPE', core.serialize('chat', 7 as never, task));
    await rejection('ERR_INVALID_ARG_TYPE', core.serialize('chat', 'w', null as never));
    expect(core.stats()).toEqual(NOTHING);
  });
});

describe('a checkpoint', () => {
  test('is loaded once, inside the first call, for all who ask meanwhile', async () => {
    const core = newCore();
    const held = gate<object>();
    let loads = 0;
    const load = (): Promise<object> => {
      loads += 1;
      return held.promise;
    };
    const first = core.loadCheckpoint('chat', load);
    expect(loads).toBe(1);
    expect(core.loadCheckpoint('chat', load)).toBe(first);
    const loaded = { turn: 4 };
    held.open(loaded);
    expect(await first).toBe(loaded);
    expect(await core.loadCheckpoint('chat', load)).toBe(loaded);
    expect(loads).toBe(1);
    expect(core.stats().sessions).toBe(1);
  });

  test('may be undefined, and is then known all the same', async () => {
    const core = newCore();
    expect(await core.loadCheckpoint('chat', async () => undefined)).toBeUndefined();
    const again = core.loadCheckpoint('chat', async () => expect.unreachable());
    expect(await again).toBeUndefined();
  });

  test('that was stored while another was loading is the result of both', async () => {
    const core = newCore();
    const held = gate<object>();
    const loading = core.loadCheckpoint('chat', () => held.promise);
    const stored = { turn: 9 };
    core.storeCheckpoint('chat', stored);
    expect(await core.loadCheckpoint('chat', async () => expect.unreachable())).toBe(stored);
    held.open({ turn: 1 });
    expect(await loading).toBe(stored);
  });

  test('that could not be loaded is loaded again', async () => {
    const core = newCore();
    const cause = new Error('io');
    for (const fail of [
      () => Promise.reject(cause),
      (): never => {
        throw cause;
      },
    ]) {
      await expect(core.loadCheckpoint('chat', fail)).rejects.toBe(cause);
    }
    expect(core.stats()).toEqual(NOTHING);
    expect(await core.loadCheckpoint('chat', async () => ({ turn: 2 }))).toEqual({ turn: 2 });
  });

  test('is dropped by a disposal, and a load that was under way does not bring it back', async () => {
    const core = newCore();
    core.storeCheckpoint('chat', { turn: 1 });
    await core.invalidate('chat').dispose(async () => OK);
    expect(core.stats()).toEqual(NOTHING);
    const held = gate<object>();
    const stale = core.loadCheckpoint('chat', () => held.promise);
    await core.invalidate('chat').dispose(async () => OK);
    const fresh = core.loadCheckpoint('chat', async () => ({ turn: 3 }));
    expect(await fresh).toEqual({ turn: 3 });
    held.open({ turn: 2 });
    await stale;
    expect(await core.loadCheckpoint('chat', async () => expect.unreachable())).toEqual({
      turn: 3,
    });
  });

  test('of another session is another', async () => {
    const core = newCore();
    core.storeCheckpoint('chat', { of: 'chat' });
    expect(await core.loadCheckpoint('other', async () => ({ of: 'other' }))).toEqual({
      of: 'other',
    });
  });
});
