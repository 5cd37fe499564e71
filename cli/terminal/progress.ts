// How far long work has come, on a terminal that somebody looks at, and nowhere else.
import { fit } from './fit.js';

const BAR = 24;
const EVERY_MS = 100;
/** Work that is done sooner shows nothing. */
const PATIENCE_MS = 300;

export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** One line that is written over and over, and gone in the end. */
export class Progress {
  readonly #label: string;
  readonly #total: number | undefined;
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #begin: number;
  readonly #timer: NodeJS.Timeout | undefined;
  #done = 0;
  #shown = 0;

  constructor(label: string, total: number | undefined, screen: Screen, now = () => Date.now()) {
    this.#label = label;
    this.#total = total;
    this.#screen = screen;
    this.#now = now;
    this.#begin = now();
    if (screen.isTTY === true) this.#timer = setInterval(() => this.#show(), EVERY_MS).unref();
  }

  /** So much of the total is done. */
  at(done: number): void {
    this.#done = done;
    if (this.#screen.isTTY === true && this.#now() - this.#shown >= EVERY_MS) this.#show();
  }

  end(): void {
    clearInterval(this.#timer);
    if (this.#shown > 0) this.#screen.write('\r\u001b[2K');
    this.#shown = 0;
  }

  #show(): void {
    const now = this.#now();
    if (now - this.#begin < PATIENCE_MS) return;
    this.#shown = now;
    const line = fit(`${this.#label} ${this.#state(now)}`, (this.#screen.columns ?? 80) - 1);
    this.#screen.write(`\r\u001b[2K${line}`);
  }

  #state(now: number): string {
    const seconds = `${Math.round((now - this.#begin) / 1_000)} s`;
    if (this.#total === undefined || this.#total === 0) return seconds;
    const part = Math.min(1, this.#done / this.#total);
    const full = Math.round(part * BAR);
    return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${Math.floor(part * 100)} %, ${seconds}`;
  }
}
