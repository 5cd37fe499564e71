// A journal as text: everything that is recorded comes out, and a journal made of it is the same one.
import { existsSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OperationJournal } from '../index.js';
import {
  DIGEST,
  OTHER_DIGEST,
  STATES,
  handClock,
  inMemory,
  newPath,
  openJournal,
  refusal,
  rejection,
  rowIn,
} from './operations-kit.js';

async function textOf(journal: OperationJournal, scope?: string): Promise<string> {
  const lines: string[] = [];
  for await (const more of OperationJournal.export(journal, scope === undefined ? {} : { scope }))
    lines.push(more);
  return lines.join('');
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const BOUNDS = { retain: 4 };

/** Rows of every state in two scopes, pruned and forgotten ones, intents, odd values and odd names. */
async function full(at?: string): Promise<OperationJournal> {
  const clock = handClock(1_000);
  const options = { bounds: BOUNDS, clock: () => (clock.now += 7) };
  const journal =
    at === undefined ? inMemory(BOUNDS, options.clock) : await openJournal(at, options);
  for (const scope of ['', 'é "scope"\\']) {
    for (const id of ['p1', 'p2', 'p3']) rowIn(journal, id, 'succeeded/accepted', scope);
    for (const state of STATES)
      for (const submission of ['pending', 'uncertain', 'accepted'])
        if (!(state === 'queued' && submission === 'uncertain'))
          rowIn(journal, `${state}-${submission}`, `${state}/${submission}`, scope);
    rowIn(journal, 'refused', 'failed/refused', scope);
  }
  journal.requestCancelSync('running-accepted');
  journal.reserveSync('odd', OTHER_DIGEST, {
    z: 'line\nbreak \u2028 and "quotes"',
    a: [1e21, 0.1, -5e-324, null, true, { ['__proto__']: { deep: '😀' } }],
  });
  journal.updateSync('odd', {
    state: 'running',
    progress: 1 / 3,
    stage: '😀'.repeat(64),
    result: { b: 1, a: { c: [] } },
  });
  journal.reserveSync('forgotten', DIGEST, {});
  const { updatedAt } = journal.updateSync('forgotten', { state: 'cancelled' });
  journal.forgetSync({ finishedBefore: updatedAt + 1, scope: 'nothing' });
  return journal;
}

const imported = async (text: string | Iterable<string>): Promise<OperationJournal> => {
  const at = newPath();
  await OperationJournal.import(at, text);
  return openJournal(at, { readOnly: true, bounds: BOUNDS });
};

describe('an export', () => {
  it('comes back byte for byte from the journal that was made of it, which is sound', async () => {
    const text = await textOf(await full());
    const copy = await imported(text);
    expect(await copy.verify()).toEqual({ ok: true, problems: [] });
    expect(await textOf(copy)).toBe(text);
    expect(linesOf(text).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['journal', 'operation', 'left', 'retired', 'end']),
    );
  });

  it('keeps every fact that a journal tells of its operations', async () => {
    const journal = await full();
    const copy = await imported(await textOf(journal));
    for (const { scope } of journal.stats().scopes) {
      for (const { operationId: id } of journal.page(scope).operations) {
        const [mine, theirs] = [journal.status(id, scope), copy.status(id, scope)];
        // What was not observed since a journal was opened may be out of date.
        expect({ ...theirs, stale: mine?.stale }).toEqual(mine);
        expect(copy.payload(id, scope)).toEqual(journal.payload(id, scope));
        expect(copy.startedAt(id, scope)).toBe(journal.startedAt(id, scope));
        expect(copy.cancelRequested(id, scope)).toBe(journal.cancelRequested(id, scope));
      }
    }
    expect(copy.stats().fence).toEqual(journal.stats().fence);
  });

  it('revives no id: what the fence held it holds, and what was forgotten is free', async () => {
    const journal = await full();
    await journal.drainRetired();
    journal.forgetSync({ finishedBefore: 1_030 });
    const at = newPath();
    await OperationJournal.import(at, await textOf(journal));
    const copy = await openJournal(at, { bounds: BOUNDS });
    for (const each of [journal, copy]) {
      const outcome = (id: string, digest = DIGEST): string => {
        try {
          return each.reserveSync(id, digest, { of: id }).outcome;
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      expect(outcome('p2')).toBe('ERR_OPERATION_RETIRED');
      expect(outcome('p2', OTHER_DIGEST)).toBe('ERR_OPERATION_CONFLICT');
      expect(outcome('running-accepted')).toBe('existing');
      expect(outcome('queued-pending', OTHER_DIGEST)).toBe('ERR_OPERATION_CONFLICT');
      expect(outcome('p1')).toBe('created');
      expect(outcome('never')).toBe('created');
    }
  });

  it('hands on what drainRetired would have given, in its order', async () => {
    const journal = await full();
    const at = newPath();
    await OperationJournal.import(at, await textOf(journal));
    const copy = await openJournal(at, { bounds: BOUNDS });
    expect(await copy.drainRetired()).toEqual(await journal.drainRetired());
  });

  it('of one scope holds that scope alone', async () => {
    const text = await textOf(await full(), '');
    expect(new Set(linesOf(text).map(({ scope }) => scope))).toEqual(new Set([undefined, '']));
    const copy = await imported(text);
    expect(copy.stats().scopes.map(({ scope }) => scope)).toEqual(['']);
    expect(await copy.verify()).toEqual({ ok: true, problems: [] });
  });

  it('is of one moment, whatever is written while it is read', async () => {
    const journal = inMemory({ retain: 2_000 });
    const payload = { text: 'x'.repeat(2_000) };
    for (let n = 0; n < 1_000; n += 1) journal.reserveSync(`op-${n}`, DIGEST, payload);
    const exporting = OperationJournal.export(journal);
    let text = (await exporting.next()).value as string;
    for (let n = 0; n < 1_000; n += 1) journal.updateSync(`op-${n}`, { state: 'cancelled' });
    journal.forgetSync({ finishedBefore: Number.MAX_SAFE_INTEGER });
    for await (const more of exporting) text += more;
    const rows = linesOf(text).filter(({ type }) => type === 'operation');
    expect(rows.length).toBe(1_000);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['queued']));
    expect((await imported(text)).stats().fence.used).toBe(1_000);
  });

  it('ends when its reader has enough, and is no more once the journal is closed', async () => {
    const at = newPath();
    const journal = await full(at);
    for await (const some of OperationJournal.export(journal)) {
      expect(some.length).toBeGreaterThan(0);
      break;
    }
    const exporting = OperationJournal.export(journal);
    await journal.close();
    await rejection('ERR_CLOSED', () => exporting.next());
    expect(await exporting.next()).toEqual({ value: undefined, done: true });
    refusal('ERR_CLOSED', () => OperationJournal.export(journal));
    await openJournal(at);
  });

  it('refuses a scope that is none', () => {
    const journal = inMemory();
    for (const none of [undefined, {}, Object.create(OperationJournal.prototype)])
      refusal('ERR_INVALID_ARG_TYPE', () => OperationJournal.export(none as never));
    refusal('ERR_INVALID_ARG_TYPE', () => OperationJournal.export(journal, { scope: 5 as never }));
    refusal('ERR_INVALID_ARG_TYPE', () => OperationJournal.export(journal, 5 as never));
    refusal('ERR_INVALID_ARG_VALUE', () => OperationJournal.export(journal, { scope: 'a\u0000' }));
  });
});

describe('an import', () => {
  it('takes the text in any pieces, cut inside characters too, and with other line ends', async () => {
    const text = await textOf(await full());
    const units = Array.from({ length: text.length }, (_, at) => text[at] as string);
    expect(await textOf(await imported(units))).toBe(text);
    expect(await textOf(await imported(text.replaceAll('\n', '\r\n')))).toBe(text);
    async function* later() {
      yield text.slice(0, 1_001);
      yield '';
      yield text.slice(1_001).trimEnd();
    }
    const at = newPath();
    await OperationJournal.import(at, later());
    expect(await textOf(await openJournal(at, { readOnly: true }))).toBe(text);
  });

  it('writes over nothing', async () => {
    const at = newPath();
    const journal = await openJournal(at);
    const text = await textOf(journal);
    await rejection('ERR_BACKUP_EXISTS', () => OperationJournal.import(at, text), { path: at });
    expect(journal.reserveSync('a', DIGEST, {}).outcome).toBe('created');
  });

  const HEAD = '{"type":"journal","format":1,"nextRow":9,"nextEnded":9,"nextRetired":9}';
  const row = (more: object) =>
    JSON.stringify({
      type: 'operation',
      row: 1,
      scope: '',
      operationId: 'a',
      inputDigest: 'd',
      state: 'queued',
      submission: 'pending',
      submittedAt: 1,
      updatedAt: 2,
      input: {},
      ...more,
    });
  const left = (more: object) =>
    JSON.stringify({
      type: 'left',
      row: 2,
      scope: '',
      operationId: 'b',
      inputDigest: 'd',
      finishedAt: 1,
      ...more,
    });
  const gone = (more: object) =>
    JSON.stringify({ type: 'retired', number: 1, scope: '', operationId: 'b', ...more });
  const end = (operations: number, left: number, retired: number) =>
    JSON.stringify({ type: 'end', operations, left, retired, damaged: 0 });

  const sound = [HEAD, row({}), left({}), gone({}), end(1, 1, 1)];

  it('takes what the following refusals differ from', async () => {
    expect(await textOf(await imported(`${sound.join('\n')}\n`))).toBe(`${sound.join('\n')}\n`);
  });

  const FAULTS: Record<string, [line: number, lines: string[]]> = {
    'nothing at all': [1, []],
    'no head': [1, [row({}), end(1, 0, 0)]],
    'two heads': [2, [HEAD, HEAD, end(0, 0, 0)]],
    'no end': [3, [HEAD, row({})]],
    'a line after the end': [3, [HEAD, end(0, 0, 0), row({})]],
    'an end that counts otherwise': [3, [HEAD, row({}), end(2, 0, 0)]],
    'a line cut off': [2, [HEAD, row({}).slice(0, 40)]],
    'an empty line': [2, [HEAD, '', end(0, 0, 0)]],
    'a line of another type': [2, [HEAD, '{"type":"other"}', end(0, 0, 0)]],
    'a line that is no object': [2, [HEAD, '[]', end(0, 0, 0)]],
    'a member that is not known': [2, [HEAD, row({ more: 1 }), end(1, 0, 0)]],
    'a member that is missing': [2, [HEAD, row({ updatedAt: undefined }), end(1, 0, 0)]],
    'a row before one before it': [3, [HEAD, row({ row: 2 }), row({ operationId: 'b' })]],
    'a row that is to be given next': [2, [HEAD, row({ row: 9 }), end(1, 0, 0)]],
    'an operation twice': [3, [HEAD, row({}), row({ row: 2 })]],
    'an operation in and out of the history': [3, [HEAD, row({}), left({ operationId: 'a' })]],
    'a row that two operations have': [3, [HEAD, row({}), left({ row: 1 })]],
    'one that left after the pairs': [3, [HEAD, gone({}), left({})]],
    'a pair that is in the history': [3, [HEAD, row({}), gone({ operationId: 'a' })]],
    'a pair twice': [4, [HEAD, left({}), gone({}), gone({})]],
    'an id that is none': [2, [HEAD, row({ operationId: 'a\u0007' }), end(1, 0, 0)]],
    'a scope that is none': [2, [HEAD, left({ scope: 'x'.repeat(129) }), end(0, 1, 0)]],
    'a digest without a time': [2, [HEAD, left({ finishedAt: null }), end(0, 1, 0)]],
    'a state that is none': [2, [HEAD, row({ state: 'done' }), end(1, 0, 0)]],
    'an accepted row without a reference': [2, [HEAD, row({ submission: 'accepted' })]],
    'a reference that nobody accepted': [2, [HEAD, row({ backendReference: 'r' })]],
    'a refused row that did not fail': [2, [HEAD, row({ submission: 'refused' })]],
    'an end without a place in the order': [2, [HEAD, row({ state: 'failed' })]],
    'a place in the order without an end': [2, [HEAD, row({ ended: 1 })]],
    'a place in the order twice': [
      3,
      [HEAD, row({ state: 'failed', ended: 1 }), row({ row: 2, state: 'failed', ended: 1 })],
    ],
    'a place that is to be given next': [2, [HEAD, row({ state: 'failed', ended: 9 })]],
    'an intent of what has ended': [
      2,
      [HEAD, row({ state: 'failed', ended: 1, cancelRequested: true })],
    ],
    'a progress past 1': [2, [HEAD, row({ progress: 1.5 })]],
    'a stage that is too long': [2, [HEAD, row({ stage: 'x'.repeat(65) })]],
    'an error that is too long': [2, [HEAD, row({ error: 'x'.repeat(257) })]],
    'times that go back': [2, [HEAD, row({ updatedAt: 0 })]],
    'a time that is no integer': [2, [HEAD, row({ submittedAt: 0.5 })]],
    'a time past what a double holds': [2, [HEAD, row({ updatedAt: 2 ** 60 })]],
    'an input that is no object': [2, [HEAD, row({ input: [] })]],
    'an input too deep': [
      2,
      [HEAD, row({}).replace('"input":{}', `"input":{"a":${'['.repeat(128)}${']'.repeat(128)}}`)],
    ],
    'a lone surrogate': [2, [HEAD, row({ stage: 'x' }).replace('"x"', '"\\ud800"')]],
  };

  it.each(Object.entries(FAULTS))(
    'refuses %s, by its line, and leaves nothing',
    async (_, fault) => {
      const [line, lines] = fault;
      const at = newPath();
      const text = lines.map((each) => `${each}\n`).join('');
      const error = await rejection(
        'ERR_JOURNAL_CORRUPT',
        () => OperationJournal.import(at, text),
        {
          path: at,
        },
      );
      expect(error.message).toMatch(new RegExp(`^Line ${line} of the export: `));
      expect(readdirSync(dirname(at))).toEqual([]);
    },
  );

  it('refuses a later format by its number, whatever else the head holds', async () => {
    const at = newPath();
    const text = '{"type":"journal","format":2,"more":1}\n';
    await rejection('ERR_JOURNAL_VERSION', () => OperationJournal.import(at, text));
    expect(existsSync(at)).toBe(false);
  });

  it('leaves nothing when its text fails, is no text, or its place is none', async () => {
    const at = newPath();
    const broken = new Error('broken');
    function* failing() {
      yield `${HEAD}\n`;
      throw broken;
    }
    await expect(OperationJournal.import(at, failing())).rejects.toBe(broken);
    for (const wrong of [undefined, null, 5, {}])
      await rejection('ERR_INVALID_ARG_TYPE', () => OperationJournal.import(at, wrong as never));
    const pieces = [HEAD, 5] as never;
    await rejection('ERR_INVALID_ARG_TYPE', () => OperationJournal.import(at, pieces));
    await rejection('ERR_INVALID_ARG_VALUE', () => OperationJournal.import(at, 'a\ud800b'));
    await rejection('ERR_INVALID_ARG_VALUE', () => OperationJournal.import(at, 'a\ud800'));
    await rejection('ERR_INVALID_ARG_TYPE', () => OperationJournal.import('', HEAD));
    await rejection('ERR_JOURNAL_IO', () => OperationJournal.import(`${at}/in/none`, HEAD));
    expect(readdirSync(dirname(at))).toEqual([]);
  });
});
