// Payloads and results: plain JSON in and out, through memory and disk, within their bounds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputDigest, type OperationJournal } from '../index.js';
import {
  bytesOf,
  canonical,
  digestOf,
  membersOf,
  plainObject,
} from './fixtures/operations/canonical.js';
import {
  DIGEST,
  inMemory,
  newPath,
  openJournal,
  refusal,
  rejection,
  reopened,
  rowIn,
} from './operations-kit.js';

/** So many objects, or objects and lists in turn, around one another. */
function nested(depth: number, lists = false): object {
  let value: unknown = {};
  for (let level = 2; level < depth; level += 1)
    value = lists && level % 2 === 0 ? [value] : { n: value };
  return depth === 1 ? {} : { n: value };
}

const inside = (): object => {
  const outer: Record<string, unknown> = {};
  outer['a'] = [{ back: outer }];
  return outer;
};

/** What JSON.stringify would change in silence, or not finish, with the path of it. */
const REFUSED: [what: string, make: () => object, path: string][] = [
  ['NaN', () => ({ a: [{ x: NaN }] }), '/a/0/x'],
  ['Infinity', () => ({ x: Infinity }), '/x'],
  ['a bigint', () => ({ b: [1, 10n] }), '/b/1'],
  ['a function', () => ({ f: () => 1 }), '/f'],
  ['a symbol', () => ({ s: Symbol('s') }), '/s'],
  ['undefined in an array', () => ({ l: [1, undefined] }), '/l/1'],
  ['a Map', () => ({ 'a/b~c': new Map() }), '/a~1b~0c'],
  ['a Set', () => ({ s: new Set([1]) }), '/s'],
  ['a promise', () => ({ p: Promise.resolve(1) }), '/p'],
  ['a regular expression', () => ({ r: /x/ }), '/r'],
  ['an error', () => ({ e: new TypeError('x') }), '/e'],
  ['bytes', () => ({ t: new Uint8Array(2) }), '/t'],
  ['a lone surrogate', () => ({ s: ['a\ud83d'] }), '/s/0'],
  ['a lone surrogate in a name', () => ({ o: { '\ud800': 1 } }), '/o'],
  ['an object inside itself', inside, '/a/0/back'],
  ['129 levels', () => nested(129), '/n'.repeat(128)],
  ['10 000 levels', () => nested(10_000), '/n'.repeat(128)],
  ['toJSON to NaN', () => ({ t: { toJSON: () => NaN } }), '/t'],
  ['an array', () => [1], ''],
  ['a date', () => new Date(0), ''],
  ['a Map itself', () => new Map(), ''],
  ['toJSON to nothing', () => ({ toJSON: () => undefined }), ''],
];

describe('what is no plain JSON', () => {
  it.each(REFUSED)(
    'is refused with its path, and nothing is recorded: %s',
    async (_, make, path) => {
      const journal = inMemory();
      const before = rowIn(journal, 'r', 'running/accepted', 's');
      const input = { path, operationId: 'a', scope: 's' };
      refusal('ERR_INPUT_REFUSED', () => journal.reserveSync('a', DIGEST, make(), 's'), input);
      await rejection('ERR_INPUT_REFUSED', () => journal.reserve('a', DIGEST, make(), 's'), input);
      refusal('ERR_INPUT_REFUSED', () => inputDigest('s', make()), { path });
      const result = { path: `/result${path}`, operationId: 'r', scope: 's' };
      const patch = () => ({ state: 'succeeded', result: make() }) as const;
      refusal('ERR_RESULT_REFUSED', () => journal.updateSync('r', patch(), 's'), result);
      await rejection('ERR_RESULT_REFUSED', () => journal.update('r', patch(), 's'), result);
      expect([journal.status('a', 's'), journal.stats().fence.used]).toEqual([null, 1]);
      expect(journal.status('r', 's')).toEqual(before);
    },
  );
});

class Amount {
  readonly euros: number;
  constructor(euros: number) {
    this.euros = euros;
  }
  get cents() {
    return this.euros * 100;
  }
}

const shared = { s: 1 };

/** What is read as JSON.stringify reads it. */
const TAKEN: Record<string, object> = {
  primitives: { t: true, f: false, n: null, e: '', s: 'é😀\u2028\u0000\u001f"\\/', l: [[], {}] },
  undefined: { gone: undefined, kept: 1 },
  dates: { at: new Date(0), never: new Date(NaN) },
  toJSON: { a: { toJSON: (key: string) => ({ key }) }, l: [{ toJSON: (key: string) => key }] },
  'of a class': { m: new Amount(5) },
  'no prototype': Object.assign(Object.create(null), { a: 1 }),
  inherited: Object.create({ i: 1 }, { own: { value: 1, enumerable: true }, not: { value: 2 } }),
  boxed: { n: Object(1), s: Object('x'), b: Object(false) },
  'twice side by side': { a: shared, b: [shared, shared] },
  'a Buffer, which has a toJSON': { b: Buffer.from('hi') },
  'a Map with a toJSON': { m: Object.assign(new Map(), { toJSON: () => 'map' }) },
  ['__proto__']: membersOf([
    ['__proto__', { x: 1 }],
    ['constructor', 2],
  ]),
  'integer-like names': { 10: 'a', 9: 'b', x: 'c', '-1': 'd', '01': 'e' },
  'awkward names': { 'a/b': 1, '~': 2, '': 3, '😀': 4, '\n': 5, toJSON: 6 },
  symbols: { [Symbol('s')]: 1, a: 1 },
  '127 levels': nested(127),
  '128 levels': nested(128),
  '128 levels of objects and lists': nested(128, true),
  frozen: Object.freeze({ a: Object.freeze([1]) }),
  'a proxy': new Proxy({ a: [1] }, {}),
  'a toJSON of the whole': { toJSON: () => ({ whole: true }) },
};

describe('plain JSON', () => {
  it('comes back as JSON.stringify has it, as payload, input and result, from memory and from disk', async () => {
    const at = newPath();
    const written = Object.entries(TAKEN).map(
      ([name, value]) => [name, JSON.stringify(value)] as const,
    );
    const check = (journal: OperationJournal) => {
      for (const [name, text] of written) {
        const row = journal.status(name);
        for (const value of [journal.payload(name), row?.result]) {
          expect(value, name).toEqual(JSON.parse(text));
          // Own members only, and all of them.
          expect(JSON.stringify(value).length, name).toBe(text.length);
        }
        const digest = digestOf('', canonical(JSON.parse(text)));
        expect(inputDigest('', journal.payload(name)!), name).toBe(digest);
      }
      expect(Object.keys(journal.payload('__proto__')!)).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(journal.payload('__proto__'))).toBe(Object.prototype);
    };
    let journal = await openJournal(at);
    for (const [name, value] of Object.entries(TAKEN)) {
      journal.reserveSync(name, DIGEST, value);
      journal.updateSync(name, { state: 'interrupted', result: value });
    }
    check(journal);
    journal = await reopened(journal, at);
    check(journal);
    expect(await journal.verify()).toEqual({ ok: true, problems: [] });
  });

  it('of any form comes back, and has the digest that it had', async () => {
    const at = newPath();
    const values: object[] = [];
    let journal = await openJournal(at, { durability: 'eventual' });
    fc.assert(
      fc.property(plainObject, (value) => {
        const { status } = journal.reserveSync(`${values.length}`, DIGEST, value);
        expect(canonical(status.input)).toBe(canonical(value));
        values.push(value);
      }),
      { numRuns: 300 },
    );
    journal = await reopened(journal, at);
    for (const [index, value] of values.entries())
      expect(canonical(journal.payload(`${index}`))).toBe(canonical(value));
  });
});

describe('numbers', () => {
  const NUMBERS = [
    ...[0, 1, -1, 17, 2 ** 31, 2 ** 32 + 1, 1_790_000_000_000, 2 ** 53 - 1, -(2 ** 53 - 1)],
    ...[2 ** 53, 2 ** 53 + 2, 2 ** 60, 2 ** 64, 1e21, 1e23, 1e300, 0.1, 1 / 3, 5e-324, -2.5],
    ...[1.7976931348623157e308, 1e-7, 123456789.125, 9.999999999999997e22],
  ];

  it('keep their value and their type through memory and disk', async () => {
    const at = newPath();
    const check = (journal: OperationJournal) => {
      const row = journal.status('a')!;
      for (const value of [journal.payload('a'), row.input, row.result]) {
        const found = value!['numbers'] as number[];
        expect(found.map((number) => typeof number)).toEqual(NUMBERS.map(() => 'number'));
        expect(found.filter((number, index) => !Object.is(number, NUMBERS[index]))).toEqual([]);
      }
      expect(inputDigest('', journal.payload('a')!)).toBe(inputDigest('', { numbers: NUMBERS }));
    };
    let journal = await openJournal(at);
    journal.reserveSync('a', DIGEST, { numbers: NUMBERS });
    journal.updateSync('a', { state: 'interrupted', result: { numbers: NUMBERS } });
    check(journal);
    journal = await reopened(journal, at);
    check(journal);
  });

  it('-0 is 0', () => {
    const { status } = inMemory().reserveSync('a', DIGEST, { z: -0 });
    expect(Object.is(status.input!['z'], 0)).toBe(true);
  });

  it('times of thirteen digits, progress and offsets are numbers, also from disk', async () => {
    const at = newPath();
    const clock = () => 1_790_000_000_123;
    let journal = await openJournal(at, { clock });
    rowIn(journal, 'a', 'running/accepted');
    journal.updateSync('a', { state: 'succeeded', progress: 5e-324 });
    journal = await reopened(journal, at);
    expect(journal.status('a')).toMatchObject({
      submittedAt: 1_790_000_000_123,
      finishedAt: 1_790_000_000_123,
      progress: 5e-324,
    });
    expect(journal.startedAt('a')).toBe(1_790_000_000_123);
  });
});

describe('the size of a value', () => {
  // "é" takes 2 bytes, "\n" is written as 2, "\u0001" as 6, 1e21 as 5.
  const filler = (more: number) => ({ a: 'é\n\u0001', n: 1e21, z: 'x'.repeat(more) });
  const least = bytesOf(canonical(filler(0)));

  it.each([0, 1, 50])(
    'is that of its canonical JSON: the limit is taken, one more is refused',
    async (room) => {
      const limit = least + room;
      const journal = inMemory({ inputBytes: limit, resultBytes: limit });
      const before = rowIn(inMemory(), 'r', 'running/accepted');
      const [fits, over] = [filler(room), filler(room + 1)];
      expect(journal.reserveSync('a', DIGEST, fits).outcome).toBe('created');
      journal.reserveSync('r', DIGEST, {});
      journal.updateSync('r', {
        state: 'running',
        submission: 'accepted',
        backendReference: 'ref-r',
      });
      const fields = { limit, actual: limit + 1, scope: '' };
      const input = { ...fields, path: '', operationId: 'b' };
      refusal('ERR_INPUT_REFUSED', () => journal.reserveSync('b', DIGEST, over), input);
      await rejection('ERR_INPUT_REFUSED', () => journal.reserve('b', DIGEST, over), input);
      const result = { ...fields, path: '/result', operationId: 'r' };
      const patch = { state: 'succeeded', result: over } as const;
      refusal('ERR_RESULT_REFUSED', () => journal.updateSync('r', patch), result);
      expect([journal.status('b'), journal.status('r')?.state]).toEqual([null, before.state]);
      expect(journal.updateSync('r', { ...patch, result: fits }).result).toEqual(fits);
    },
  );

  it('does not count how it was written: spaces, escapes and the order of members do not matter', () => {
    const journal = inMemory({ inputBytes: 11 });
    // {"a":"\u00e9"} written out is longer than 10 bytes.
    const value = JSON.parse('{ "a" : "\\u00e9" }') as object;
    expect(journal.reserveSync('a', DIGEST, value).outcome).toBe('created');
    expect(bytesOf(canonical(value))).toBe(10);
  });

  it('decides whether a status carries the input: beside the result, within inputEchoBytes', async () => {
    const at = newPath();
    let journal = await openJournal(at, { bounds: { inputEchoBytes: 40 } });
    const input = { t: 'é'.repeat(6) };
    expect(bytesOf(canonical(input))).toBe(20);
    expect(journal.reserveSync('a', DIGEST, input).status.input).toEqual(input);
    const update = (result: object | null) => journal.updateSync('a', { state: 'running', result });
    expect(update(input).input).toEqual(input);
    expect(update({ t: `${input.t}x` }).input).toBe(null);
    expect(journal.payload('a')).toEqual(input);
    expect(update(null).input).toEqual(input);
    update({ t: `${input.t}x` });
    journal = await reopened(journal, at, { bounds: { inputEchoBytes: 0 } });
    expect([journal.status('a')?.input, journal.payload('a')]).toEqual([null, input]);
    expect(journal.reserveSync('b', DIGEST, {}).status.input).toBe(null);
  });

  it('of many megabytes is refused at once, or kept whole', async () => {
    const at = newPath();
    const bounds = { inputBytes: 5_000_000, resultBytes: 5_000_000 };
    let journal = await openJournal(at, { bounds });
    const text = 'é'.repeat(2_000_000);
    await journal.reserve('large', DIGEST, { text });
    await rejection('ERR_INPUT_REFUSED', () =>
      journal.reserve('more', DIGEST, { text: text + text }),
    );
    await journal.update('large', { state: 'running', result: { text } });
    journal = await reopened(journal, at, { bounds });
    expect((journal.payload('large')?.['text'] as string) === text).toBe(true);
    expect((journal.status('large')?.result?.['text'] as string) === text).toBe(true);
    expect(journal.page().operations).toHaveLength(1);
  });
});
