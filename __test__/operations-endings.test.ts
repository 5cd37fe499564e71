// Workers end in every way and at every moment, with everything under way: nobody waits for the dead.
import { describe, expect, it } from 'vitest';
import { startChild } from './fixtures/operations/child.js';
import { newPath, temporary } from './operations-kit.js';

const LIMIT = 120_000;
const SOUND = { ok: true, problems: [] };

interface Ending {
  readonly how: string;
  readonly code: number;
  readonly errors: string[];
}

const ENDINGS: [string, Ending][] = [
  ['by return', { how: 'return', code: 0, errors: [] }],
  ['by process.exit', { how: 'exit', code: 0, errors: [] }],
  ['by terminate()', { how: 'terminate', code: 1, errors: [] }],
  ['by an uncaught error', { how: 'uncaught', code: 1, errors: ['uncaught'] }],
  ['out of memory', { how: 'memory', code: 1, errors: ['ERR_WORKER_OUT_OF_MEMORY'] }],
];

describe.each(ENDINGS)('a worker that ends %s', (_, { how, code, errors }) => {
  it('with calls, a runner, a watcher and handles under way lets the others go on', async () => {
    const child = startChild<Record<string, unknown>>('endings', {
      args: [how, newPath(), temporary()],
    });
    const found = await child.heard();
    expect(found).toMatchObject({
      ...{ code, errors, owned: 'ERR_SCOPE_OWNED', started: 'ok' },
      ...{ sent: 'interrupted/uncertain', outcome: 'created' },
      ...{ watched: '0', inOrder: true, verified: SOUND },
    });
    expect(found['whole']).toBe(found['rows']);
    // One that ends by itself has waited for what it called.
    if (how === 'return') expect([found['rows'], found['lines']]).toEqual([100, 101]);
    expect(await child.gone).toEqual({ code: 0, signal: null, errors: '' });
  });

  it('lets the file go that only it had open, for this process and for others', async () => {
    const child = startChild('last', { args: [how, newPath(), temporary()] });
    expect(await child.heard()).toEqual({
      other: { waits: 'queued', ...SOUND },
      sent: 'interrupted/uncertain',
      verified: SOUND,
    });
    expect(await child.gone).toEqual({ code: 0, signal: null, errors: '' });
  });
});

describe('workers that are terminated', () => {
  it(
    'at any moment with a hundred promises in flight, a hundred of them, lose nothing that was acknowledged',
    async () => {
      const args = ['100', newPath(), temporary()];
      const child = startChild('terminated', { args });
      expect(await child.gone).toEqual({ code: 0, signal: null, errors: '' });
      expect(child.said).toEqual([{ lost: [], unsound: [], isBusy: true }]);
    },
    LIMIT,
  );
});
