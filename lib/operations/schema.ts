import binding from '../binding.js';
import { accepted } from './answers.js';
import { schemaText } from './functions.js';

const unused = new FinalizationRegistry<number>((schema) => {
  binding.schemaDrop(schema);
});

/** What is wrong with a value: where, and what. */
export interface Violation {
  readonly path: string;
  readonly message: string;
}

/** A JSON Schema, compiled. */
export class CompiledSchema {
  readonly number: number;

  /** `ERR_SCHEMA_INVALID`. */
  constructor(schema: unknown, name: string) {
    this.number = accepted(binding.schemaCompile(schemaText(schema, name))) as number;
    unused.register(this, this.number);
  }

  judge(text: string): Violation | undefined {
    const violation = accepted(binding.schemaJudge(this.number, text));
    return violation === undefined ? undefined : (JSON.parse(violation) as Violation);
  }
}
