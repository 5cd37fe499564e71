import process from 'node:process';
import { UsageError, exitOf, spoken } from './exit.js';
import { listen } from './interrupt.js';
import { ENTRIES, print } from './registry.js';
import { note } from './terminal/output.js';

const manifest = require('../package.json') as { readonly version: string };

function page(): string {
  const width = Math.max(...Object.keys(ENTRIES).map((name) => name.length));
  const entries = Object.entries(ENTRIES);
  return [
    'tenure: durable operations, from the command line',
    '',
    ...entries.map(([name, { summary }]) => `  tenure ${name.padEnd(width)}  ${summary}`),
    '',
    '  tenure <command> --help   what it does, with examples',
    '  tenure --version          the version of the package',
    '',
    'Commands that look only read the file. Those that change something need it for themselves: a',
    'journal that is open in another process is said to be, with its process id (exit code 3).',
    'Set TENURE_JOURNAL and TENURE_LOGS to leave out --journal and --logs.',
    '',
  ].join('\n');
}

async function run([word, ...rest]: readonly string[]): Promise<number> {
  if (word === '--version' || word === '-V') {
    await print(`${manifest.version}\n`);
    return 0;
  }
  if (word === '--help' || word === '-h') {
    await print(page());
    return 0;
  }
  const [name, argv] = word === 'help' ? [rest[0], [...rest.slice(1), '--help']] : [word, rest];
  const entry = name !== undefined && Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined;
  if (entry !== undefined) return entry.run(argv);
  if (word === 'help' && name === undefined) {
    await print(page());
    return 0;
  }
  const what = name === undefined ? 'Which command?' : `There is no command '${name}'.`;
  throw new UsageError(`${what}\n\n${page()}`);
}

listen();
const asked = process.argv.slice(2);
run(asked).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.exitCode = exitOf(error);
    if (process.exitCode !== 130) note(spoken(error, asked.includes('--json')));
  },
);
