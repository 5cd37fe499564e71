// The command itself: help, usage, exit codes, the environment, readers that leave, progress.
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Progress } from '../cli/terminal/progress.js';
import { BIN, everyState, journalOf, printed, running, tenure } from './cli-kit.js';
import { DIGEST, temporary, until } from './operations-kit.js';

const COMMANDS = {
  ops: ['list', 'status', 'log', 'cancel', 'resolve', 'forget'],
  journal: ['stats', 'verify', 'compact', 'backup', 'export', 'import'],
} as const;
const every = Object.entries(COMMANDS).flatMap(([group, names]) =>
  names.map((name) => [group, name] as const),
);

const pages = new Map<string, string>();
/** The page of a command, asked for once. */
function pageOf(group: string, name: string): string {
  const words = `${group} ${name}`;
  const page = pages.get(words) ?? printed([group, name, '--help']);
  pages.set(words, page);
  return page;
}

describe('the help', () => {
  it('names every command', () => {
    const page = printed(['--help']);
    for (const name of Object.keys(COMMANDS)) expect(page).toContain(`tenure ${name} `);
    expect(printed(['help'])).toBe(page);
    for (const [group, names] of Object.entries(COMMANDS)) {
      const of = printed([group, '--help']);
      for (const name of names)
        expect(of).toMatch(new RegExp(`^  tenure ${group} ${name} +\\w`, 'm'));
    }
  });

  it.each(every)(
    'of %s %s says what it does, with options, examples and exit codes',
    (group, name) => {
      const page = pageOf(group, name);
      expect(page).toMatch(new RegExp(`^tenure ${group} ${name} `));
      for (const part of ['--json', '-j, --journal PATH', 'Examples:', 'Exit codes: 0 done'])
        expect(page).toContain(part);
      expect(page).toContain(`  tenure ${group} ${name} `);
      expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
    },
  );

  it('is the same, whichever way it is asked for', () => {
    const page = pageOf('ops', 'list');
    for (const args of [
      ['ops', 'help', 'list'],
      ['help', 'ops', 'list'],
      ['ops', 'list', '-h'],
    ])
      expect(printed(args)).toBe(page);
  });

  it('is told to whoever calls something that there is not', () => {
    for (const args of [[], ['nothing'], ['ops'], ['ops', 'nothing'], ['constructor']]) {
      const { code, out, err } = tenure(args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('  tenure ');
    }
  });

  it('tells the version of the package', () => {
    const manifest = path.join(path.dirname(BIN), '..', 'package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    expect(printed(['--version'])).toBe(`${version}\n`);
  });
});

describe('docs/cli.md', () => {
  const page = readFileSync(new URL('../docs/cli.md', import.meta.url), 'utf8');

  it.each(every)('has a part about %s %s, with every option that it takes', (group, name) => {
    const [, part] = page.split(`\n## \`tenure ${group} ${name}\`\n`);
    const text = part?.split('\n## ')[0] ?? '';
    const options = pageOf(group, name).match(/(?<=^  .{0,5})--[a-z-]+/gm) ?? [];
    const shared = ['--journal', '--help', ...(name === 'export' ? ['--json'] : [])];
    for (const option of options.filter((each) => !shared.includes(each)))
      expect(text).toContain(option);
    expect(page).toContain(`| [\`tenure ${group} ${name}\`](#tenure-${group}-${name}) |`);
  });

  it('shows calls that the command takes', () => {
    const pages = [page, readFileSync(new URL('../docs/timeline.md', import.meta.url), 'utf8')];
    const calls = pages.flatMap((each) => each.match(/^(?:\$ )?tenure .+$/gm) ?? []);
    expect(calls.length).toBeGreaterThan(8);
    for (const call of calls) {
      const [words = ''] = call.replace(/^\$ /, '').split(/ [|>#]|  #/);
      const args = words.match(/'[^']*'|\S+/g)!.map((word) => word.replace(/^'(.*)'$/, '$1'));
      expect([call, tenure([...args.slice(1), '--help']).code]).toEqual([call, 0]);
    }
  });

  it('tells every exit code that the help tells', () => {
    const [, told = ''] = pageOf('ops', 'list').split('Exit codes: ');
    const codes = told.match(/\b\d+\b/g) ?? [];
    expect(codes).toHaveLength(7);
    for (const code of codes) expect(page).toMatch(new RegExp(`^\\| ${code} \\| \\w`, 'm'));
  });
});

describe('a wrong call', () => {
  it.each([
    [['ops', 'list', '--nothing']],
    [['ops', 'list', '--state', 'done']],
    [['ops', 'list', '--limit', 'many']],
    [['ops', 'list', 'more']],
    [['ops', 'status']],
    [['ops', 'status', 'a', 'b']],
    [['journal', 'backup']],
    [['journal', 'import']],
  ])('is exit code 2, and touches nothing: %j', async (args) => {
    const at = await journalOf(everyState);
    const before = readFileSync(at);
    const { code, out, err } = tenure([...args, '-j', at]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^tenure: /);
    expect(readFileSync(at).equals(before)).toBe(true);
  });

  it('of one that was told no journal says how to tell one', () => {
    const { code, err } = tenure(['ops', 'list']);
    expect(code).toBe(2);
    expect(err).toContain('--journal PATH, or set TENURE_JOURNAL');
    expect(JSON.parse(tenure(['ops', 'list', '--json']).err)).toMatchObject({
      error: { code: 'UsageError', exitCode: 2 },
    });
  });
});

describe('the environment', () => {
  it('may name the journal', async () => {
    const at = await journalOf(everyState);
    const env = { TENURE_JOURNAL: at };
    expect(printed(['ops', 'list'], { env })).toContain('queued-pending');
    const other = await journalOf(() => undefined);
    expect(printed(['ops', 'list', '-j', other], { env })).toBe('');
  });
});

const many = () =>
  journalOf(
    async (journal) => {
      const text = 'x'.repeat(500);
      await Promise.all(
        Array.from({ length: 4_000 }, (_, n) => journal.reserve(`op-${n}`, DIGEST, { text })),
      );
    },
    { bounds: { maxQueued: 5_000 } },
  );

describe('a reader that has enough', () => {
  it.each([[['ops', 'list', '--json']], [['journal', 'export']]])(
    'ends the command quietly: %j',
    async (args) => {
      const at = await many();
      const child = spawn(process.execPath, [BIN, ...args, '-j', at]);
      let err = '';
      child.stderr.setEncoding('utf8').on('data', (text) => (err += text));
      const ended = new Promise((done) => child.on('close', done));
      child.stdout.once('data', () => child.stdout.destroy());
      expect(await ended).toBe(0);
      expect(err).toBe('');
    },
  );
});

describe('Ctrl-C', () => {
  it('gives up an import, of which nothing is left', async () => {
    const folder = temporary();
    const text = printed(['journal', 'export', '-j', await many()]);
    const { child, ended } = running(['journal', 'import', '-', '-j', path.join(folder, 'new')]);
    child.stdin.write(text.slice(0, text.length / 2));
    await until(() => readdirSync(folder).length > 0);
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, out: '', err: '' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('progress', () => {
  const screen = (isTTY: boolean, columns = 60) => {
    const shown: string[] = [];
    return { isTTY, columns, shown, write: (text: string) => shown.push(text) };
  };

  it('is a bar on a terminal, never wider than it, and gone in the end', () => {
    const to = screen(true, 30);
    let now = 0;
    const progress = new Progress('exporting', 200, to, () => now);
    progress.at(1);
    expect(to.shown).toEqual([]);
    now = 1_000;
    progress.at(50);
    const narrow = to.shown.at(-1) ?? '';
    expect(narrow).toMatch(/^\r\u001b\[2Kexporting \[###/);
    expect(narrow.length - '\r\u001b[2K'.length).toBeLessThan(30);
    to.columns = 80;
    now = 2_000;
    progress.at(100);
    expect(to.shown.at(-1)).toContain('[############............] 50 %, 2 s');
    progress.end();
    expect(to.shown.at(-1)).toBe('\r\u001b[2K');
  });

  it('tells how long it takes where nobody knows how much there is', () => {
    vi.useFakeTimers();
    const to = screen(true);
    const progress = new Progress('verifying', undefined, to);
    vi.advanceTimersByTime(5_000);
    progress.end();
    vi.useRealTimers();
    expect(to.shown.at(-2)).toContain('verifying 5 s');
  });

  it('is nowhere but on a terminal', async () => {
    const to = screen(false);
    let now = 0;
    const progress = new Progress('exporting', 1, to, () => now);
    now = 10_000;
    progress.at(1);
    progress.end();
    expect(to.shown).toEqual([]);
    const [at, file] = [await many(), path.join(temporary(), 'all.jsonl')];
    expect(tenure(['journal', 'export', '-j', at, '-o', file])).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });
});

describe('the file that is shipped', () => {
  it('needs nothing but the package itself and Node.js', () => {
    const source = readFileSync(BIN, 'utf8');
    const all = source.matchAll(/\brequire\('([^']+)'\)/g);
    const needed = [...new Set([...all].map(([, name]) => name ?? ''))];
    const others = needed.filter((name) => !name.startsWith('node:'));
    expect(others.sort()).toEqual(['../index.js', '../package.json']);
    expect(source).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(source).toContain('Permission is hereby granted, free of charge');
  });

  it('runs from any folder, by a link to it, as npm makes one', () => {
    if (process.platform === 'win32') return;
    const folder = temporary();
    const script = `import { symlinkSync } from 'node:fs'; symlinkSync(process.argv[1], process.argv[2]);`;
    const link = path.join(folder, 'tenure');
    const made = spawnSync(process.execPath, ['--input-type=module', '-e', script, BIN, link]);
    expect(made.status).toBe(0);
    writeFileSync(path.join(folder, 'note'), '');
    const { status, stdout } = spawnSync(link, ['--version'], { cwd: folder, encoding: 'utf8' });
    expect({ status, version: /^\d+\.\d+\.\d+/.test(stdout) }).toEqual({
      status: 0,
      version: true,
    });
  });
});
