// What a payload is read as, and what is refused of it.
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { plain } from '../lib/operations/plain.ts';

class Refused extends Error {
  constructor(
    readonly path: string,
    readonly why: string,
  ) {
    super(`${path} ${why}`);
  }
}

const text = (value: unknown) => plain(value as object, (path, why) => new Refused(path, why));

function refusal(value: unknown): Refused {
  try {
    text(value);
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
  throw new Error('it was taken');
}

function nested(depth: number, lists = false): object {
  let value: object = {};
  for (let level = 2; level <= depth; level += 1)
    value = lists && level % 2 === 0 && level < depth ? [value] : { n: value };
  return value;
}

const inContext = (code: string): unknown => runInNewContext(code);

test('what JSON.stringify would change in silence is refused with its path', () => {
  const cases: Array<[unknown, string]> = [
    [{ a: [{ x: Number.NaN }] }, '/a/0/x'],
    [{ x: [-Infinity] }, '/x/0'],
    [{ x: Object(Number.NaN) as unknown }, '/x'],
    [{ f: () => 1 }, '/f'],
    [{ s: Symbol('s') }, '/s'],
    [{ s: Object(Symbol('s')) as unknown }, '/s'],
    [{ b: [1, 10n] }, '/b/1'],
    [{ b: Object(10n) as unknown }, '/b'],
    [{ l: [1, undefined] }, '/l/1'],
    // oxlint-disable-next-line no-sparse-arrays -- the hole is what is tested
    [{ l: [1, , 3] }, '/l/1'],
    [{ l: new Array(1e9) }, '/l/0'],
    [{ l: [() => 1] }, '/l/0'],
    [{ 'a/b~c': new Map() }, '/a~1b~0c'],
    [{ m: new (class extends Map {})() }, '/m'],
    [{ m: new Set([1]) }, '/m'],
    [{ m: new WeakMap() }, '/m'],
    [{ m: new WeakSet() }, '/m'],
    [{ p: Promise.resolve(1) }, '/p'],
    [{ r: /x/ }, '/r'],
    [{ e: new TypeError('x') }, '/e'],
    [{ e: new DOMException('x') }, '/e'],
    [{ t: new Uint8Array(2) }, '/t'],
    [{ t: new ArrayBuffer(2) }, '/t'],
    [{ t: new SharedArrayBuffer(2) }, '/t'],
    [{ t: new DataView(new ArrayBuffer(2)) }, '/t'],
    [{ t: { toJSON: () => Number.NaN } }, '/t'],
    [{ t: { toJSON: () => new Map() } }, '/t'],
    [{ t: { toJSON: () => Object(Number.NaN) as unknown } }, '/t'],
    [{ t: [{ toJSON: () => () => 1 }] }, '/t/0'],
    [{ t: [{ toJSON: () => undefined }] }, '/t/0'],
  ];
  for (const [value, path] of cases) expect(refusal(value).path).toBe(path);
});

test('a value from another context is told by what it is', () => {
  for (const [code, path] of [
    ['({ m: new Map() })', '/m'],
    ['({ a: [new Set()] })', '/a/0'],
    ['({ e: new RangeError("x") })', '/e'],
    ['({ r: /x/, p: 1 })', '/r'],
    ['({ p: Promise.resolve() })', '/p'],
    ['({ t: new Float64Array(1) })', '/t'],
    ['({ n: new Number(NaN) })', '/n'],
    ['(new Map())', ''],
    ['([])', ''],
  ] as const)
    expect(refusal(inContext(code)).path).toBe(path);
  const code =
    '({ a: [{ b: new Number(1), c: new String("x"), d: new Boolean(false) }], u: undefined })';
  expect(text(inContext(code))).toBe('{"a":[{"b":1,"c":"x","d":false}]}');
});

test('the outermost form has to be an object', () => {
  for (const value of [
    [1],
    new Date(0),
    new Map(),
    new Error('x'),
    new String('x'),
    new Number(1),
    () => 1,
    { toJSON: () => null },
    { toJSON: () => undefined },
    { toJSON: () => [1] },
  ])
    expect(refusal(value).path).toBe('');
  expect(text(Object.assign(() => 1, { toJSON: () => ({ a: 1 }) }))).toBe('{"a":1}');
});

test('a lone surrogate is refused in a string, and in a name with the path of the object', () => {
  for (const [value, path] of [
    [{ s: 'a\ud83d' }, '/s'],
    [{ s: ['\ude00b'] }, '/s/0'],
    [{ s: '\ude00\ud83d' }, '/s'],
    [{ o: [{ '\ud800': 1 }] }, '/o/0'],
    [{ '\udfff': 1 }, ''],
    [{ 'a/\\ud800': [{}, '\ud800'] }, '/a~1\\ud800/1'],
  ] as const)
    expect(refusal(value).path).toBe(path);
  const fine = { '\\ud800': 'C:\\users\\udo', s: '😀\ud83d\ude00\ud7ff\ue000' };
  expect(text(fine)).toBe(JSON.stringify(fine));
});

test('an object inside itself is refused where it comes up again, and side by side it is fine', () => {
  const cycle = { a: [{} as Record<string, unknown>] };
  cycle.a[0]!.back = cycle;
  expect(refusal(cycle).path).toBe('/a/0/back');
  const self: unknown[] = [];
  self.push(self);
  expect(refusal({ self }).path).toBe('/self/0');
  const back = { it: { toJSON: () => back } };
  expect(refusal(back).path).toBe('/it');
  const shared = { s: 1 };
  expect(text({ a: shared, b: [shared, shared] })).toBe('{"a":{"s":1},"b":[{"s":1},{"s":1}]}');
});

test('128 levels are taken and the next is refused, however many follow', () => {
  for (const lists of [false, true]) {
    const deepest = nested(128, lists);
    expect(text(deepest)).toBe(JSON.stringify(deepest));
    expect(refusal(nested(129, lists)).path.split('/')).toHaveLength(129);
  }
  expect(refusal(nested(10_000)).path).toBe('/n'.repeat(128));
  const growing = { toJSON: (): object => ({ n: growing }) };
  expect(refusal(growing).path).toBe('/n'.repeat(128));
});

test('everything else is read as JSON.stringify reads it', () => {
  class Money {
    amount = 5;
    get hidden() {
      return 1;
    }
  }
  for (const value of [
    {},
    { t: true, f: false, n: null, s: '', u: 'é😀\u2028\u0000\u001f\u007f"\\/\b\f\n\r\t' },
    { nested: { a: [[], {}, [[1]]] } },
    { gone: undefined, kept: 1 },
    { at: new Date(0), never: new Date(Number.NaN), url: new URL('https://example.org/x') },
    { m: new Money() },
    Object.assign(Object.create(null) as object, { a: 1 }),
    Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 2 } }),
    { n: new Number(1), s: new String('x'), b: new Boolean(false) },
    { n: Object.assign(new Number(1), { valueOf: () => 7 }) },
    { s: Object.assign(new String('x'), { toString: () => 'mine' }) },
    { b: Buffer.from('hi') },
    { m: Object.assign(new Map(), { toJSON: () => 'map' }) },
    { f: Object.assign(() => 1, { toJSON: () => 'function' }) },
    { undefined: { toJSON: () => undefined } },
    JSON.parse('{"__proto__":{"x":1},"constructor":2,"toString":3,"toJSON":4,"hasOwnProperty":5}'),
    { 10: 'a', 9: 'b', x: 'c', '-1': 'd', '01': 'e', '': 'f', 'a/b': 'g' },
    { [Symbol('s')]: 1, a: 1 },
    Object.freeze({ a: Object.freeze([1]) }),
    new Proxy({ a: [1], b: 2 }, {}),
    { list: new Proxy([1, 2], {}), map: new Proxy(new Map(), {}) },
    { list: new (class extends Array<number> {})(1, 2, 3) },
    { list: Object.assign([1], { more: 2 }) },
    { a: -0, b: 1e21, c: 5e-324, d: 2 ** 63, e: 1.7976931348623157e308, f: 0.1 },
    Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`member ${index}`, index])),
  ] as object[])
    expect(text(value)).toBe(JSON.stringify(value));
});

test('each is asked once, in order, and toJSON is told its name as a string', () => {
  const asked: string[] = [];
  const note = (what: string) => asked.push(what);
  const traced = (target: object, name: string): object =>
    new Proxy(target, {
      get: (of, key, receiver) => (note(`${name}.${String(key)}`), Reflect.get(of, key, receiver)),
      ownKeys: (of) => (note(`keys of ${name}`), Reflect.ownKeys(of)),
      getPrototypeOf: () => {
        throw new Error('nobody else asks for it');
      },
    });
  const value = {
    get a() {
      note('a');
      return { toJSON: (name: unknown) => (note(`toJSON(${JSON.stringify(name)})`), 1) };
    },
    list: [{ toJSON: (name: unknown) => (note(`toJSON(${JSON.stringify(name)})`), 2) }],
    p: traced({ x: 1 }, 'p'),
    q: traced([5], 'q'),
    toJSON: undefined,
  };
  expect(text(value)).toBe('{"a":1,"list":[2],"p":{"x":1},"q":[5]}');
  const once = asked.splice(0);
  JSON.stringify(value);
  expect(once).toStrictEqual(asked);
  expect(once.slice(0, 3)).toStrictEqual(['a', 'toJSON("a")', 'toJSON("0")']);
});

test('what changes while it is read is written as it was read', () => {
  const inner = { n: 1 as unknown };
  const value = {
    inner,
    get later() {
      inner.n = () => 1;
      delete (value as { last?: unknown }).last;
      return 2;
    },
    last: 3,
  };
  expect(text(value)).toBe('{"inner":{"n":1},"later":2}');
  const list: unknown[] = [{ toJSON: () => list.push('more') }];
  expect(text({ list })).toBe('{"list":[2]}');
});

test('what a getter, a toJSON or a proxy throws passes unchanged', () => {
  const failure = new RangeError('mine');
  const boom = () => {
    throw failure;
  };
  for (const value of [
    Object.defineProperty({}, 'x', { enumerable: true, get: boom }),
    { x: { toJSON: boom } },
    { x: Object.defineProperty({}, 'toJSON', { get: boom }) },
    { x: new Proxy({}, { ownKeys: boom }) },
    new Proxy({ a: 1 }, { get: boom }),
    { x: Object.assign(new Number(1), { valueOf: boom }) },
  ])
    expect(() => text(value)).toThrow(failure);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  expect(() => text({ x: proxy })).toThrow(TypeError);
  expect(() => text({ x: Object.assign(new Number(1), { valueOf: () => 1n }) })).toThrow(TypeError);
});

test('a reader may be asked from within a reading', () => {
  const value = {
    get x() {
      return text({ y: [{ z: 1 }] });
    },
    l: [{ a: Number.NaN }],
  };
  expect(refusal(value).path).toBe('/l/0/a');
});

afterEach(() => {
  for (const of of [Object, Array, BigInt]) delete (of.prototype as { toJSON?: unknown }).toJSON;
});

test('a toJSON that every array, object or bigint inherits is called as JSON.stringify calls it', () => {
  const patch = (of: object, toJSON: (this: unknown) => unknown) =>
    Object.defineProperty(of, 'toJSON', { configurable: true, value: toJSON });
  const value = { a: [1, [2]], o: { n: 1n } };
  patch(BigInt.prototype, function (this: unknown) {
    return `${this as bigint}`;
  });
  expect(text(value)).toBe(JSON.stringify(value));
  patch(Array.prototype, function (this: unknown) {
    return { list: (this as unknown[]).length };
  });
  expect(text(value)).toBe(JSON.stringify(value));
  let calls = 0;
  patch(Array.prototype, function (this: unknown) {
    calls += 1;
    return this;
  });
  expect(text(value)).toBe('{"a":[1,[2]],"o":{"n":"1"}}');
  expect(calls).toBe(2);
  patch(Object.prototype, function (this: unknown) {
    return { wrapped: Object.keys(this as object).length };
  });
  expect(text({ a: { b: 1 }, c: 2 })).toBe('{"wrapped":2}');
});

test('the text of any plain object is that of JSON.stringify', () => {
  const values = fc.object({
    withNullPrototype: true,
    withDate: true,
    withBoxedValues: true,
    values: [
      fc.string({ unit: 'binary' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ],
    key: fc.string({ unit: 'binary' }),
  });
  fc.assert(
    fc.property(values, (value) => {
      expect(text(value)).toBe(JSON.stringify(value));
    }),
  );
});
