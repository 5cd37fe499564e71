import { TenureError } from '../errors.js';
import { isIdentifier } from './identifiers.js';

/** A call with exactly the fields of its verb, each read once. */
export type Call =
  | { readonly op: 'start'; readonly operationId: string; readonly input: object }
  | { readonly op: 'status' | 'cancel'; readonly operationId: string }
  | { readonly op: 'list'; readonly offset: number }
  | { readonly op: 'log'; readonly operationId: string; readonly offset: number }
  | { readonly op: 'plan'; readonly input: object };

/** Which fields a verb takes; those without a question mark it needs. */
const FIELDS: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  start: ['operationId', 'input'],
  status: ['operationId'],
  list: ['offset?'],
  log: ['operationId', 'offset?'],
  cancel: ['operationId'],
  plan: ['input'],
});

/** A JSON Pointer to a member of the outermost object. */
export const pointer = (name: string): string =>
  `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const misshapen = (path: string, what: string): TenureError =>
  new TenureError('ERR_CALL_SHAPE', `The call ${what}`, { path });

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  operationId: (value) => typeof value === 'string' && isIdentifier(value),
  input: (value) => typeof value === 'object' && !Array.isArray(value),
  offset: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

/** Reads a call: `ERR_CALL_SHAPE`, with the path of what is wrong. */
export function callOf(value: unknown): Call {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw misshapen('', 'is no object');
  const given = new Map<string, unknown>();
  for (const name of Object.keys(value)) {
    const member = (value as { readonly [name: string]: unknown })[name];
    if (member !== undefined) given.set(name, member);
  }
  const op = given.get('op');
  const fields = typeof op === 'string' ? FIELDS[op] : undefined;
  if (fields === undefined) throw misshapen('/op', 'has no verb of the contract');
  for (const [name, member] of given) {
    if (name === 'op') continue;
    const fits = FITS[name];
    const isOf = fields.includes(name) || fields.includes(`${name}?`);
    // Null is the same as left out, of the fields that there are.
    if (fits !== undefined && member === null) given.delete(name);
    else if (!isOf) throw misshapen(pointer(name), `has a field that ${String(op)} does not take`);
    else if (fits?.(member) !== true) throw misshapen(pointer(name), 'has a value of a wrong type');
  }
  for (const field of fields)
    if (!field.endsWith('?') && !given.has(field))
      throw misshapen(pointer(field), `lacks a field that ${String(op)} needs`);
  return { offset: 0, ...Object.fromEntries(given) } as unknown as Call;
}
