import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';

/** Where the terminal shows lines, and one status that changes in place where that is possible. */
export interface Screen {
  print(text: string): void;
  /** Resolves when what was printed is being shown; `undefined` when it already is. */
  lag(): Promise<unknown> | undefined;
  /** `prompt` is what stands before the cursor; `progress` is absent when nothing runs. */
  status(prompt: string, progress: string | undefined): void;
  close(): void;
}

const progressEveryMs = 5000;

export function lagOf(out: NodeJS.WriteStream): Promise<unknown> | undefined {
  return out.writableNeedDrain ? once(out, 'drain') : undefined;
}

/** For pipes, files and scripts: each line with its time, and progress as a line now and then. */
export class PlainScreen implements Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #startedAt = performance.now();
  readonly #listeners: ((text: string) => void)[] = [];
  #progressAt = 0;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  onPrint(listener: (text: string) => void): void {
    this.#listeners.push(listener);
  }

  print(text: string): void {
    const time = ((performance.now() - this.#startedAt) / 1000).toFixed(2).padStart(6);
    for (const line of text.split('\n')) this.#out.write(`${time}  ${line}\n`);
    const plain = stripVTControlCharacters(text);
    for (const listener of this.#listeners) listener(plain);
  }

  lag(): Promise<unknown> | undefined {
    return lagOf(this.#out);
  }

  status(_prompt: string, progress: string | undefined): void {
    const now = performance.now();
    if (progress === undefined || this.#progressAt === 0) this.#progressAt = now;
    if (progress === undefined || now - this.#progressAt < progressEveryMs) return;
    this.#progressAt = now;
    this.print(`… ${progress}`);
  }

  close(): void {}
}
