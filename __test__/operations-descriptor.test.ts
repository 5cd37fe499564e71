// The public descriptor of an operation: a JSON Schema of its calls.
import Ajv from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { operationDescriptor, type DescriptorOptions, type JsonSchema } from '../index.js';
import { ADMITTED, INPUT_SCHEMA, MISSHAPEN, UNFIT } from './fixtures/operations/service.js';
import { DIGEST, refusal } from './operations-kit.js';

const RESULT_SCHEMA = {
  type: 'object',
  properties: { url: { $ref: '#/$defs/text' } },
  required: ['url'],
  $defs: { text: { type: 'string', minLength: 1 } },
};
const OPTIONS: DescriptorOptions = {
  id: 'render video',
  version: '1.2.0',
  title: 'Render',
  description: 'Renders a video',
  inputSchema: INPUT_SCHEMA,
  resultSchema: RESULT_SCHEMA,
};
const described = (more: object = {}) => operationDescriptor({ ...OPTIONS, ...more });
const JUDGE = { strict: false, allErrors: true };

describe('a descriptor', () => {
  it('is plain JSON that names what it describes, and embeds both schemas', () => {
    const descriptor = described();
    expect(descriptor).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Render',
      description: 'Renders a video',
      $defs: {
        input: { properties: INPUT_SCHEMA.properties },
        result: { required: ['url'], $id: expect.any(String) },
      },
    });
    expect(JSON.parse(JSON.stringify(descriptor))).toEqual(descriptor);
    expect(described()).toEqual(descriptor);
  });

  it('is a copy: who changes it changes nothing else', () => {
    const descriptor = described();
    Object.assign(descriptor.$defs.input as object, { properties: {} });
    expect(INPUT_SCHEMA.properties.n).toEqual({ $ref: '#/$defs/count' });
    expect(described().$defs.input).toMatchObject({ properties: INPUT_SCHEMA.properties });
  });

  it('has an id of its own for each id and version, whatever they hold', () => {
    const names: [id: string, version: string][] = [
      ...([
        ['a', 'b:1'],
        ['a:b', '1'],
        ['a', 'b%3A1'],
        ['a%3Ab', '1'],
      ] as [string, string][]),
      ...([
        ['render video', '1.2.0'],
        ['render video', '1.2.1'],
      ] as [string, string][]),
      ...([
        ['é', '1'],
        ['e\u0301', '1'],
        ["é/'()*!~", '1'],
        ['😀', '1'],
      ] as [string, string][]),
      ...([
        ['a', '\u0000'],
        ['a', ' '],
        ['A', '1'],
        ['a', '1'],
      ] as [string, string][]),
    ];
    const ids = names.map(([id, version]) => described({ id, version }).$id);
    expect(new Set(ids).size).toBe(names.length);
    for (const id of ids) expect(id).toMatch(/^urn:[a-z0-9][a-z0-9-]*:[\x21-\x24\x26-\x7d]+$/);
  });

  it.each<[string, object]>([
    ['as it is', {}],
    ['with a schema that admits everything', { inputSchema: true }],
    ['with a schema that admits nothing', { resultSchema: false }],
    [
      'with a schema that has an $id',
      { inputSchema: { ...INPUT_SCHEMA, $id: 'https://a.example/i' } },
    ],
    [
      'with a schema that names its draft',
      { resultSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
    ],
    ['with an awkward name', { id: "é/'()*!~ %", version: '#?&' }],
  ])('is valid against the meta-schema, and compiles: %s', (_, more) => {
    const ajv = new Ajv(JUDGE);
    const descriptor = described(more);
    expect([ajv.validateSchema(descriptor), ajv.errors]).toEqual([true, null]);
    ajv.compile(descriptor);
  });

  it('admits exactly the calls that a service does not refuse by their shape or input', () => {
    const judge = new Ajv(JUDGE).compile(described());
    for (const call of ADMITTED) expect(judge(call), JSON.stringify(call)).toBe(true);
    for (const [call] of MISSHAPEN) {
      if (call === undefined) continue;
      expect(judge(call), JSON.stringify(call)).toBe(false);
    }
    for (const [input] of [...UNFIT, [{ n: 1, more: 1 }]] as const) {
      expect(judge({ op: 'start', operationId: 'a', input })).toBe(false);
      expect(judge({ op: 'plan', input })).toBe(false);
    }
    const planned = { op: 'start', operationId: 'a', input: { n: 1, planDigest: DIGEST } };
    expect(judge(planned)).toBe(true);
  });

  it('keeps the meaning of references inside the schemas that it embeds', () => {
    const ajv = new Ajv(JUDGE);
    const descriptor = described();
    ajv.addSchema(descriptor);
    const judge = ajv.compile({ $ref: `${descriptor.$id}#/$defs/result` });
    expect([{ url: 'x' }, { url: '' }, {}].map((result) => judge(result))).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('operationDescriptor', () => {
  it('needs every part', () => {
    for (const name of Object.keys(OPTIONS))
      for (const wrong of [undefined, null, 5])
        refusal('ERR_INVALID_ARG_TYPE', () => described({ [name]: wrong }));
    for (const id of ['', 'a\n', 'x'.repeat(129)])
      refusal('ERR_INVALID_ARG_VALUE', () => described({ id }));
    refusal('ERR_INVALID_ARG_VALUE', () => described({ version: '' }));
  });

  it.each<[string, JsonSchema]>([
    ['a type that there is not', { type: 'objekt' }],
    ['a type that is no text', { type: 5 }],
    ['properties that are a list', { properties: [] }],
    ['a text for what is required', { required: 'n' }],
    ['a limit that is no number', { properties: { n: { minimum: 'x' } } }],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }],
  ])('takes no schema with %s', (_, wrong) => {
    for (const name of ['inputSchema', 'resultSchema'])
      refusal('ERR_SCHEMA_INVALID', () => described({ [name]: wrong }), {
        path: expect.any(String),
      });
  });

  it('takes no schema that is no plain JSON', () => {
    for (const wrong of [{ const: NaN }, { default: () => {} }, { enum: [10n] }])
      refusal('ERR_SCHEMA_INVALID', () => described({ inputSchema: wrong }));
  });
});
