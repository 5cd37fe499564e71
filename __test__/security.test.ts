// What SECURITY.md and docs/guarantees.md promise: the tests they name exist, and some that had none.
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { at } from '../scripts/support/paths.mjs';
import {
  inputDigest,
  OperationJournal,
  operationDescriptor,
  RuntimeCore,
  setLogger,
  type LogEvent,
} from '../index.js';
import { macrotask, refusal } from './operations-kit.js';

const text = (path: string): string => readFileSync(at(path), 'utf8');
const rowsOf = (path: string): string[] =>
  (text(path).match(/^\| .*\|$/gm) ?? []).filter((row) => !row.includes('| --- |'));

describe.each([
  ['SECURITY.md', 25],
  ['docs/guarantees.md', 20],
])('%s', (path, least) => {
  // The first row of a table names its columns.
  const rows = rowsOf(path).filter((row) => !/\| shown by \|$/.test(row));
  const shown = (row: string): string => row.split('|').at(-2) ?? '';

  it('names a test in each row, and each that it names is there', () => {
    const missing: string[] = [];
    for (const row of rows) {
      const files = [...shown(row).matchAll(/`([a-z-]+)`/g)].map(([, name]) => name ?? '');
      const sources = files.map((name) => {
        const file = `__test__/${name}.test.ts`;
        if (!existsSync(at(file))) missing.push(file);
        return existsSync(at(file)) ? text(file) : '';
      });
      for (const [, title = ''] of shown(row).matchAll(/(?<!\*)\*([^*]+)\*(?!\*)/g)) {
        const parts = title.split('…').map((part) => part.trim());
        const found = sources.some((source) => parts.every((part) => source.includes(part)));
        if (!found) missing.push(title);
      }
      const names = /\*[^*]+\*|, whole|Rust: /.test(shown(row)) && files.length > 0;
      if (!names) missing.push(row);
    }
    expect(missing).toEqual([]);
    expect(rows.length).toBeGreaterThanOrEqual(least);
  });
});

describe('a schema', () => {
  it.each(['file:///etc/passwd', 'https://example.org/schema', 'other.json', '//example.org/x'])(
    'that refers to a file or an address is refused: %s',
    ($ref) => {
      const schema = { type: 'object', properties: { a: { $ref } } };
      const described = () =>
        operationDescriptor({
          ...{ id: 'x', version: '1', title: 'x', description: 'x' },
          ...{ inputSchema: schema, resultSchema: true },
        });
      refusal('ERR_SCHEMA_INVALID', described);
    },
  );
});

describe('the log of transitions', () => {
  afterEach(() => setLogger());

  it('tells no text, key or value of the caller', async () => {
    const secret = 'token-1234567890';
    const events: LogEvent[] = [];
    setLogger({ level: 'trace', onEvent: (batch) => events.push(...batch) });

    const core = new RuntimeCore({ newId: () => 'id', now: () => 0 });
    const turn = core.openSteeringTurn('session', 'turn', () => {});
    core.steer('session', secret);
    core.queueMessage('session', secret);
    turn.nack(turn.pull().map(({ id }) => id));
    turn.release();
    core.drainFollowup('session');
    const lease = core.operations.reserve({
      ...{ operationId: 'operation', ownerId: 'owner', exclusivityKeys: [secret] },
    });
    lease.release();
    const claim = core.claimExecution('session');
    claim.attach({ sessionId: 'session', runId: 'run', turnId: 'turn' }, () => {});
    const stopped = core.stopSession('session', { secret }, () =>
      Promise.reject(new Error(secret)),
    );
    claim.finalize({ ok: false, error: new Error(secret) });
    await stopped.catch(() => {});

    const journal = OperationJournal.inMemory();
    const input = { secret };
    await journal.reserve('operation', inputDigest('', input), input);
    await journal.update('operation', { state: 'running', stage: secret });
    await journal.update('operation', { state: 'failed', error: secret, result: { secret } });
    await journal.close();
    core.close();
    await macrotask();
    await macrotask();

    expect(events.length).toBeGreaterThan(10);
    expect(JSON.stringify(events)).toContain('session');
    expect(JSON.stringify(events)).not.toContain(secret);
  });
});
