// The command as its users run it: bin/tenure.js in a process of its own, over real files.
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { OperationJournal, OperationLogs, type JournalOptions } from '../index.js';
import { rowIn, temporary } from './operations-kit.js';

export const BIN = fileURLToPath(new URL('../bin/tenure.js', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../index.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The environment of a test has no say in how the command looks. */
function plainEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  const kept = { ...process.env };
  for (const name of [
    'NO_COLOR',
    'FORCE_COLOR',
    'COLUMNS',
    'TENURE_JOURNAL',
    'TENURE_LOGS',
    'TENURE_LOG',
  ])
    delete kept[name];
  return { ...kept, ...env };
}

interface Options {
  readonly env?: Record<string, string>;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

export function tenure(args: readonly string[], { env = {}, input, cwd }: Options = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env: plainEnv(env),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...(input === undefined ? {} : { input }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  return { code: status, out: stdout, err: stderr };
}

/** What it printed, if it was content and said nothing else. */
export function printed(args: readonly string[], options?: Options): string {
  const { code, out, err } = tenure(args, options);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

export const jsonOf = <V = Record<string, unknown>>(
  args: readonly string[],
  options?: Options,
): V => JSON.parse(printed([...args, '--json'], options)) as V;

/** The command while it runs. */
export function running(args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { env: plainEnv({}) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const seen = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (seen.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (seen.err += text));
  // It may end before it has read all.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Ran>((done) => {
    child.on('close', (code, signal) =>
      done({ code: code ?? (signal === null ? null : -1), ...seen }),
    );
  });
  return { child, seen, ended };
}

/** A journal that was written and let go; its path. */
export async function journalOf(
  fill: (journal: OperationJournal) => unknown,
  options: JournalOptions = {},
  at: string = path.join(temporary(), 'jobs.journal'),
): Promise<string> {
  const journal = await OperationJournal.open(at, options);
  await fill(journal);
  await journal.close();
  return at;
}

/** A directory of logs. */
export async function logsOf(fill: (logs: OperationLogs) => unknown): Promise<string> {
  const at = path.join(temporary(), 'jobs.logs');
  const logs = await OperationLogs.open(at);
  await fill(logs);
  await logs.close();
  return at;
}

const OWNING = [
  'const { OperationJournal } = require(process.argv[1]);',
  'OperationJournal.open(process.argv[2]).then((journal) => {',
  '  for (const [id, patch] of JSON.parse(process.argv[3])) {',
  "    journal.reserveSync(id, 'd'.repeat(64), { of: id });",
  '    if (patch) journal.updateSync(id, patch);',
  '  }',
  "  process.stdout.write('open');",
  '  process.stdin.resume();',
  '  globalThis.held = journal;',
  '});',
].join('\n');

type Rows = readonly (readonly [id: string, patch?: object])[];

/** Another process that has the journal open until it is killed. */
export async function owner(at: string, rows: Rows = []) {
  const child = spawn(process.execPath, ['-e', OWNING, PACKAGE, at, JSON.stringify(rows)]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((open) => child.stdout.once('data', open));
  const { pid } = child;
  const kill = (): Promise<unknown> =>
    new Promise((gone) => {
      child.once('close', gone);
      child.kill('SIGKILL');
    });
  return { pid, kill };
}

/** The file of a process that was killed in the midst of these. */
export async function left(rows: Rows): Promise<string> {
  const at = path.join(temporary(), 'jobs.journal');
  await (await owner(at, rows)).kill();
  return at;
}

/** Rows of every state there is. */
export function everyState(journal: OperationJournal, scope?: string): void {
  for (const kind of [
    'queued/pending',
    'queued/accepted',
    'running/uncertain',
    'running/accepted',
    'succeeded/accepted',
    'failed/refused',
    'failed/pending',
    'cancelled/accepted',
    'interrupted/uncertain',
    'interrupted/accepted',
  ])
    rowIn(journal, kind.replace('/', '-'), kind, scope);
}

export const ESCAPES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
