// The blocks of code in the documents, as programs. What the words after the language mean is told in
// CONTRIBUTING.md, under "Documents".
import { readdirSync, readFileSync } from 'node:fs';
import { at } from '../scripts/support/paths.mjs';

/** Every document that is read by people: at the root, in docs/, and beside the examples. */
export const documents: readonly string[] = ['.', 'docs', 'examples']
  .flatMap((folder) =>
    readdirSync(at(folder), { withFileTypes: true, recursive: folder === 'examples' })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  )
  .map((path) => path.slice(at('.').length).replaceAll('\\', '/').replace(/^\/+/, ''))
  .sort();

export const textOf = (document: string): string => readFileSync(at(document), 'utf8');

/** What is to be done with a block. */
export type Use = 'program' | 'continues' | 'types-only' | 'no-run' | 'output' | 'shown';

export interface Block {
  readonly document: string;
  /** Of its first line of code, from 0. */
  readonly line: number;
  readonly language: string;
  readonly use: Use;
  /** Why it is not run. */
  readonly reason: string;
  readonly lines: readonly string[];
  /** Lines of the comment above it that the program needs and the reader does not, with their places. */
  readonly setup: readonly (readonly [line: number, text: string])[];
}

const extensions: Readonly<Record<string, string>> = { ts: 'mts', js: 'mjs', cjs: 'cjs' };
/** In `console` stands a call with what it printed; `cli-command` asks whether the command takes it. */
const shown = ['text', 'json', 'jsonl', 'sh', 'console'];

function useOf(info: string): { use: Use; reason: string } | undefined {
  if (info === '') return { use: 'program', reason: '' };
  if (info === 'continues' || info === 'output') return { use: info, reason: '' };
  const [, use, reason] = /^(types-only|no-run): (\S.{7,})$/.exec(info) ?? [];
  return use && reason ? { use: use as Use, reason } : undefined;
}

/** The fenced blocks of a text, in order. Throws for one whose kind is not said as it must be. */
export function blocksOf(document: string, text: string): Block[] {
  const blocks: Block[] = [];
  let setup: (readonly [number, string])[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '<!-- setup') {
      setup = [];
      for (at += 1; at < lines.length && lines[at] !== '-->'; at += 1)
        setup.push([at, lines[at] ?? '']);
      continue;
    }
    const [, fence, language = '', info = ''] = /^ *(`{3,})(\w*) ?(.*)$/.exec(line) ?? [];
    if (fence === undefined) {
      if (line.trim() !== '') setup = [];
      continue;
    }
    const end = lines.findIndex((other, index) => index > at && other.trim() === fence);
    const where = `${document}:${at + 1}`;
    if (end < 0) throw new Error(`${where} is never closed`);
    const isCode = language in extensions || language === 'sh';
    const found = useOf(info);
    if (!found || (!isCode && !shown.includes(language)))
      throw new Error(`${where}: \`${language} ${info}\` says not what is to be done with it`);
    const { reason } = found;
    const use = isCode || found.use !== 'program' ? found.use : 'shown';
    if (use === 'output' && language !== 'text') throw new Error(`${where}: output is text`);
    blocks.push({
      ...{ document, line: at + 1, language, use, reason, setup },
      lines: lines.slice(at + 1, end),
    });
    setup = [];
    at = end;
  }
  return blocks;
}

export interface Program {
  /** `docs-errors.7.mts` */
  readonly file: string;
  readonly where: string;
  readonly runs: boolean;
  /** The text of the document with all but the program blanked, so that line numbers agree. */
  readonly source: string;
  /** What it prints, where the document shows that. */
  readonly output: string | undefined;
}

/** The programs of a document: each block with those that continue it, and the outputs shown of them. */
export function programsOf(blocks: readonly Block[]): Program[] {
  const chains: { code: Block[]; outputs: Block[] }[] = [];
  for (const block of blocks) {
    const isCode = block.language in extensions;
    const last = chains.at(-1);
    const where = `${block.document}:${block.line}`;
    if (block.use === 'output') {
      if (!last) throw new Error(`${where} is the output of nothing`);
      last.outputs.push(block);
    } else if (isCode && block.use === 'continues') {
      if (!last) throw new Error(`${where} continues nothing`);
      last.code.push(block);
    } else if (isCode && block.use !== 'no-run') chains.push({ code: [block], outputs: [] });
  }
  return chains.map(({ code, outputs }) => {
    const [first] = code as [Block];
    const source: string[] = [];
    const put = (line: number, text: string): void => {
      while (source.length < line) source.push('');
      source[line] = text;
    };
    for (const block of code) {
      for (const [line, text] of block.setup) put(line, text);
      for (const [index, text] of block.lines.entries()) put(block.line + index, text);
    }
    const name = first.document.replace(/\.md$/, '').replaceAll('/', '-');
    return {
      file: `${name}.${first.line}.${extensions[first.language]}`,
      where: `${first.document}:${first.line}`,
      runs: first.use === 'program',
      source: `${source.map((line) => line ?? '').join('\n')}\nexport {};\n`,
      output:
        outputs.length === 0 ? undefined : outputs.map(({ lines }) => lines.join('\n')).join('\n'),
    };
  });
}

/** What is shown as an expression: `…` stands for anything, alone on a line for any lines. */
export function expected(output: string): RegExp {
  const escaped = output.trimEnd().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const open = escaped.replace(/^ *…$/gm, '[^]*').replaceAll('…', '.*');
  return new RegExp(`^${open}$`);
}
