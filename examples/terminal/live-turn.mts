import type { KernelEvent, RunKind } from '../kernel/index.mts';
import { explained, harmless, quoted, seconds, type Paint } from './paint.mts';

type StreamName = Extract<KernelEvent, { type: 'output' }>['stream'];

const longestLine = 8192;

/** What the terminal shows of one turn: phases gathered into a line, output cut into lines. */
export class LiveTurn {
  readonly sessionId: string;
  readonly kind: RunKind;
  /** What was typed, to be given back if it is not run. */
  readonly text: string;
  readonly startedAt = performance.now();
  phase = 'starting';
  turnId: string | undefined;
  pending = 0;
  isStopping = false;
  hasBegun = false;
  readonly #paint: Paint;
  readonly #print: (line: string) => void;
  readonly #partial: Record<StreamName, string> = { stdout: '', stderr: '' };
  #phases: string[] = [];
  #phasesShown: NodeJS.Timeout | undefined;

  constructor(
    { sessionId, kind, text }: { sessionId: string; kind: RunKind; text: string },
    paint: Paint,
    print: (line: string) => void,
  ) {
    this.sessionId = sessionId;
    this.kind = kind;
    this.text = text;
    this.#paint = paint;
    this.#print = print;
  }

  get elapsed(): string {
    return seconds(performance.now() - this.startedAt);
  }

  get progress(): string {
    const queued = this.pending > 0 ? ` · ${this.pending} queued` : '';
    return `${this.isStopping ? 'stopping' : this.phase} ${this.elapsed}${queued}`;
  }

  show(event: KernelEvent): void {
    this.turnId ??= event.turnId;
    if (event.type === 'phase') return this.#showPhase(event);
    this.flush();
    const paint = this.#paint;
    switch (event.type) {
      case 'step':
        return this.#print(paint('cyan', `$ ${event.command}`));
      case 'output':
        return this.#showOutput(event.stream, event.text);
      case 'step_end': {
        this.#flushOutput();
        const { ended, code, signal, error } = event.result;
        const how = error ?? signal ?? `code ${code}`;
        if (ended === 'killed') this.#print(paint('yellow', `killed (${how})`));
        else if (code !== 0) this.#print(paint('yellow', `ended with ${how}`));
        return;
      }
      case 'steered':
        return this.#print(paint('green', `» steered into the turn: ${quoted([event.text])}`));
      case 'not_steered':
        return this.#print(
          paint('yellow', `» not found in the ledger, queued again: ${quoted([event.text])}`),
        );
      case 'queue':
        return this.#showQueue(event.steering, event.followup);
      case 'returned':
        return this.#print(paint('yellow', `returned to you: ${quoted(event.texts)}`));
      case 'stopping':
        this.isStopping = true;
        return this.#print(paint('yellow', `stopping (${event.mode})`));
      case 'stop_failed':
        // The one who asked for the stop reports it.
        return;
      case 'dispose_failed':
        return this.#print(paint('red', explained(event.error)));
      case 'compacted': {
        const { runs, steps, bytes } = event.checkpoint;
        return this.#print(`compacted: ${runs} runs, ${steps} steps, ${bytes} bytes of output`);
      }
      case 'end':
        return this.#showEnd(event.outcome);
    }
  }

  /** Shows the phases gathered so far. */
  flush(): void {
    clearTimeout(this.#phasesShown);
    this.#phasesShown = undefined;
    if (this.#phases.length > 0) this.#print(this.#paint('dim', this.#phases.join(' → ')));
    this.#phases = [];
  }

  #showPhase({ phase, generation }: Extract<KernelEvent, { type: 'phase' }>): void {
    this.phase = phase === 'attached' ? 'getting a backend' : phase;
    this.hasBegun ||= phase === 'running';
    this.#phases.push(generation === undefined ? phase : `${phase} on backend ${generation}`);
    this.#phasesShown ??= setTimeout(() => this.flush(), 100);
  }

  #showOutput(stream: StreamName, text: string): void {
    const lines = (this.#partial[stream] + text).split('\n');
    this.#partial[stream] = lines.pop() ?? '';
    if (this.#partial[stream].length > longestLine) {
      lines.push(this.#partial[stream]);
      this.#partial[stream] = '';
    }
    if (lines.length > 0) this.#print(lines.map((line) => this.#output(stream, line)).join('\n'));
  }

  #flushOutput(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#partial[stream] !== '') this.#print(this.#output(stream, this.#partial[stream]));
      this.#partial[stream] = '';
    }
  }

  #output(stream: StreamName, line: string): string {
    const text = `  ${harmless(line)}`;
    return stream === 'stderr' ? this.#paint('red', text) : text;
  }

  #showQueue(steering: readonly string[], followup: readonly string[]): void {
    const before = this.pending;
    this.pending = steering.length + followup.length;
    if (this.pending === 0 && before === 0) return;
    const parts = [
      ...(steering.length > 0 ? [`after this step ${quoted(steering)}`] : []),
      ...(followup.length > 0 ? [`next turn ${quoted(followup)}`] : []),
    ];
    this.#print(this.#paint('magenta', `queue: ${parts.join(' · ') || 'empty'}`));
  }

  #showEnd(outcome: Extract<KernelEvent, { type: 'end' }>['outcome']): void {
    const styles = { completed: 'green', stopped: 'yellow', failed: 'red' } as const;
    const words = { completed: 'finished', stopped: 'stopped', failed: 'failed' } as const;
    this.#print(this.#paint(styles[outcome], `${words[outcome]} after ${this.elapsed}, released`));
  }
}
