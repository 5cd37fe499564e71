// How many sequences, and from which seed: FC_RUNS and FC_SEED override both.
const DEFAULT_RUNS = 10_000;

export interface Parameters {
  readonly numRuns: number;
  readonly seed: number;
}

/** `share`: of all the runs, those of one property. */
export function parameters(share: number): Parameters {
  const { FC_RUNS, FC_SEED } = process.env;
  const numRuns = Math.max(1, Math.round(Number(FC_RUNS ?? DEFAULT_RUNS) * share));
  const seed = FC_SEED === undefined ? Math.trunc(Math.random() * 2 ** 31) : Number(FC_SEED);
  process.stdout.write(
    `property: ${numRuns} sequences from seed ${seed} (FC_SEED=${seed} repeats them)\n`,
  );
  return { numRuns, seed };
}
