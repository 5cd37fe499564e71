import binding from '../binding.js';
import { object, string } from '../arguments.js';
import { TenureError, invalidArgument, invalidValue } from '../errors.js';
import { accepted } from './answers.js';
import { identifier, scopeOf } from './identifiers.js';
import { plain } from './plain.js';
import { inputText } from './reading.js';
import type { JsonObject, JsonSchema, JsonValue, PlainInput } from './values.js';

/**
 * One text for an operation of a scope, to be used as a key elsewhere. Injective over all pairs of
 * identifiers: no two pairs ever meet in one key. `ERR_INVALID_ARG_TYPE`; `ERR_INVALID_ARG_VALUE` for
 * what is no identifier. Seed 2.
 */
export function journalKey(scope: string, operationId: string): string {
  const of = scopeOf(string(scope, 'scope'), 'scope');
  return accepted(binding.journalKey(of, identifier(operationId, 'operationId')));
}

/**
 * Lower-case hex SHA-256 over: the number of bytes of `scope` as a 64-bit big-endian integer, those bytes
 * (UTF-8), the number of bytes of the canonical (RFC 8785) `payload` likewise, those bytes.
 * `ERR_INPUT_REFUSED` unless `payload` is plain JSON; its size is not bounded here. Seed 2.
 */
export function inputDigest(scope: string, payload: PlainInput): string {
  const of = scopeOf(string(scope, 'scope'), 'scope');
  return accepted(binding.inputDigest(of, inputText(payload, 'payload')));
}

/** What a descriptor is made of. */
export interface DescriptorOptions {
  /** An identifier. */
  readonly id: string;
  /** Non-empty. */
  readonly version: string;
  /** Shown to whoever chooses among operations. */
  readonly title: string;
  /** What the operation does, for whoever has never heard of it. */
  readonly description: string;
  /** Of the input of a start. */
  readonly inputSchema: JsonSchema;
  /** Of the result of a succeeded operation. */
  readonly resultSchema: JsonSchema;
}

/** A JSON Schema of draft 2020-12, valid against its meta-schema, that describes an `OperationCall`. */
export interface OperationDescriptor {
  /** Always this draft. */
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  /** A URN without percent signs or `~`, distinct for distinct (id, version). */
  readonly $id: string;
  /** As given. */
  readonly title: string;
  /** As given. */
  readonly description: string;
  /**
   * The caller's schemas, each a schema resource of its own (it has an `$id`), so that references such
   * as `#/$defs/x` inside them still mean what they meant.
   */
  readonly $defs: { readonly input: JsonSchema; readonly result: JsonSchema } & JsonObject;
  readonly [keyword: string]: JsonValue;
}

/** The JSON text of a schema: an object or a boolean. `ERR_SCHEMA_INVALID` unless plain JSON. */
export function schemaText(value: unknown, name: string): string {
  if (typeof value === 'boolean') return String(value);
  return plain(
    object(value, name) as object,
    (path, why) =>
      new TenureError('ERR_SCHEMA_INVALID', `The value at ${path || '/'} of ${name} ${why}`, {
        path,
      }),
  );
}

/** A string that Rust can hold. */
function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw invalidArgument(name, 'a string');
  if (!value.isWellFormed()) throw invalidValue(name, 'well-formed');
  return JSON.stringify(value);
}

/**
 * The public descriptor of an operation. It accepts exactly the calls that `dispatch` does not answer
 * with `ERR_CALL_SHAPE` or, for the input, by the schema with `ERR_INPUT_REFUSED`; the input of a `start`
 * may carry a `planDigest` even where `inputSchema` admits no further members. `ERR_SCHEMA_INVALID`;
 * `ERR_INVALID_ARG_VALUE` for an `id` that is no identifier or an empty `version`. Seed 2.
 */
export function operationDescriptor(options: DescriptorOptions): OperationDescriptor {
  const given = object(options as unknown, 'options') as { readonly [name: string]: unknown };
  const { id, version, title, description, inputSchema, resultSchema } = given;
  const members = [
    `"id":${text(identifier(id, 'options.id'), 'options.id')}`,
    `"version":${text(version, 'options.version')}`,
    `"title":${text(title, 'options.title')}`,
    `"description":${text(description, 'options.description')}`,
    `"inputSchema":${schemaText(inputSchema, 'options.inputSchema')}`,
    `"resultSchema":${schemaText(resultSchema, 'options.resultSchema')}`,
  ];
  if (version === '') throw invalidValue('options.version', 'a non-empty string');
  return JSON.parse(
    accepted(binding.operationDescriptor(`{${members.join()}}`)),
  ) as OperationDescriptor;
}
