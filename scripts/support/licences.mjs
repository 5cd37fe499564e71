import { readFileSync, writeFileSync } from 'node:fs';
import { at } from './paths.mjs';
import { run, StepFailed } from './steps.mjs';

const page = at('docs', 'licences.md');
const begin = '<!-- crates:start -->';
const end = '<!-- crates:end -->';

/** The crates inside the published binaries, on whatever platform, as rows of a table. */
async function crates() {
  const args = [
    ...['tree', '--locked', '--edges', 'normal,no-proc-macro', '--target', 'all'],
    ...['--prefix', 'none', '--no-dedupe', '--format', '{p}|{l}'],
  ];
  const { output } = await run('cargo', args);
  const lines = output.split('\n').flatMap((line) => {
    const [, name, version, licence] = /^(\S+) v(\S+)[^|]*\|(.+)$/.exec(line) ?? [];
    return name && name !== 'tenure' ? [`| ${name} | ${version} | ${licence} |`] : [];
  });
  return [...new Set(lines)].sort().join('\n');
}

/** The page as it ought to be. */
async function current() {
  const text = readFileSync(page, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  const head = '| crate | version | licence |\n| --- | --- | --- |';
  return `${text.slice(0, from)}\n\n${head}\n${await crates()}\n\n${text.slice(to)}`;
}

export const writeLicences = async () => writeFileSync(page, await current());

/** Throws unless docs/licences.md lists what the lock file puts into the binary. */
export async function checkLicences() {
  if ((await current()) === readFileSync(page, 'utf8')) return;
  throw new StepFailed('licences', 'docs/licences.md is not current: `npm run docs`, then commit.');
}
