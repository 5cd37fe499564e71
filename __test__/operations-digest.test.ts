// inputDigest: a fixed function of scope and payload, whoever computes it.
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputDigest } from '../index.js';
import {
  canonical,
  digestOf,
  double,
  membersOf,
  plainObject,
  turned,
} from './fixtures/operations/canonical.js';
import { refusal } from './operations-kit.js';

/** RFC 8785, appendix B: the bits of a number, and how it is written. */
const NUMBERS: [bits: string, text: string][] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

describe('inputDigest', () => {
  // The digests are those of sha256sum over the bytes, put together in a shell.
  it.each<[string, object, string]>([
    ['', {}, '9293134d2f3453708cb9b5f1264504d96eb154dee855f5d511a0a96b12393c11'],
    ['s', { b: 2, a: 1 }, 'b6422de4975e3060e214bbcb49525e5d423aa49333b439e8fc4c3326d9f9d12e'],
    [
      'é',
      { '😀': [null, true, -0, 1e21, 'ü\n'] },
      '6665eaab38d46aa894894d35e3fb58e9d45a0b73b202b47243b7026c12daa0c9',
    ],
  ])('is fixed for a scope and a payload: %j %j', (scope, payload, digest) => {
    expect(inputDigest(scope, payload)).toBe(digest);
  });

  it.each(NUMBERS)('writes the number %s as RFC 8785 publishes it: %s', (bits, text) => {
    expect(inputDigest('', { n: double(bits) })).toBe(digestOf('', `{"n":${text}}`));
  });

  it('refuses the two of the appendix that are none', () => {
    for (const bits of ['7fffffffffffffff', '7ff0000000000000'])
      refusal('ERR_INPUT_REFUSED', () => inputDigest('', { n: double(bits) }), { path: '/n' });
  });

  it('gives the published form of the samples of RFC 8785', () => {
    const sample =
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],' +
      '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
    const written =
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}';
    expect(inputDigest('s', JSON.parse(sample) as object)).toBe(digestOf('s', written));
    const sorted =
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"O With Diaeresis",' +
      '"€":"Euro Sign","😀":"Grinning Face","\ufb33":"Dalet With Dagesh"}';
    const names = Object.entries(JSON.parse(sorted) as object).reverse();
    expect(inputDigest('', membersOf(names))).toBe(digestOf('', sorted));
  });

  it('is what two independent implementations give, whatever the value and the order of its members', () => {
    const scope = fc.constantFrom('', 'scope', 'é😀', '{}', 'a'.repeat(128));
    fc.assert(
      fc.property(scope, plainObject, (scope, value) => {
        const due = digestOf(scope, canonical(value));
        expect(inputDigest(scope, value)).toBe(due);
        expect(canonicalize(value)).toBe(canonical(value));
        expect(inputDigest(scope, turned(value) as object)).toBe(due);
        expect(inputDigest(scope, JSON.parse(JSON.stringify(value)) as object)).toBe(due);
      }),
      { numRuns: 3_000 },
    );
  });

  it('tells pairs apart, however the bytes are cut', () => {
    const payloads = [
      ...[{}, { a: 1 }, { a: '1' }, { a: null }, { a: [] }, { a: {} }, { A: 1 }, { a: 1, b: 2 }],
      ...[{ a: [1, 2] }, { a: [2, 1] }, { é: 1 }, { 'e\u0301': 1 }, { a: true }, { a: 'true' }],
    ];
    const scopes = ['', '{', '{}', '{"a":1}', 'a', 'aa', '{}{}'];
    const digests = scopes.flatMap((scope) => payloads.map((each) => inputDigest(scope, each)));
    expect(new Set(digests).size).toBe(digests.length);
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each<[string, object, object, boolean]>([
    ['another order of members', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
    ['1 and 1.0', { n: 1 }, JSON.parse('{"n":1.0}') as object, true],
    ['-0 and 0', { n: -0 }, { n: 0 }, true],
    ['undefined and left out', { a: 1, u: undefined }, { a: 1 }, true],
    ['null and left out', { a: 1, u: null }, { a: 1 }, false],
    ['composed and decomposed', { s: 'é' }, { s: 'e\u0301' }, false],
    ['a number and its text', { n: 1 }, { n: '1' }, false],
    ['integer-like names in any order', { 10: 'a', 9: 'b' }, { 9: 'b', 10: 'a' }, true],
    ['another order of items', { l: [1, 2] }, { l: [2, 1] }, false],
  ])('has a verdict on %s', (_, one, other, same) => {
    expect(inputDigest('s', one) === inputDigest('s', other)).toBe(same);
  });

  it('is not bounded in the size of the payload', () => {
    const large = { text: 'é'.repeat(1_000_000) };
    expect(inputDigest('', large)).toBe(digestOf('', canonical(large)));
  });
});
