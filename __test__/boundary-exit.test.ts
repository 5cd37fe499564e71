// The end of a process: nothing of ours keeps it, and nothing of ours disturbs it.
import { describe, expect, it } from 'vitest';
import { findingsOf, runScript } from './fixtures/boundary/child.js';

describe('a process', () => {
  const ended = { parts: 1000, told: true, waiting: 99 };

  it('ends by itself, whatever is unfinished in it, once all that was under way is delivered', async () => {
    expect(await findingsOf('exit', { args: ['alone'] })).toEqual(ended);
  });

  it('ends by itself with the log on', async () => {
    const env = { TENURE_LOG: 'debug' };
    expect(await findingsOf('exit', { args: ['alone'], env })).toEqual(ended);
  });

  it('that exits while deliveries and events are under way ends well, at whatever moment', async () => {
    for (let round = 0; round < 24; round += 1) {
      const env = round % 3 === 0 ? { TENURE_LOG: 'debug' } : {};
      const { code, signal } = await runScript('exit', { args: ['exit', `${round % 8}`], env });
      expect([round, code, signal]).toEqual([round, 0, null]);
    }
  });

  it('that dies of an uncaught exception says so, and nothing else', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { code, signal, stderr } = await runScript('exit', { args: ['throw', `${round}`] });
      expect([code, signal]).toEqual([1, null]);
      expect(stderr).toContain('Error: the end');
      expect(stderr).not.toMatch(/panic|fatal|abort/i);
    }
  });
});
