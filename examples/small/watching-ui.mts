// A user interface that watches: it redraws when a row has changed, asks nothing in between, and a slow
// terminal holds up nobody. Where the output is no terminal, each change is a line.
//   npm run example -- watching-ui [--redraw]
import {
  inputDigest,
  OperationJournal,
  OperationLogs,
  OperationRunner,
  type JobAdapter,
  type OperationStatus,
} from 'tenure';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Jobs that come a step further each time they are looked at. */
function backend(steps: number): JobAdapter {
  const looks = new Map<string, number>();
  return {
    submit: async (operationId) => operationId,
    async observe(reference) {
      const step = (looks.get(reference) ?? 0) + 1;
      looks.set(reference, step);
      if (step < steps) return { state: 'running', progress: step / steps, stage: `step ${step}` };
      return reference === 'gamma'
        ? { state: 'failed', error: 'out of paint' }
        : { state: 'succeeded', result: { pictures: steps } };
    },
    cancel: async () => {},
  };
}

const redraws = process.stdout.isTTY || process.argv.includes('--redraw');
const width = 20;

function line({ operationId, state, progress, stage, error }: OperationStatus): string {
  const share = state === 'succeeded' ? 1 : (progress ?? 0);
  const bar = '#'.repeat(Math.round(share * width)).padEnd(width, '.');
  const note = error ?? (state === 'running' ? stage : null) ?? '';
  return `${operationId.padEnd(6)} ${bar} ${state} ${note}`.trimEnd();
}

/** Each row at its place, oldest reservation first: the picture is made anew from what is known. */
class Screen {
  readonly #rows = new Map<string, string>();
  #height = 0;

  show(status: OperationStatus): void {
    const drawn = line(status);
    if (this.#rows.get(status.operationId) === drawn) return;
    this.#rows.set(status.operationId, drawn);
    if (!redraws) return console.log(drawn) as undefined;
    const up = this.#height > 0 ? `\u001b[${this.#height}A` : '';
    const lines = [...this.#rows.values()].map((row) => `\u001b[K${row}\n`);
    process.stdout.write(up + lines.join(''));
    this.#height = lines.length;
  }
}

const folder = await mkdtemp(join(tmpdir(), 'tenure-ui-'));
const journal = OperationJournal.inMemory();
const logs = await OperationLogs.open(folder);
const runner = new OperationRunner(journal, logs, backend(5), {
  ...{ resultSchema: true, pollSeconds: 0.05, concurrency: 2 },
});

const ids = ['alpha', 'beta', 'gamma', 'delta'];
const changes = journal.watch(); // from here on no change is missed
await Promise.all(ids.map((id) => journal.reserve(id, inputDigest('', { id }), { id })));
// What is there when the interface opens is read once; after that, what changes is told.
const screen = new Screen();
for (const status of journal.page().operations.reverse()) screen.show(status);
runner.start();

let open = ids.length;
for await (const status of changes) {
  screen.show(status);
  if (status.finishedAt !== null) open -= 1;
  if (open === 0) break;
}
const [counts] = journal.stats().scopes;
console.log(`${counts?.succeeded} succeeded, ${counts?.failed} failed`);
await journal.close();
await logs.close();
await rm(folder, { recursive: true });
