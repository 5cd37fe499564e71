// Text in columns of a terminal, where one character may take none, one or two of them.
import measure from 'fast-string-truncated-width';

const DOTS = '…';

export const widthOf = (text: string): number => measure(text).width;

/** At most so many columns; what is left out is marked. */
export function fit(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (!Number.isFinite(columns)) return text;
  const { truncated, index } = measure(text, { limit: columns, ellipsis: DOTS });
  return truncated ? `${text.slice(0, index)}${DOTS}` : text;
}

/** Exactly so many columns. */
export function padded(text: string, columns: number, toTheRight = false): string {
  const fitting = fit(text, columns);
  const space = ' '.repeat(Math.max(0, columns - widthOf(fitting)));
  return toTheRight ? space + fitting : fitting + space;
}

/** How many columns a table may take; as many as it wants where nobody looks at it. */
export function columnsOf(stream: { readonly columns?: number }, env: NodeJS.ProcessEnv): number {
  const asked = Number(env['COLUMNS']);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return stream.columns !== undefined && stream.columns > 0 ? stream.columns : Infinity;
}
