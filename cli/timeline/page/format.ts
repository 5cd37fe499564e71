/**
 * Text of others made harmless to the eye: what is invisible, or would turn the direction of its
 * neighbours, is shown by its number.
 */
export function legible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export const scopeName = (scope: string): string => (scope === '' ? '(no name)' : legible(scope));

const locale = undefined;
const date = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', day: 'numeric' });
const clock = new Intl.DateTimeFormat(locale, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' });

/** `1 Dec 2026, 05:12:33.120` in the reader's zone. */
export function fullTime(time: number): string {
  return `${date.format(time)}, ${clock.format(time)}.${milliseconds(time)}`;
}

export const utcTime = (time: number): string => new Date(time).toISOString();

export const dayOf = (time: number): string => date.format(time);
export const clockOf = (time: number): string => clock.format(time);
export const minuteOf = (time: number): string => clock.format(time).slice(0, 5);

export const milliseconds = (time: number): string =>
  String(Math.floor(((time % 1000) + 1000) % 1000)).padStart(3, '0');

/** The reader's zone, as `GMT+2`. */
export const zoneName = (time: number): string =>
  zone.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';

const steps = [
  { unit: 'd', ms: 86_400_000 },
  { unit: 'h', ms: 3_600_000 },
  { unit: 'min', ms: 60_000 },
  { unit: 's', ms: 1000 },
] as const;

/** `340 ms`, `4.2 s`, `3 min 07 s`: the two units that matter. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000) * 1000;
  const at = steps.findIndex((step) => whole >= step.ms);
  const large = steps[at];
  const small = steps[at + 1];
  if (large === undefined || small === undefined) return `${Math.round(ms / 1000)} s`;
  const rest = Math.floor((whole % large.ms) / small.ms);
  const much = `${Math.floor(whole / large.ms)} ${large.unit}`;
  return rest === 0 ? much : `${much} ${String(rest).padStart(2, '0')} ${small.unit}`;
}

export const counted = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString()} ${n === 1 ? one : many}`;
