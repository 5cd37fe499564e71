// Applications of Electron: run where there is an Electron, in an archive as they are shipped and outside.
import { extractFile, createPackageWithOptions, listPackage } from '@electron/asar';
import { fork, spawn } from 'node:child_process';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { addonName } from '../scripts/support/native.mjs';
import { at } from '../scripts/support/paths.mjs';
import { freshFolder, installed } from './package-kit.js';

const PROGRAM = at('__test__', 'electron');
/** Starting processes of a browser takes its time. */
const LIMIT = 120_000;

const ENDED = { aborted: true, texts: ['a message'], state: 'cancelled' };
const FIRST = { ...ENDED, outcomes: ['created', 'existing', 'ERR_OPERATION_CONFLICT'] };
/** In a folder where the same was done before. */
const AGAIN = { ...ENDED, outcomes: ['existing', 'existing', 'ERR_OPERATION_CONFLICT'] };

/** The path of an Electron: what ELECTRON_PATH says, or the one that is installed beside the project. */
function electron(context: TestContext): string {
  const given = process.env['ELECTRON_PATH'] ?? installedElectron();
  if (given !== undefined && existsSync(given)) return given;
  const why = 'there is no Electron here (ELECTRON_PATH names one)';
  Object.assign(context.task.meta, { notRun: why });
  return context.skip(why);
}

function installedElectron(): string | undefined {
  try {
    const path: unknown = createRequire(import.meta.url)('electron');
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}

interface Found {
  readonly main: unknown;
  readonly utilities: readonly unknown[];
  readonly renderer: { readonly loads: readonly unknown[]; readonly crashes: readonly string[] };
}

async function run(path: string, application: string): Promise<Found> {
  const display = process.platform === 'linux' && !process.env['DISPLAY'];
  const args = [
    ...['--no-sandbox', '--disable-gpu', `--user-data-dir=${freshFolder()}`],
    ...(display ? ['--ozone-platform=headless'] : []),
    application,
  ];
  const { ELECTRON_RUN_AS_NODE: _, ...env } = process.env;
  const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT });
  const texts = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.err += text));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(exit ?? signal));
  });
  if (code !== 0) throw new Error(`Electron ended with ${String(code)}\n${texts.out}${texts.err}`);
  return JSON.parse(texts.out.slice(texts.out.indexOf('{'))) as Found;
}

describe('an application of Electron', () => {
  let folder: string;
  let archive: string;
  beforeAll(async () => {
    folder = await installed({ addon: true });
    for (const name of readdirSync(PROGRAM)) copyFileSync(join(PROGRAM, name), join(folder, name));
    writeFileSync(join(folder, 'package.json'), '{ "name": "smoke", "main": "main.cjs" }');
    archive = join(freshFolder(), 'app.asar');
    await createPackageWithOptions(folder, archive, { unpack: '**/*.node' });
  }, LIMIT);

  it('does the same in a process of Node.js, and may end it in the midst of things', async () => {
    const journals = freshFolder();
    const found: unknown[] = [];
    for (let round = 0; round < 2; round += 1) {
      const child = fork(join(folder, 'utility.cjs'), [journals]);
      child.once('message', (message) => {
        found.push(message);
        child.send('end');
      });
      const code = await new Promise((resolve) => child.once('exit', resolve));
      found.push(code);
    }
    expect(found).toEqual([FIRST, 0, AGAIN, 0]);
  });

  it('keeps the addon beside its archive, where it can be loaded from, and all else inside', () => {
    const addon = join('node_modules', `tenure-${addonName().split('.')[1]}`, addonName());
    expect(existsSync(join(`${archive}.unpacked`, addon))).toBe(true);
    const files = listPackage(archive, { isPack: false });
    expect(files.some((file) => file.endsWith(join('tenure', 'index.js')))).toBe(true);
    const entry = extractFile(archive, join('node_modules', 'tenure', 'index.js'));
    expect(`${entry}`).toContain('RuntimeCore');
  });

  it.for(['outside', 'inside'])(
    'runs from %s an archive: in main, in utility processes, in a page that is loaded again; and quits',
    { timeout: LIMIT },
    async (where, context) => {
      const path = electron(context);
      const found = await run(path, where === 'inside' ? archive : folder);
      expect(found.main).toEqual(FIRST);
      const ended = { code: 0 };
      expect(found.utilities).toEqual([
        { ...FIRST, ...ended },
        { ...FIRST, ...ended },
        { ...AGAIN, ...ended },
      ]);
      expect(found.renderer).toEqual({ loads: Array(6).fill(FIRST), crashes: [] });
    },
  );
});
