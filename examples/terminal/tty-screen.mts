import {
  clearScreenDown,
  createInterface,
  cursorTo,
  moveCursor,
  type Interface,
} from 'node:readline';
import type { Paint } from './paint.mts';
import { lagOf, type Screen } from './screen.mts';

export interface TtyHandlers {
  onLine(line: string): void;
  onInterrupt(): void;
  onEnd(): void;
  complete(line: string): [string[], string];
}

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

/** Lines scroll by above the line that is being typed; the spinner is part of its prompt. */
export class TtyScreen implements Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #paint: Paint;
  readonly #readline: Interface;
  #lines: string[] = [];
  #flushing: Promise<void> | undefined;
  #frame = 0;
  #shown = '';
  #closed = false;

  constructor(out: NodeJS.WriteStream, paint: Paint, handlers: TtyHandlers) {
    this.#out = out;
    this.#paint = paint;
    this.#readline = createInterface({
      input: process.stdin,
      output: out,
      completer: handlers.complete,
    });
    this.#readline.on('line', handlers.onLine);
    this.#readline.on('SIGINT', handlers.onInterrupt);
    this.#readline.on('close', () => {
      if (!this.#closed) handlers.onEnd();
    });
  }

  print(text: string): void {
    this.#lines.push(text);
    this.#flushing ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#flushing = undefined;
        this.#flush();
        resolve();
      });
    });
  }

  lag(): Promise<unknown> | undefined {
    return this.#flushing ?? lagOf(this.#out);
  }

  status(prompt: string, progress: string | undefined): void {
    if (this.#closed) return;
    this.#frame = progress === undefined ? 0 : (this.#frame + 1) % frames.length;
    const spinner = progress === undefined ? '' : `${frames[this.#frame]} ${progress}  `;
    const shown = this.#paint('cyan', spinner) + this.#paint('bold', `${prompt}> `);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#redraw('', shown);
  }

  close(): void {
    this.#flush();
    this.#closed = true;
    this.#readline.close();
    cursorTo(this.#out, 0);
    clearScreenDown(this.#out);
  }

  #flush(): void {
    const lines = this.#lines.splice(0);
    if (lines.length > 0 && !this.#closed) this.#redraw(`${lines.join('\n')}\n`, this.#shown);
  }

  /** Writes `above` where the line that is typed stood, and that line below it. */
  #redraw(above: string, prompt: string): void {
    moveCursor(this.#out, 0, -this.#readline.getCursorPos().rows);
    cursorTo(this.#out, 0);
    clearScreenDown(this.#out);
    this.#out.write(above);
    // Readline would go up once more by the rows that it thinks it has drawn.
    (this.#readline as Interface & { prevRows: number }).prevRows = 0;
    this.#readline.setPrompt(prompt);
    this.#readline.prompt(true);
  }
}
