import { stripVTControlCharacters, styleText } from 'node:util';
import type { WriteStream } from 'node:tty';
import { codeOf, messageOf } from '../kernel/index.mts';

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Colours for a terminal that has them, unless NO_COLOR is set. */
export function painter(stream: NodeJS.WriteStream): Paint {
  const colours = stream.isTTY && !process.env['NO_COLOR'] && (stream as WriteStream).hasColors();
  if (!colours) return (_style, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}

/** One line of a command's output, without what could move the cursor about. */
export function harmless(line: string): string {
  const shown = line.replace(/\r+$/, '');
  const text = stripVTControlCharacters(shown.slice(shown.lastIndexOf('\r') + 1));
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)}s`;
}

export function quoted(texts: readonly string[]): string {
  return texts.map((text) => `"${text.replaceAll('\n', ' ;; ')}"`).join(', ');
}

/** An error with its code, and what caused it. */
export function explained(error: unknown): string {
  const code = codeOf(error);
  const cause =
    error instanceof Error && error.cause !== undefined ? ` (${messageOf(error.cause)})` : '';
  return `${code === undefined ? '' : `${code}: `}${messageOf(error)}${cause}`;
}
