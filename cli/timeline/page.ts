import { createHash } from 'node:crypto';
import { markup, script, style } from 'virtual:timeline-page';
import type { TimelineData } from './data.js';

/** What every page begins with, and by which one is known again. */
export const beginning = '<!doctype html>\n<!-- tenure timeline -->\n';

/** The whole text of a page: one file that asks for nothing else. */
export function page(data: TimelineData): string {
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    // Text goes in as text: what would parse it as HTML throws.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  return `${beginning}<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>tenure timeline</title>
<style>${style}</style>
</head>
<body>
${markup}
<script type="application/json" id="data">${embedded(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

const digest = (text: string): string =>
  `sha256-${createHash('sha256').update(text).digest('base64')}`;

const escapes = /[<>&\u2028\u2029]/g;

/** JSON that ends no script, opens no comment and is text in any position. */
function embedded(value: unknown): string {
  return JSON.stringify(value).replace(
    escapes,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
