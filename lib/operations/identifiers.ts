import { invalidArgument, invalidValue } from '../errors.js';

// The first settles nearly every name without the classes of Unicode.
const USUAL = /^[ -~]{1,128}$/;
const IDENTIFIER = /^[^\p{Cc}\p{Cs}]{1,128}$/u;
const LONE_SURROGATE = /\p{Cs}/u;

const EXPECTED = 'without control characters or lone surrogates';

/** Whether every surrogate is one half of a pair, so that the text has a form in UTF-8. */
export const isWellFormed = (text: string): boolean => !LONE_SURROGATE.test(text);

/** 1 to 128 Unicode scalar values, none of them a control character. */
export const isIdentifier = (text: string): boolean => USUAL.test(text) || IDENTIFIER.test(text);

/** What names an operation. */
export function identifier(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!isIdentifier(value)) throw invalidValue(name, `of 1 to 128 characters, ${EXPECTED}`);
  return value;
}

/** What names a scope: as an identifier, but it may be empty. */
export function scope(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (value !== '' && !isIdentifier(value))
    throw invalidValue(name, `of at most 128 characters, ${EXPECTED}`);
  return value;
}

/** A scope that may be left out: then it is the empty one. */
export const scopeOf = (value: unknown, name: string): string =>
  value === undefined ? '' : scope(value, name);
