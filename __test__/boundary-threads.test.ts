// More than one thread: scopes are shared, private cores are not, workers may end at any time.
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ApplicationOperationService } from '../index.js';
import { findingsOf } from './fixtures/boundary/child.js';
import { freshScope, makeCore, running } from './fixtures/boundary/kit.js';

function ask<A>(job: string, data: object = {}): Promise<A> {
  const path = new URL('./fixtures/boundary/worker.mjs', import.meta.url);
  const worker = new Worker(path, { workerData: { job, ...data } });
  onTestFinished(() => void worker.terminate());
  return new Promise((resolve, reject) => {
    let answer: A;
    worker.once('message', (message: A) => (answer = message));
    worker.once('error', reject);
    worker.once('exit', () => resolve(answer));
  });
}

describe('a scope in use', () => {
  it('is one with that of a worker: claims, registrations, and what excludes what', async () => {
    const scope = freshScope();
    const core = makeCore({ scope });
    const claim = core.claimExecution('s');
    const service = new ApplicationOperationService({ scope });
    service.reserve({ operationId: 'of main', ownerId: 'm', exclusivityKeys: ['key'] });
    const answer = await ask('scope', { scope });
    expect(answer).toEqual({
      exclusive: false,
      stats: { sessions: 1, admissions: 2 },
      reserved: 'ERR_OPERATION_BUSY',
      listed: ['of main', 'of the worker, too'],
      other: { exclusive: true, stats: { sessions: 1, admissions: 0 } },
    });
    // The worker has ended, and what was its own with it.
    expect([claim.isExclusive(), core.stats()]).toEqual([true, { sessions: 1, admissions: 1 }]);
    core.close();
  });

  it('by a service alone is shared with a worker as well, and lasts as long as either', async () => {
    const scope = freshScope();
    const service = new ApplicationOperationService({ scope });
    service.reserve({ operationId: 'of main', ownerId: 'm', exclusivityKeys: [] });
    const answer = await ask<{ listed: string[] }>('scope', { scope });
    expect(answer.listed).toEqual(['of main', 'of the worker', 'of the worker, too']);
    expect(service.listActive().map((each) => each.operationId)).toEqual(['of main']);
  });

  it('ends with its last thread, and begins anew elsewhere', async () => {
    const scope = freshScope();
    expect(await ask('unfinished', { scope })).toEqual({ waits: 24 });
    const core = makeCore({ scope });
    onTestFinished(() => core.close());
    expect(core.stats()).toEqual({ sessions: 0, admissions: 0 });
    expect(running(core, 's', 'a').generation.id).toBe(1);
  });
});

describe('a core without a scope', () => {
  it('works in a worker, apart from that of another thread with equal ids', async () => {
    const core = makeCore();
    onTestFinished(() => core.close());
    const { claim } = running(core, 's', 'a');
    const answer = await ask('private');
    expect(answer).toEqual({
      alone: true,
      id: 1,
      turns: ['turn-a'],
      stats: { sessions: 1, admissions: 0 },
    });
    expect([claim.phase, core.stats().sessions]).toEqual(['reserved', 1]);
  });
});

describe('twenty workers that end by themselves or are terminated, whatever is unfinished in them', () => {
  it.each([
    ['beside a main thread that uses the addon, too', 'beside', ''],
    ['in a process that loads the addon in none but them', 'alone', ''],
    ['beside a main thread, with the log on', 'beside', 'debug'],
    ['alone, with the log on', 'alone', 'debug'],
  ])('%s', async (_, mode, log) => {
    const found = await findingsOf<{ exited: number[]; messages: number }>('threads', {
      args: [mode],
      env: { TENURE_LOG: log },
    });
    expect(found.exited).toHaveLength(20);
    expect(found.exited.filter((code) => code !== 0 && code !== 1)).toEqual([]);
    expect(found.messages).toBe(16);
  });
});
