// A start that can be retried for ever: planned, started, killed before anybody heard of it, and started
// again by the next life of the program. One job is made.
//   npm run example -- retryable-start
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  OperationJournal,
  OperationLogs,
  OperationRunner,
  OperationService,
  type JobAdapter,
  type JsonObject,
} from 'tenure';

/** A render farm that outlives the program: a job is a file, named by its idempotency key. */
function farm(folder: string): JobAdapter {
  mkdirSync(folder, { recursive: true });
  return {
    async submit(operationId) {
      writeFileSync(join(folder, operationId), '');
      return operationId;
    },
    async observe(reference) {
      return { state: 'succeeded', result: { url: `https://farm.example/${reference}.png` } };
    },
    async cancel() {},
  };
}

async function open(state: string) {
  const journal = await OperationJournal.open(join(state, 'journal'));
  const logs = await OperationLogs.open(join(state, 'logs'));
  const shape = { type: 'object', required: ['url'] };
  const runner = new OperationRunner(journal, logs, farm(join(state, 'farm')), {
    ...{ scope: 'render', resultSchema: shape, pollSeconds: 0.05 },
  });
  const service = new OperationService({
    ...{ scope: 'render', journal, logs, runner },
    plan: async (input) => ({
      summary: `Renders ${String(input['frames'])} frames`,
      estimatedSeconds: 3,
      estimatedCostMicrounits: 240_000,
      expiresAt: Date.now() + 60_000,
      input,
    }),
  });
  return { journal, logs, runner, service };
}

const id = 'lighthouse-1';

/** The first life: the start is on the disk when it is answered for. Nobody hears the answer. */
async function firstLife(state: string): Promise<void> {
  const { service } = await open(state);
  const plan = await service.dispatch({ op: 'plan', input: { frames: 12 } }, 'effect');
  console.log(`  ${plan.summary}, for ${Number(plan.estimatedCostMicrounits) / 1e6} credits`);
  // The person agrees. Whoever asks keeps the input, so that the same start can be asked for again.
  writeFileSync(join(state, 'asked'), JSON.stringify(plan.input));
  const input = plan.input as JsonObject;
  const started = await service.dispatch({ op: 'start', operationId: id, input }, 'effect');
  console.log(`  started: ${started.state}`);
  process.kill(process.pid, 'SIGKILL');
}

/** The second life asks again, as if it had never asked. */
async function secondLife(state: string, input: JsonObject): Promise<void> {
  const { journal, logs, runner, service } = await open(state);
  const again = await service.dispatch({ op: 'start', operationId: id, input }, 'effect');
  console.log(`  started again: ${again.state}, the one operation there is`);
  runner.start();
  for await (const status of journal.watch({ scope: 'render', id })) {
    if (status.finishedAt === null) continue;
    console.log(`  ${status.state}: ${String(status.result?.['url'])}`);
    break;
  }
  for (const [what, operationId, other] of [
    ['another input under this id', id, { frames: 13 }],
    ['a plan that nobody made', 'another-id', { ...input, frames: 1000 }],
  ] as const) {
    const call = { op: 'start', operationId, input: other } as const;
    const refusal = (error: Error & { code?: string }) => error.code;
    console.log(`  ${what}: ${await service.dispatch(call, 'effect').catch(refusal)}`);
  }
  await Promise.all([journal.close(), logs.close()]);
}

const [life, state, asked] = process.argv.slice(2);
if (life === 'first' && state) await firstLife(state);
else if (life === 'second' && state && asked) {
  await secondLife(state, JSON.parse(asked) as JsonObject);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-retry-'));
  const live = (...args: string[]): NodeJS.Signals | null =>
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], { stdio: 'inherit' })
      .signal;
  console.log('The first life plans and starts:');
  console.log(`  killed by ${live('first', folder) ?? 'nobody'}`);
  console.log('The second life asks again:');
  live('second', folder, readFileSync(join(folder, 'asked'), 'utf8'));
  console.log(`Jobs at the farm: ${readdirSync(join(folder, 'farm')).join(', ')}`);
  rmSync(folder, { recursive: true });
}
