import { stripVTControlCharacters } from 'node:util';

/** Where the terminal shows lines, and one status that changes in place where that is possible. */
export interface Screen {
  print(text: string): void;
  /** `prompt` is what stands before the cursor; `progress` is absent when nothing runs. */
  status(prompt: string, progress: string | undefined): void;
  close(): void;
}

const progressEveryMs = 5000;

/** For pipes, files and scripts: each line with its time, and progress as a line now and then. */
export class PlainScreen implements Screen {
  readonly #out: NodeJS.WritableStream;
  readonly #startedAt = performance.now();
  readonly #listeners: ((text: string) => void)[] = [];
  #progressAt = 0;

  constructor(out: NodeJS.WritableStream) {
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

  status(_prompt: string, progress: string | undefined): void {
    const now = performance.now();
    if (progress === undefined || this.#progressAt === 0) this.#progressAt = now;
    if (progress === undefined || now - this.#progressAt < progressEveryMs) return;
    this.#progressAt = now;
    this.print(`… ${progress}`);
  }

  close(): void {}
}
