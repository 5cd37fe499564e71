// `tenure ops cancel`, `resolve` and `forget`: what they change, and what they leave as it is.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { journalOf, jsonOf, left, owner, printed, tenure } from './cli-kit.js';
import { DIGEST, openJournal, refusal, rowIn, temporary } from './operations-kit.js';

const ENDED = { bounds: { retain: 2 }, clock: () => Date.parse('2026-01-15') };

/** Five that ended, of which three were pruned, and one that waits. */
const ended = () =>
  journalOf((journal) => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) rowIn(journal, id, 'succeeded/accepted');
    rowIn(journal, 'other', 'failed/pending', 's');
    rowIn(journal, 'waits', 'queued/pending');
  }, ENDED);

describe('tenure ops cancel', () => {
  it('cancels at once what waits', async () => {
    const at = await journalOf((journal) => rowIn(journal, 'a', 'queued/pending'));
    expect(printed(['ops', 'cancel', 'a', '-j', at])).toBe('a is cancelled; it was not sent\n');
    expect((await openJournal(at)).status('a')).toMatchObject({
      state: 'cancelled',
      submission: 'pending',
    });
  });

  it('records the intent for what was sent, whose runner asks the backend', async () => {
    const sent = { submission: 'accepted', backendReference: 'r' };
    const at = await left([['a', { state: 'running', ...sent }]]);
    expect(jsonOf(['ops', 'cancel', 'a', '-j', at])).toMatchObject({
      scope: '',
      outcome: 'recorded',
      status: { state: 'interrupted', submission: 'accepted' },
    });
    expect((await openJournal(at)).cancelRequested('a')).toBe(true);
  });

  it('leaves what has ended as it is, which is no error', async () => {
    const at = await journalOf((journal) => rowIn(journal, 'a', 'succeeded/accepted'));
    expect(printed(['ops', 'cancel', 'a', '-j', at])).toBe('a has ended: succeeded\n');
    expect(jsonOf(['ops', 'cancel', 'a', '-j', at])).toMatchObject({ outcome: 'terminal' });
  });

  it('cancels in the scope that is meant', async () => {
    const at = await journalOf((journal) => {
      for (const scope of ['', 's']) rowIn(journal, 'a', 'queued/pending', scope);
    });
    expect(tenure(['ops', 'cancel', 'a', '-j', at]).code).toBe(2);
    printed(['ops', 'cancel', 'a', '--scope', 's', '-j', at]);
    const journal = await openJournal(at);
    expect(journal.status('a')?.state).toBe('queued');
    expect(journal.status('a', 's')?.state).toBe('cancelled');
  });

  it('prunes nothing of an owner whose bounds are larger than the usual ones', async () => {
    const at = await journalOf(
      async (journal) => {
        const ids = Array.from({ length: 1_200 }, (_, n) => `op-${n}`);
        await Promise.all(ids.map((id) => journal.reserve(id, DIGEST, {})));
        await Promise.all(ids.map((id) => journal.update(id, { state: 'failed' })));
        rowIn(journal, 'a', 'queued/pending');
      },
      { bounds: { retain: 5_000, maxQueued: 5_000 } },
    );
    printed(['ops', 'cancel', 'a', '-j', at]);
    const journal = await openJournal(at, { readOnly: true });
    expect(journal.stats().scopes).toMatchObject([{ failed: 1_200, cancelled: 1 }]);
  });
});

describe('tenure ops resolve', () => {
  const uncertain = () => left([['a', { state: 'running', submission: 'uncertain' }]]);

  it('closes what was interrupted as it is told, with a note', async () => {
    const at = await uncertain();
    const out = printed([
      'ops',
      'resolve',
      'a',
      '-j',
      at,
      '--as',
      'failed',
      '--note',
      'never came',
    ]);
    expect(out).toBe('a is resolved: failed\n');
    expect((await openJournal(at)).status('a')).toMatchObject({
      state: 'failed',
      error: 'never came',
      submission: 'uncertain',
    });
  });

  it('takes a result from the line or from a file', async () => {
    for (const given of ['{"n":1}', '@file']) {
      const at = await uncertain();
      const file = `${temporary()}/result.json`;
      writeFileSync(file, '{"n":1}');
      const result = given === '@file' ? `@${file}` : given;
      const args = ['ops', 'resolve', 'a', '-j', at, '--as', 'succeeded', '--result', result];
      expect(jsonOf(args)).toMatchObject({ state: 'succeeded', result: { n: 1 } });
    }
  });

  it('refuses what is not interrupted, and leaves it', async () => {
    const at = await journalOf((journal) => rowIn(journal, 'a', 'queued/pending'));
    const { code, err } = tenure(['ops', 'resolve', 'a', '-j', at, '--as', 'failed']);
    expect(code).toBe(1);
    expect(err).toContain('(ERR_OPERATION_TRANSITION)');
    expect((await openJournal(at)).status('a')?.state).toBe('queued');
  });

  it.each([
    [[]],
    [['--as', 'done']],
    [['--as', 'failed', '--result', '{}']],
    [['--as', 'succeeded', '--result', '[]']],
    [['--as', 'succeeded', '--result', 'no json']],
    [['--as', 'succeeded', '--result', '@/no/such/file']],
  ])('asks again when it is told %j, before it opens anything', async (args) => {
    const at = await uncertain();
    const before = readFileSync(at);
    const { code, out } = tenure(['ops', 'resolve', 'a', '-j', at, ...args]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(readFileSync(at).equals(before)).toBe(true);
  });
});

describe('tenure ops forget', () => {
  it('counts what it would forget, pruned operations included, and changes nothing', async () => {
    const at = await ended();
    const before = readFileSync(at);
    const dry = (...args: string[]) => jsonOf(['ops', 'forget', '-j', at, '--dry-run', ...args]);
    expect(dry('--before', '2026-01-16')).toEqual({
      scope: '',
      before: Date.parse('2026-01-16'),
      forgotten: 5,
      dryRun: true,
    });
    expect(dry('--before', '2026-01-15')).toMatchObject({ forgotten: 0 });
    expect(dry('--before', '2026-01-16', '--scope', 's')).toMatchObject({ forgotten: 1 });
    expect(readFileSync(at).equals(before)).toBe(true);
  });

  it('forgets exactly those, so that their ids are free again', async () => {
    const at = await ended();
    const out = printed(['ops', 'forget', '-j', at, '--before', '2026-01-15T00:00:01Z']);
    expect(out).toBe('5 operations are forgotten\n');
    const journal = await openJournal(at, { bounds: ENDED.bounds });
    expect(journal.stats().fence.used).toBe(2);
    expect(journal.reserveSync('a', DIGEST, {}).outcome).toBe('created');
    refusal('ERR_OPERATION_CONFLICT', () => journal.reserveSync('other', 'another', {}, 's'));
  });

  it('takes an age, too', async () => {
    const at = await ended();
    for (const age of ['100000000s', '1000000m', '20000h', '3000d'])
      expect(jsonOf(['ops', 'forget', '-j', at, '--dry-run', '--before', age])).toBeDefined();
    expect(jsonOf(['ops', 'forget', '-j', at, '--before', '1d'])).toMatchObject({ forgotten: 5 });
  });

  it.each(['', 'yesterday', '30', '2026', '2026-13-01', '-1d', '1w'])(
    'asks again what %j is to mean',
    async (time) => {
      const at = await ended();
      const { code, err } = tenure(['ops', 'forget', '-j', at, `--before=${time}`]);
      expect(code).toBe(2);
      expect(err).toMatch(/--before/);
    },
  );

  it('asks for the time, which has no default', async () => {
    expect(tenure(['ops', 'forget', '-j', await ended()]).code).toBe(2);
  });
});

describe('a command that changes something', () => {
  const CHANGES = [
    ['ops', 'cancel', 'a'],
    ['ops', 'resolve', 'a', '--as', 'failed'],
    ['ops', 'forget', '--before', '1d'],
    ['journal', 'compact'],
  ];

  it.each(CHANGES)('is refused while another process owns the journal: %s %s', async (...args) => {
    const at = `${temporary()}/jobs.journal`;
    const { pid } = await owner(at, [['a', { state: 'running' }]]);
    const { code, out, err } = tenure([...args, '-j', at]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain(
      process.platform === 'linux' ? `is open in process ${pid}.` : 'is open in another process.',
    );
  });

  it.each(CHANGES)('makes no journal of a name that was mistyped: %s %s', (...args) => {
    const at = `${temporary()}/jobs.journal`;
    const { code, err } = tenure([...args, '-j', at]);
    expect(code).toBe(5);
    expect(err).toContain(`There is no file ${at}.`);
    expect(existsSync(at)).toBe(false);
  });
});
