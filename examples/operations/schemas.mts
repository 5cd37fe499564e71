import type { JsonSchema } from 'tenure';

/** What a command is run with, and for whom. */
export interface CommandInput {
  readonly command: string;
  readonly cwd: string;
  /** The run that the command is a step of. */
  readonly runId?: string;
}

export const inputSchema: JsonSchema = {
  type: 'object',
  properties: {
    command: { type: 'string', minLength: 1 },
    cwd: { type: 'string', minLength: 1 },
    runId: { type: 'string' },
  },
  required: ['command', 'cwd'],
  additionalProperties: false,
};

export const resultSchema: JsonSchema = {
  type: 'object',
  properties: {
    code: { type: ['integer', 'null'] },
    signal: { type: ['string', 'null'] },
  },
  required: ['code', 'signal'],
  additionalProperties: false,
};
