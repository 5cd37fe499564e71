// The links between the documents lead somewhere, and no document is left out of them.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { at } from '../scripts/support/paths.mjs';
import { documents, textOf } from './docs-kit.ts';

interface Link {
  readonly from: string;
  readonly target: string;
}

/** The text of a document without its blocks of code, in which brackets are no links. */
const prose = (document: string): string =>
  textOf(document)
    .replace(/^ *(`{3,})[^]*?^ *\1 *$/gm, '')
    .replace(/<!--[^]*?-->/g, '')
    .replace(/`[^`\n]*`/g, (code) => (code.includes('](') ? '' : code));

const links: readonly Link[] = documents.flatMap((from) =>
  [...prose(from).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ from, target })),
);

const isOutside = (target: string): boolean => /^[a-z]+:/.test(target);

/** As GitHub makes them of headings: lower case, hyphens for spaces, no other marks. */
const anchorsOf = (document: string): string[] =>
  [...prose(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const inside = links
  .filter(({ target }) => !isOutside(target))
  .map(({ from, target }) => {
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? from : path.posix.join(path.posix.dirname(from), file);
    return { from, to, anchor };
  });

describe('the links of the documents', () => {
  it('lead to files that there are', () => {
    expect(inside.length).toBeGreaterThan(60);
    const missing = inside.filter(({ to }) => !existsSync(at(to)));
    expect(missing).toEqual([]);
  });

  it('lead to headings that there are', () => {
    const wrong = inside.filter(
      ({ to, anchor }) => anchor !== undefined && to.endsWith('.md') && !hasAnchor(to, anchor),
    );
    expect(wrong).toEqual([]);
  });

  it('are by https to places outside', () => {
    const outside = links.filter(({ target }) => isOutside(target));
    expect(outside.filter(({ target }) => !target.startsWith('https://'))).toEqual([]);
  });

  it('reach every document from the README', () => {
    const reached = new Set(['README.md']);
    for (const document of reached)
      for (const { from, to } of inside)
        if (from === document && (documents.includes(to) || existsSync(at(to, 'README.md'))))
          reached.add(documents.includes(to) ? to : `${to}/README.md`.replaceAll('//', '/'));
    expect(documents.filter((document) => !reached.has(document))).toEqual([]);
  });
});

function hasAnchor(document: string, anchor: string): boolean {
  return documents.includes(document) && anchorsOf(document).includes(anchor);
}
