// What names an operation or a scope.
import { expect, test } from 'vitest';
import { identifier, isWellFormed, scope, scopeOf } from '../lib/operations/identifiers.ts';

test('an identifier has 1 to 128 scalar values, no control characters and no lone surrogates', () => {
  const longest = '😀'.repeat(128);
  for (const good of [
    'x',
    longest,
    'é'.repeat(128),
    'x'.repeat(128),
    ' ',
    'a/b',
    '..',
    '\u2028',
    '\ufeff',
  ])
    for (const of of [identifier, scope, scopeOf]) expect(of(good, 'it')).toBe(good);
  const control = [
    ...Array.from({ length: 0x20 }, (_, code) => code),
    ...Array.from({ length: 0x21 }, (_, code) => 0x7f + code),
  ];
  for (const bad of [
    `${longest}x`,
    'x'.repeat(129),
    '\ud800',
    'x\udc00y',
    '\ude00\ud83d',
    ...control.map((code) => `a${String.fromCharCode(code)}`),
  ])
    for (const of of [identifier, scope, scopeOf])
      expect(() => of(bad, 'it')).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }),
      );
});

test('only a scope may be empty, and only scopeOf may be left one out', () => {
  expect(() => identifier('', 'it')).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }),
  );
  expect([scope('', 'it'), scopeOf('', 'it'), scopeOf(undefined, 'it')]).toStrictEqual([
    '',
    '',
    '',
  ]);
  for (const bad of [undefined, null, 5, {}, new String('x')])
    for (const of of [identifier, scope, ...(bad === undefined ? [] : [scopeOf])])
      expect(() => of(bad, 'it')).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }),
      );
});

test('a text is well-formed unless a surrogate stands alone', () => {
  for (const good of ['', 'a', '😀', '\ud83d\ude00']) expect(isWellFormed(good)).toBe(true);
  for (const bad of ['\ud83d', '\ude00', '\ude00\ud83d', 'a\ud83d\ud83d\ude00'])
    expect(isWellFormed(bad)).toBe(false);
});
