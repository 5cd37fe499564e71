// `tenure timeline` as its users run it: over a real journal that is only read.
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyState, journalOf, jsonOf, printed, tenure } from './cli-kit.js';
import { temporary } from './operations-kit.js';

const digestOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const turnLine = (fields: object) => `${JSON.stringify({ type: 'turn', ...fields })}\n`;

describe('tenure timeline', () => {
  it('writes the operations of a journal as a page, says so, and leaves the journal as it is', async () => {
    const journal = await journalOf((journal) => everyState(journal));
    const before = digestOf(journal);
    const file = path.join(temporary(), 'page.html');
    const said = printed(['timeline', file, '--journal', journal]);
    expect(said).toMatch(/^Wrote .*page\.html: \d+ operations, 0 turns, \d+ KB\.\n$/);
    const page = readFileSync(file, 'utf8');
    for (const { operationId } of listed(journal)) expect(page).toContain(operationId);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(digestOf(journal)).toBe(before);
  });

  it('shows a scope alone, and turns beside operations', async () => {
    const journal = await journalOf((journal) => everyState(journal));
    const folder = temporary();
    const turns = path.join(folder, 'turns.jsonl');
    writeFileSync(
      turns,
      turnLine({
        turnId: 'turn-a',
        sessionId: 'main',
        queuedAt: 1,
        startedAt: 2,
        state: 'running',
      }) + 'no line\n',
    );
    const shownIn = (name: string, ...more: string[]) =>
      jsonOf(['timeline', path.join(folder, name), '-j', journal, '-t', turns, ...more]);
    const { operations, turns: shown, notes } = shownIn('both.html');
    expect([operations, shown]).toEqual([listed(journal).length, 1]);
    expect(notes).toEqual([expect.stringContaining('1 line could not be read')]);
    const alone = shownIn('one.html', '--scope', 'main');
    expect(alone).toMatchObject({ operations: 0, turns: 1 });
  });

  it('takes its journal from the environment, and writes its page anew', async () => {
    const env = { TENURE_JOURNAL: await journalOf((journal) => everyState(journal)) };
    const file = path.join(temporary(), 'page.html');
    printed(['timeline', file], { env });
    printed(['timeline', file], { env });
  });

  it('writes over nothing that is no page of its own, unless it is told to', async () => {
    const journal = await journalOf((journal) => everyState(journal));
    const before = digestOf(journal);
    const { code, out, err } = tenure(['timeline', journal, '--journal', journal]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('ERR_TIMELINE_EXISTS');
    expect(digestOf(journal)).toBe(before);
    const other = path.join(temporary(), 'notes.html');
    writeFileSync(other, 'mine');
    expect(tenure(['timeline', other, '-j', journal]).code).toBe(1);
    expect(readFileSync(other, 'utf8')).toBe('mine');
    printed(['timeline', other, '-j', journal, '--force']);
    expect(readFileSync(other, 'utf8')).toMatch(/^<!doctype html>/i);
  });

  it('that cannot read a journal says why, and writes no page', async () => {
    const folder = temporary();
    const file = path.join(folder, 'page.html');
    const missing = tenure(['timeline', file, '-j', path.join(folder, 'none')]);
    expect([missing.code, missing.out]).toEqual([5, '']);
    const damaged = path.join(folder, 'damaged');
    writeFileSync(damaged, 'x'.repeat(9_000));
    expect(tenure(['timeline', file, '-j', damaged]).code).toBe(4);
    expect(() => statSync(file)).toThrow();
  });

  it('is explained, and wrong words are told from it', () => {
    expect(printed(['timeline', '--help'])).toContain('Exit codes: 0 done');
    expect(printed(['help', 'timeline'])).toBe(printed(['timeline', '-h']));
    for (const args of [[], ['a.html'], ['a.html', 'b.html', '-j', 'c'], ['a.html', '--what']]) {
      const { code, err } = tenure(['timeline', ...args]);
      expect([args, code]).toEqual([args, 2]);
      expect(err).toContain('tenure timeline --help');
    }
  });
});

interface Listed {
  readonly operationId: string;
}

const listed = (journal: string): Listed[] =>
  printed(['ops', 'list', '--journal', journal, '--json'])
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Listed);
