// The small examples: each is run as its reader runs it, and shows what it promises.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { at } from '../scripts/support/paths.mjs';

const built = (name: string): string => at('dist', 'examples', 'small', `${name}.mjs`);
const names = readdirSync(at('examples', 'small')).flatMap((file) =>
  file.endsWith('.mts') ? [file.slice(0, -'.mts'.length)] : [],
);

function run(name: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [built(name), ...args], {
    ...{ encoding: 'utf8', timeout: 25_000 },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

beforeAll(() => {
  if (!existsSync(built('steering'))) throw new Error('the examples are not built: npm run build');
});

describe('the small examples', () => {
  it('are five, each named in their README and run here', () => {
    expect(names).toEqual([
      ...['admission', 'retryable-start', 'steering', 'stoppable-turn', 'watching-ui'],
    ]);
  });

  it('are told by the command that runs them, and another name is refused', () => {
    const list = spawnSync(process.execPath, [at('scripts', 'example.mjs')], { encoding: 'utf8' });
    expect(list.status).toBe(0);
    for (const name of names) expect(list.stdout).toContain(`${name}\n    `);
    const args = [at('scripts', 'example.mjs'), 'none'];
    const wrong = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect([wrong.status, wrong.stderr.trim()]).toEqual([1, 'There is no example "none".']);
  });
});

describe('a stoppable turn', () => {
  it('is stopped while it runs and while its backend is built, and the session is free again', () => {
    const shown = run('stoppable-turn');
    expect(shown).toContain('two stops were one: true');
    expect(shown).not.toContain('this is not printed');
    expect(shown).toContain('(told to stop)\n  it said nothing\n');
    expect(shown).toContain('it said "you asked: and now"');
    const [, said] = /it said "(.*)", and two/.exec(shown) ?? [];
    expect('you asked: why is the sky blue'.startsWith(said ?? '?')).toBe(true);
    expect(said?.split(' ').length).toBeLessThan(7);
    expect(shown).toContain('What is left: { sessions: 0, admissions: 0 }');
  });
});

describe('steering', () => {
  it('puts each text into the transcript once and in order, whatever a failing write has done', () => {
    const shown = run('steering');
    expect(shown).toContain('"use pnpm": the answer was lost, but it is there');
    expect(shown).toContain('"skip the tests": the disk is full, and it is not there');
    expect(shown).toContain(
      "The transcript: [ 'upgrade the dependencies', 'use pnpm', 'skip the tests' ]\n" +
        "Opens the next turn: [ 'then commit' ]\n" +
        'What is left: { sessions: 0, admissions: 0 }\n',
    );
  });
});

describe('admission', () => {
  it('lets a request and a compaction of one session never overlap, and other sessions be', () => {
    const shown = run('admission');
    const active = new Set<string>();
    for (const [, session = '', what] of shown.matchAll(/ of (\w+) (begins|ends|failed)/g)) {
      expect(active.has(session)).toBe(what !== 'begins');
      if (what === 'begins') active.add(session);
      else active.delete(session);
    }
    expect(active.size).toBe(0);
    expect(shown).toContain('compaction of main refused: a request is active there');
    expect(shown).toContain('request of main refused: a compaction is active there');
    expect(shown).toContain('The provider was called 5 times.\n');
  });
});

describe('a retryable start', () => {
  it('is killed once it is acknowledged and asked for again: there is one job', () => {
    const shown = run('retryable-start');
    if (process.platform !== 'win32') expect(shown).toContain('killed by SIGKILL');
    expect(shown).toContain('started again: queued, the one operation there is');
    expect(shown).toContain('another input under this id: ERR_OPERATION_CONFLICT');
    expect(shown).toContain('a plan that nobody made: ERR_PLAN_MISMATCH');
    expect(shown).toMatch(/Jobs at the farm: lighthouse-1\n$/);
  });
});

describe('a user interface that watches', () => {
  const ended = [
    'alpha  #################### succeeded',
    'beta   #################### succeeded',
    'gamma  ################.... failed out of paint',
    'delta  #################### succeeded',
    '3 succeeded, 1 failed',
  ];

  it('tells each change in a line where there is no terminal, each once', () => {
    const lines = run('watching-ui').trimEnd().split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    for (const line of ended) expect(lines).toContain(line);
  });

  it('redraws its rows in place on a terminal', () => {
    const screen: string[] = [];
    let row = 0;
    for (const piece of run('watching-ui', '--redraw').split(/(\u001b\[\d*[AK]|\n)/)) {
      const [, up] = /^\u001b\[(\d+)A$/.exec(piece) ?? [];
      if (up !== undefined) row -= Number(up);
      else if (piece === '\u001b[K') screen[row] = '';
      else if (piece === '\n') row += 1;
      else if (piece !== '') screen[row] = piece;
    }
    expect(screen).toEqual(ended);
  });
});
