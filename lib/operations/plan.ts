import { plain } from './plain.js';
import type { JsonObject, OperationPlan } from './values.js';

const SUMMARY_LENGTH = 512;

const wrong = (what: string): TypeError => new TypeError(`A plan ${what}`);

function estimate(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || (value as number) < 0)
    throw wrong(`has a value for ${name} that is no whole number of at least 0`);
  return value as number;
}

/**
 * The plan that a draft comes to, with the digest of the input that is to start. Throws for what is no
 * draft of one.
 */
export function planOf(
  draft: unknown,
  planned: string,
  digestOf: (text: string) => string,
): OperationPlan {
  if (typeof draft !== 'object' || draft === null) throw wrong('is an object');
  const { planDigest, summary, estimatedSeconds, estimatedCostMicrounits, expiresAt, input } =
    draft as { readonly [name: string]: unknown };
  const fits =
    typeof summary === 'string' &&
    summary !== '' &&
    summary.isWellFormed() &&
    [...summary].length <= SUMMARY_LENGTH;
  if (!fits) throw wrong(`has a summary of 1 to ${SUMMARY_LENGTH} characters`);
  if (!Number.isSafeInteger(expiresAt) || (expiresAt as number) < 0)
    throw wrong('has a time at which it expires');
  const chosen = input === undefined || input === null ? undefined : chosenOf(input);
  const digest = digestOf(chosen === undefined ? planned : JSON.stringify(chosen.rest));
  for (const given of [planDigest, chosen?.planDigest])
    if (given !== undefined && given !== digest) throw wrong('has the digest of its input');
  return {
    planDigest: digest,
    summary,
    estimatedSeconds: estimate(estimatedSeconds, 'estimatedSeconds'),
    estimatedCostMicrounits: estimate(estimatedCostMicrounits, 'estimatedCostMicrounits'),
    expiresAt: expiresAt as number,
    input: chosen === undefined ? null : { ...chosen.rest, planDigest: digest },
  };
}

function chosenOf(input: unknown): { planDigest: unknown; rest: JsonObject } {
  if (typeof input !== 'object') throw wrong('has an input that is an object');
  const text = plain(input as object, (path, why) => wrong(`has a value at ${path} that ${why}`));
  const { planDigest, ...rest } = JSON.parse(text) as JsonObject;
  return { planDigest, rest };
}
