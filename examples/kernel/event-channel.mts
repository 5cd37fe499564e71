import {
  ReadableStream,
  type QueuingStrategy,
  type ReadableStreamDefaultController,
} from 'node:stream/web';

/**
 * What a run has to say, in order, to one reader. `push` never waits; a source that can make more
 * than the reader takes asks `room` before it makes the next.
 */
export class EventChannel<E> {
  readonly #stream: ReadableStream<E>;
  #controller!: ReadableStreamDefaultController<E>;
  #waiting: (() => void)[] = [];
  #flowing = false;
  #closed = false;

  constructor(strategy: QueuingStrategy<E>) {
    this.#stream = new ReadableStream<E>(
      {
        start: (controller) => void (this.#controller = controller),
        pull: () => this.#wake(),
        cancel: () => {
          this.#closed = true;
          this.#wake();
        },
      },
      strategy,
    );
  }

  push(event: E): void {
    if (!this.#closed) this.#controller.enqueue(event);
  }

  /** Resolves when the reader has caught up; `undefined` when it has already. */
  room(): Promise<void> | undefined {
    if (this.#closed || this.#flowing || (this.#controller.desiredSize ?? 1) > 0) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** The reader is not waited for any more: it may itself be waiting for the source to end. */
  letFlow(): void {
    this.#flowing = true;
    this.#wake();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#controller.close();
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<E> {
    return this.#stream[Symbol.asyncIterator]();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
