// A wait that is over is told of once: what was decided for one claim never lets another one in.
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshScope, gate, macrotask, makeCore } from './fixtures/boundary/kit.js';

describe('a claim of another member that waits for a mutation', () => {
  it('is let in once, though several mutations end before it learns of it; the next claim waits', async () => {
    const scope = freshScope();
    const [first, second] = [makeCore({ scope }), makeCore({ scope })] as const;
    onTestFinished(() => [first, second].forEach((core) => core.close()));
    const [start, last] = [gate(), gate()];
    const told: string[] = [];
    void first.mutateSessions(['s'], () => start.promise);
    const claim = second.claimExecution('s');
    let next = claim;
    void claim.enter().then(() => {
      told.push('let in');
      claim.release();
      next = second.claimExecution('s');
      void next.enter().then(() => told.push('the next one let in'));
    });
    void first.mutateSessions(['s'], () => told.push('a second mutation'));
    void first.mutateSessions(['s'], () => last.promise);
    start.open();
    for (let turn = 0; turn < 20; turn += 1) await macrotask();
    expect(told).toEqual(['a second mutation', 'let in']);
    last.open();
    for (let turn = 0; turn < 20; turn += 1) await macrotask();
    expect(told).toEqual(['a second mutation', 'let in', 'the next one let in']);
    next.release();
    expect(first.stats()).toEqual({ sessions: 0, admissions: 0 });
  });
});
