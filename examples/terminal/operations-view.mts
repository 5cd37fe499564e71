import { randomUUID } from 'node:crypto';
import type { JsonObject, OperationState, OperationStatus } from 'tenure';
import { isTerminal, isUncertain, type Operations } from '../operations/index.mts';
import type { App } from './app.mts';
import { harmless, seconds } from './paint.mts';

const longestCommand = 72;

type Outcome = 'succeeded' | 'failed' | 'cancelled';

const styles = {
  queued: 'dim',
  running: 'cyan',
  succeeded: 'green',
  failed: 'red',
  cancelled: 'yellow',
  interrupted: 'yellow',
} as const;

/** What the terminal shows of operations, and does with them. */
export class OperationsView {
  readonly #app: App;
  readonly #operations: Operations;
  #planned: { digest: string; input: JsonObject | null }[] = [];
  #following: AbortController[] = [];

  constructor(app: App, operations: Operations) {
    this.#app = app;
    this.#operations = operations;
  }

  /** Lists what an earlier life left, takes it up and follows it. */
  async begin(): Promise<void> {
    const left = this.#operations.left();
    if (left.length > 0) this.#print('An earlier life of this program left:');
    for (const status of left) this.#print(await this.#leftLine(status));
    const followed = left.filter((status) => !isUncertain(status));
    const places = followed.map(({ operationId }) => {
      return [operationId, this.#operations.logEnd(operationId).offset] as const;
    });
    await this.#operations.begin();
    await this.#app.settleSteps();
    for (const [id, offset] of places) this.#app.track(this.#follow(id, offset));
  }

  list(offset: number): void {
    const { operations, nextOffset, active, outstanding } = this.#operations.list(offset);
    const lines = operations.map((status) => this.#line(status));
    if (nextOffset !== null) lines.push(`  /ops ${nextOffset} lists those before`);
    this.#print([`active: ${active} · outstanding: ${outstanding}`, ...lines].join('\n'));
  }

  async log(beginning: string): Promise<void> {
    const id = this.#find(beginning, undefined);
    const status = this.#operations.status(id);
    if (status && isUncertain(status)) await this.#operations.inspect(id);
    await this.#follow(id, 0);
  }

  async cancel(beginning: string): Promise<void> {
    const id = this.#find(beginning, 'running', 'queued', 'interrupted');
    const status = await this.#operations.cancel(id);
    if (isTerminal(status.state) || isUncertain(status)) this.#print(this.#line(status));
    else this.#print(`operation ${id} is asked to end`);
  }

  async plan(command: string): Promise<void> {
    const plan = await this.#operations.plan({ command, cwd: process.cwd() });
    const { estimatedSeconds: estimate, expiresAt, planDigest: digest, summary, input } = plan;
    this.#planned.unshift({ digest, input });
    const took =
      estimate === null ? '' : ` · took ${seconds(estimate * 1000)} when it succeeded last`;
    const until = new Date(expiresAt).toTimeString().slice(0, 8);
    this.#print(
      `plan ${digest.slice(0, 8)}: ${summary}${took}\n/start ${digest.slice(0, 8)} runs it, until ${until}`,
    );
  }

  async start(beginning: string): Promise<void> {
    const plan = this.#planned.find(({ digest }) => digest.startsWith(beginning));
    if (!plan?.input) return this.#print('There is no such plan: /plan LINE makes one.');
    const { operationId } = await this.#operations.start(randomUUID().slice(0, 8), plan.input);
    this.#print(`operation ${operationId} runs it`);
    this.#app.track(this.#follow(operationId, 0));
  }

  async resolve(beginning: string, state: Outcome, note: string): Promise<void> {
    const id = this.#find(beginning, 'interrupted');
    const status = await this.#operations.resolve(id, { state, note: note || 'as a person said' });
    this.#print(this.#line(status));
    await this.#app.settleSteps();
  }

  async forget(): Promise<void> {
    await this.#app.settleSteps();
    this.#print(`operations forgotten: ${await this.#operations.forget()}`);
  }

  /** What is followed goes on, unseen. */
  unfollow(): void {
    for (const following of this.#following) following.abort();
  }

  // -- within -----------------------------------------------------------------

  async #follow(id: string, offset: number): Promise<void> {
    const following = new AbortController();
    this.#following.push(following);
    try {
      await this.#show(id, offset, following.signal);
    } finally {
      this.#following = this.#following.filter((each) => each !== following);
    }
    if (following.signal.aborted) this.#print(`operation ${id} goes on: /log ${id}`);
    else await this.#app.settleSteps();
  }

  async #show(id: string, offset: number, signal: AbortSignal): Promise<void> {
    const name = this.#app.paint('blue', `[${id}] `);
    let partial = '';
    for await (const text of this.#operations.output(id, offset, signal)) {
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      if (lines.length > 0) this.#print(lines.map((line) => name + harmless(line)).join('\n'));
      await this.#app.screen.lag();
    }
    if (signal.aborted) return;
    const { isCut } = this.#operations.logEnd(id);
    if (isCut) this.#print(`${name}${this.#app.paint('dim', 'the log is full: no more was kept')}`);
    this.#print(this.#line(await this.#operations.ended(id)));
  }

  /** By the beginning of its id; without one, the newest that is in the first state that any is in. */
  #find(beginning: string, ...states: (OperationState | undefined)[]): string {
    const isNewest = beginning === '' || beginning === 'last';
    const id = isNewest
      ? states.map((state) => this.#operations.newest(state)).find((newest) => newest !== undefined)
      : this.#operations.find(beginning);
    if (id !== undefined) return id;
    const what = isNewest
      ? 'There is no such operation.'
      : `Not one operation begins with ${beginning}.`;
    throw new Error(`${what} /ops lists them.`);
  }

  async #leftLine(status: OperationStatus): Promise<string> {
    const { operationId } = status;
    if (!isUncertain(status)) return `${this.#line(status)}\n    taken up and followed to its end`;
    const { hasBegun, code } = await this.#operations.inspect(operationId);
    const ended = code === undefined ? 'has not ended' : `ended with code ${code}`;
    const traces = hasBegun ? `it did, and ${ended}` : 'nothing says so';
    return (
      `${this.#line(status)}\n    whether it was started is not in the journal (${traces}); it waits for you: ` +
      `/log ${operationId}, then /resolve ${operationId} succeeded|failed|cancelled`
    );
  }

  #line(status: OperationStatus): string {
    const { operationId, state, submittedAt, finishedAt, queuePosition, error, stage } = status;
    const took = seconds((finishedAt ?? Date.now()) - submittedAt);
    const more = [
      ...(isUncertain(status) ? ['uncertain'] : status.stale ? ['may be out of date'] : []),
      ...(queuePosition === null ? [] : [`${queuePosition} before it`]),
      ...(error === null ? [] : [error]),
      ...(stage === null ? [] : [stage]),
    ];
    const word = [state, ...more].join(', ');
    const command = shortened(this.#operations.command(operationId));
    return `  ${operationId} ${this.#app.paint(styles[state], word)} · ${took} · ${command}`;
  }

  #print(text: string): void {
    this.#app.print(text);
  }
}

function shortened(command: string): string {
  const line = harmless(command.replaceAll('\n', ' ;; '));
  return line.length > longestCommand ? `${line.slice(0, longestCommand)}…` : line;
}
