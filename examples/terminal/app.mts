import { codeOf, type Kernel, type KernelEvent, type StopMode } from '../kernel/index.mts';
import type { Operations } from '../operations/index.mts';
import { LiveTurn } from './live-turn.mts';
import { OperationsView } from './operations-view.mts';
import { explained, quoted, type Paint } from './paint.mts';
import type { Screen } from './screen.mts';
import type { TurnLog } from './turn-log.mts';

/** What can be made to fail next, besides the backend. */
export type AppFault = 'steering' | 'reference';

export interface AppOptions {
  readonly kernel: Kernel;
  readonly operations: Operations;
  readonly turnLog: TurnLog;
  readonly paint: Paint;
  readonly onQuit: () => void;
  readonly onFailNext: (fault: AppFault) => void;
}

const secondInterruptMs = 2000;
const refreshMs = 100;

/** The terminal session: where what is typed goes, and what is shown of what runs. */
export class App {
  readonly kernel: Kernel;
  readonly operations: OperationsView;
  readonly paint: Paint;
  /** Lets something of the program itself fail next. */
  readonly failNext: (fault: AppFault) => void;
  session = 'main';
  /** A command that each new backend is to run before its first turn. */
  warmUp: string | undefined;
  screen!: Screen;
  readonly #turnLog: TurnLog;
  readonly #onQuit: () => void;
  #turns: LiveTurn[] = [];
  #tasks: Promise<void>[] = [];
  #interruptedAt = -Infinity;
  #ticking: NodeJS.Timeout | undefined;
  #quitting = false;

  constructor({ kernel, operations, turnLog, paint, onQuit, onFailNext }: AppOptions) {
    this.kernel = kernel;
    this.operations = new OperationsView(this, operations);
    this.paint = paint;
    this.failNext = onFailNext;
    this.#turnLog = turnLog;
    this.#onQuit = onQuit;
  }

  // -- what is shown ----------------------------------------------------------

  print(text: string): void {
    this.screen.print(text);
  }

  /** A line about a session: named unless it is the one in front. */
  say(sessionId: string, text: string): void {
    const name = sessionId === this.session ? '' : this.paint('blue', `[${sessionId}] `);
    this.print(
      text
        .split('\n')
        .map((line) => name + line)
        .join('\n'),
    );
  }

  /** What a session hears while no turn of it runs. */
  heard(event: KernelEvent): void {
    if (event.type === 'returned') this.#giveBack(event.sessionId, event.texts);
  }

  refresh(): void {
    const turn = this.current();
    this.screen.status(
      this.session,
      turn?.progress ?? (this.#turns.length > 0 ? 'elsewhere' : undefined),
    );
    if (this.#turns.length > 0) this.#ticking ??= setInterval(() => this.refresh(), refreshMs);
    else this.#ticking = void clearInterval(this.#ticking);
  }

  // -- turns ------------------------------------------------------------------

  /** The turn that a typed line is steered into. */
  current(sessionId = this.session): LiveTurn | undefined {
    return this.#turns.find((turn) => turn.sessionId === sessionId && turn.kind !== 'child');
  }

  /** A line that is no command: steered into the running turn, else a turn of its own. */
  typed(text: string): void {
    const turn = this.current();
    if (turn && !turn.isStopping && this.kernel.steer(this.session, text)) return;
    this.start(text);
  }

  queue(text: string): void {
    const turn = this.current();
    if (turn && !turn.isStopping && this.kernel.queueMessage(this.session, text)) return;
    this.start(text);
  }

  start(text: string, sessionId = this.session): void {
    const events = this.kernel.startTurn(sessionId, { text });
    this.run(
      events,
      new LiveTurn({ sessionId, kind: 'turn', text }, this.paint, this.#sayer(sessionId)),
    );
  }

  startChild(text: string): void {
    const sessionId = this.session;
    const parentTurnId = this.current()?.turnId;
    const lineage = parentTurnId === undefined ? {} : { parentTurnId };
    const events = this.kernel.startChildTurn(sessionId, { text, ...lineage });
    const name = this.paint('blue', '[child] ');
    const say = (line: string): void =>
      this.say(
        sessionId,
        line
          .split('\n')
          .map((part) => name + part)
          .join('\n'),
      );
    this.run(events, new LiveTurn({ sessionId, kind: 'child', text }, this.paint, say));
  }

  async resume(): Promise<void> {
    const sessionId = this.session;
    const source = await this.kernel.resumable(sessionId);
    if (!source) return this.print('Nothing to resume: the last turn came to its end.');
    const text = source.steps.join('\n');
    const events = this.kernel.resumeContinuation(source);
    this.run(
      events,
      new LiveTurn({ sessionId, kind: 'continuation', text }, this.paint, this.#sayer(sessionId)),
    );
  }

  /** Writes down how steps ended that went on without the program, where that is known by now. */
  async settleSteps(): Promise<void> {
    for (const sessionId of await this.kernel.sessions()) {
      try {
        await this.kernel.resumable(sessionId);
      } catch (error) {
        if (codeOf(error) !== 'ERR_STEP_UNSETTLED') throw error;
      }
    }
  }

  compact(): void {
    const sessionId = this.session;
    const events = this.kernel.compactSession(sessionId);
    this.run(
      events,
      new LiveTurn({ sessionId, kind: 'compaction', text: '' }, this.paint, this.#sayer(sessionId)),
    );
  }

  run(events: AsyncIterable<KernelEvent>, turn: LiveTurn): void {
    this.track(this.#follow(events, turn));
  }

  // -- stopping ---------------------------------------------------------------

  stop(mode: StopMode, sessionId = this.session): void {
    const runs = this.#turns.some((turn) => turn.sessionId === sessionId);
    const stopped = this.kernel.stopSession(sessionId, { mode });
    this.track(runs ? stopped : stopped.then(() => this.say(sessionId, 'Nothing ran.')));
  }

  /** Ctrl-C: stops the turn, or the showing of logs; a second one soon after ends the program. */
  interrupt(): void {
    const now = performance.now();
    if (now - this.#interruptedAt < secondInterruptMs) return this.quit();
    this.#interruptedAt = now;
    const runs = this.#turns.some(({ sessionId }) => sessionId === this.session);
    if (runs) this.stop('immediate');
    else this.operations.unfollow();
    this.print(this.paint('dim', 'Ctrl-C again within 2 s quits.'));
  }

  quit(): void {
    if (this.#quitting) return;
    this.#quitting = true;
    this.#onQuit();
  }

  // -- waiting ----------------------------------------------------------------

  track(task: Promise<void>): void {
    const tracked = task.catch((error: unknown) => this.print(this.paint('red', explained(error))));
    this.#tasks.push(tracked);
    void tracked.then(() => void (this.#tasks = this.#tasks.filter((each) => each !== tracked)));
  }

  /** Resolves when no turn runs and nothing that was asked for is pending. */
  async idle(): Promise<void> {
    while (this.#tasks.length > 0) await Promise.all(this.#tasks);
  }

  // -- within -----------------------------------------------------------------

  async #follow(events: AsyncIterable<KernelEvent>, turn: LiveTurn): Promise<void> {
    const { sessionId } = turn;
    this.#turns.push(turn);
    this.refresh();
    let outcome = 'refused';
    try {
      for await (const event of events) {
        turn.show(event);
        this.#turnLog.note(event, turn.text);
        // A command that prints faster than the terminal shows waits for it.
        await this.screen.lag();
        if (event.type !== 'end') continue;
        outcome = event.outcome;
        if (event.error !== undefined)
          this.say(sessionId, this.paint('red', explained(event.error)));
      }
    } catch (error) {
      turn.flush();
      this.#turnLog.refused(sessionId, turn.turnId, error);
      this.say(sessionId, this.paint('red', `refused: ${explained(error)}`));
    } finally {
      this.#turns = this.#turns.filter((each) => each !== turn);
      this.refresh();
    }
    if (!turn.hasBegun && turn.text !== '') this.#giveBack(sessionId, [turn.text]);
    if (turn.kind === 'child' || turn.kind === 'compaction') return;
    if (outcome === 'completed') return this.#startQueued(sessionId);
    // Nobody wants the queue of a turn that was cut short to run by itself.
    if (!this.current(sessionId)) this.#giveBack(sessionId, this.kernel.retractQueue(sessionId));
    if (outcome === 'stopped' && turn.hasBegun) await this.#hintResume(sessionId);
  }

  #startQueued(sessionId: string): void {
    const text = this.kernel.drainFollowup(sessionId);
    if (text === undefined) return;
    this.say(sessionId, this.paint('magenta', `next turn: ${quoted([text])}`));
    this.start(text, sessionId);
  }

  async #hintResume(sessionId: string): Promise<void> {
    const source = await this.kernel.resumable(sessionId);
    if (!source || this.current(sessionId)) return;
    this.say(sessionId, this.paint('dim', `/resume runs what is left: ${quoted(source.steps)}`));
  }

  #giveBack(sessionId: string, texts: readonly string[]): void {
    if (texts.length > 0)
      this.say(sessionId, this.paint('yellow', `returned to you: ${quoted(texts)}`));
  }

  #sayer(sessionId: string): (line: string) => void {
    return (line) => this.say(sessionId, line);
  }
}
