// A journal that is opened to be read: what it shows, what it refuses, and that its file stays as it is.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { OperationJournal, OperationRunner } from '../index.js';
import {
  DIGEST,
  idsOf,
  newPath,
  openJournal,
  openLogs,
  refusal,
  rejection,
  rowIn,
} from './operations-kit.js';

const READ = { readOnly: true };
const LEAVING = [
  'const { OperationJournal } = require(process.argv[1]);',
  'OperationJournal.open(process.argv[2]).then((journal) => {',
  "  journal.reserveSync('ran', 'd', { of: 'ran' });",
  "  journal.updateSync('ran', { state: 'running', submission: 'uncertain', progress: 0.5 });",
  "  process.kill(process.pid, 'SIGKILL');",
  '});',
].join('\n');
const PACKAGE = fileURLToPath(new URL('../index.js', import.meta.url));

const inChild = (script: string, ...args: string[]): string =>
  spawnSync(process.execPath, ['-e', script, PACKAGE, ...args], { encoding: 'utf8' }).stdout;

/** The file of a process that was killed while an operation ran. */
function left(): string {
  const at = newPath();
  inChild(LEAVING, at);
  return at;
}

describe('a journal opened to read only', () => {
  it('shows rows as they were recorded, and leaves every byte of the file as it was', async () => {
    const at = left();
    const before = readFileSync(at);
    const journal = await openJournal(at, READ);
    expect(journal.status('ran')).toMatchObject({
      state: 'running',
      submission: 'uncertain',
      progress: 0.5,
      stale: true,
      input: { of: 'ran' },
    });
    expect(idsOf(journal.page())).toEqual(['ran']);
    expect(journal.stats()).toMatchObject({ fence: { used: 1 }, health: 'ok', commits: 0 });
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
    await journal.close();
    expect(readFileSync(at).equals(before)).toBe(true);
    expect((await openJournal(at)).status('ran')).toMatchObject({ state: 'interrupted' });
  });

  it('prunes nothing, however small its bounds', async () => {
    const at = newPath();
    const writer = await openJournal(at);
    for (const id of ['a', 'b', 'c']) rowIn(writer, id, 'failed/pending');
    await writer.close();
    const journal = await openJournal(at, { ...READ, bounds: { retain: 1 } });
    expect(idsOf(journal.page())).toEqual(['c', 'b', 'a']);
  });

  it('refuses what would write, each in its own way, and goes on reading', async () => {
    const journal = await openJournal(left(), READ);
    for (const call of [
      () => journal.reserveSync('new', DIGEST, {}),
      () => journal.updateSync('ran', { progress: 1 }),
      () => journal.requestCancelSync('ran'),
      () => journal.resolveSync('ran', { state: 'failed' }),
      () => journal.forgetSync({ finishedBefore: 1 }),
      () => journal.drainRetiredSync(),
    ])
      refusal('ERR_AUTHORITY', call);
    await rejection('ERR_AUTHORITY', () => journal.reserve('new', DIGEST, {}));
    await rejection('ERR_AUTHORITY', () => journal.compact());
    const adapter = { submit: async () => 'r', observe: async () => ({}), cancel: async () => {} };
    const runner = new OperationRunner(journal, await openLogs(), adapter as never, {
      resultSchema: true,
    });
    refusal('ERR_AUTHORITY', () => runner.start());
    expect(journal.status('ran')).toMatchObject({ progress: 0.5 });
  });

  it('can be copied', async () => {
    const [at, copy] = [left(), newPath()];
    await (await openJournal(at, READ)).backup(copy);
    expect((await openJournal(copy, READ)).status('ran')).toMatchObject({ state: 'running' });
  });

  it('makes no file where there is none, and no journal of an empty one', async () => {
    const none = newPath();
    const error = await rejection('ERR_JOURNAL_IO', () => OperationJournal.open(none, READ));
    expect(error.cause).toMatchObject({ code: 'ENOENT' });
    expect(existsSync(none)).toBe(false);
    writeFileSync(none, '');
    await rejection('ERR_JOURNAL_CORRUPT', () => OperationJournal.open(none, READ), { path: none });
    expect(statSync(none).size).toBe(0);
  });

  it('may be one that nobody may write', async () => {
    const at = left();
    chmodSync(at, 0o400);
    expect((await openJournal(at, READ)).page().active).toBe(1);
    expect(statSync(at).mode & 0o777).toBe(0o400);
  });

  it('takes a boolean and nothing else', async () => {
    for (const readOnly of [null, 1, 'yes'])
      await rejection('ERR_INVALID_ARG_TYPE', () =>
        OperationJournal.open(newPath(), { readOnly } as never),
      );
  });
});

const OPENING = [
  'const { OperationJournal } = require(process.argv[1]);',
  'const options = JSON.parse(process.argv[3]);',
  'OperationJournal.open(process.argv[2], options).then(',
  "  (journal) => journal.close().then(() => process.stdout.write('opened')),",
  "  (error) => process.stdout.write(error.code + ' ' + (error.pid ?? '')),",
  ');',
].join('\n');
const opening = (at: string, options: object): string =>
  inChild(OPENING, at, JSON.stringify(options));

describe('one file, opened for reading and for writing', () => {
  it('is read by many processes, and written by none of them meanwhile', async () => {
    const at = left();
    await openJournal(at, READ);
    expect(opening(at, READ)).toBe('opened');
    const pid = process.platform === 'linux' ? String(process.pid) : '';
    expect(opening(at, {})).toBe(`ERR_JOURNAL_LOCKED ${pid}`);
  });

  it('is not read while another process writes, which is told with its process id', async () => {
    const at = left();
    await openJournal(at);
    const pid = process.platform === 'linux' ? String(process.pid) : '';
    expect(opening(at, READ)).toBe(`ERR_JOURNAL_LOCKED ${pid}`);
  });

  it('shows a reader of the writer’s process what is written, and lets it write nothing', async () => {
    const at = newPath();
    const writer = await openJournal(at, { bounds: { retain: 3 } });
    const reader = await openJournal(at, READ);
    const changes = reader.watch();
    writer.reserveSync('a', DIGEST, {});
    expect((await changes.next()).value).toMatchObject({ operationId: 'a' });
    expect(reader.status('a')).toMatchObject({ state: 'queued', stale: false });
    expect(reader.bounds.retain).toBe(3);
    refusal('ERR_AUTHORITY', () => reader.updateSync('a', {}));
    await reader.close();
    expect(writer.updateSync('a', { state: 'running' })).toMatchObject({ state: 'running' });
  });

  it('is refused to a writer of the reader’s process until the last reader has closed', async () => {
    const at = left();
    const readers = [await openJournal(at, READ), await openJournal(at, READ)];
    for (const reader of readers) {
      await rejection('ERR_JOURNAL_OPTIONS', () => OperationJournal.open(at), { path: at });
      expect(reader.status('ran')).toMatchObject({ state: 'running' });
      await reader.close();
    }
    expect((await openJournal(at)).status('ran')).toMatchObject({ state: 'interrupted' });
  });
});
