// A table that is never wider than the terminal: wide columns give way first, then the least needed go.
import { fit, padded, widthOf } from './fit.js';
import type { Paint, Style } from './style.js';

export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly style?: (row: Row) => Style | undefined;
  readonly toTheRight?: boolean;
  /** It may shrink to so many columns; left out, it never does. */
  readonly least?: number;
  /** Lower ones go first where there is no room; left out, it never goes. */
  readonly rank?: number;
}

const GAP = 2;

const total = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);

/** The widths that fit, or undefined if not even the least do. */
function shrunk(
  natural: readonly number[],
  least: readonly number[],
  room: number,
): number[] | undefined {
  const widths = [...natural];
  let over = total(widths) - room;
  while (over > 0) {
    // The widest of those that may gives one column at a time, so that they end up alike.
    let widest = -1;
    for (const [at, width] of widths.entries()) {
      if (width <= (least[at] ?? width)) continue;
      if (widest < 0 || width > (widths[widest] ?? 0)) widest = at;
    }
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}

/** The lines of a table. Texts are safe already. */
export function table<Row>(
  given: readonly Column<Row>[],
  rows: readonly Row[],
  room: number,
  paint: Paint,
): string[] {
  let columns = [...given];
  const cells = new Map(given.map((column) => [column, rows.map((row) => column.text(row))]));
  const natural = (column: Column<Row>): number =>
    (cells.get(column) ?? []).reduce(
      (most, text) => Math.max(most, widthOf(text)),
      widthOf(column.title),
    );
  let widths: number[] | undefined;
  for (;;) {
    const wanted = columns.map(natural);
    const least = columns.map((column, at) => Math.min(column.least ?? Infinity, wanted[at] ?? 0));
    widths = Number.isFinite(room) ? shrunk(wanted, least, room) : wanted;
    if (widths !== undefined) break;
    const ranked = columns.filter(({ rank }) => rank !== undefined);
    if (ranked.length === 0) break;
    const next = ranked.reduce((low, each) => ((each.rank ?? 0) < (low.rank ?? 0) ? each : low));
    columns = columns.filter((column) => column !== next);
  }
  const of = widths ?? columns.map(natural);
  const line = (
    text: (column: Column<Row>) => string,
    style: (column: Column<Row>) => Style | undefined,
  ): string => {
    const parts = columns.map((column, at) => {
      const last = at === columns.length - 1 && column.toTheRight !== true;
      const width = of[at] ?? 0;
      return {
        text: last ? fit(text(column), width) : padded(text(column), width, column.toTheRight),
        style: style(column),
      };
    });
    // Where nothing fits the line is cut, before it is painted.
    if (widths === undefined)
      return fit(parts.map((part) => part.text).join(' '.repeat(GAP)), room);
    return parts
      .map((part) => (part.style === undefined ? part.text : paint(part.style, part.text)))
      .join(' '.repeat(GAP))
      .trimEnd();
  };
  return [
    line(
      (column) => column.title,
      () => 'bold',
    ),
    ...rows.map((row, at) =>
      line(
        (column) => cells.get(column)?.[at] ?? '',
        (column) => column.style?.(row),
      ),
    ),
  ];
}
