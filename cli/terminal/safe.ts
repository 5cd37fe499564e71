// Text of others on a terminal: what would move the cursor, ring or hide is written as an escape.

// Control characters, line and paragraph separators, what turns the direction of text, what cannot be seen.
const UNSAFE =
  /[\p{Cc}\p{Cs}\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One line that says what it says. */
export const safe = (text: string): string =>
  text.replace(UNSAFE, (found) => SHORT[found] ?? escape(found));

/** Lines that say what they say: as `safe`, but line feeds and tabs stay. */
export const safeLines = (text: string): string =>
  text.replace(UNSAFE, (found) => (found === '\n' || found === '\t' ? found : escape(found)));

/** The same JSON, without a character that a terminal would obey. */
export const safeJson = (text: string): string =>
  text.replace(UNSAFE, (found) => (found === '\n' ? found : escape(found)));

/** A value as one line of JSON. */
export const json = (value: unknown): string => safeJson(JSON.stringify(value));
