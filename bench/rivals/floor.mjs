// What no journal on this disk can be faster than: 4 KB of a file written anew, and fdatasync.

import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';

const BLOCK = 4096;
const BLOCKS = 1024;

export class Floor {
  #file;
  #at = 0;
  #bytes = Buffer.alloc(BLOCK, 1);

  static async open(path) {
    return new this(path);
  }

  constructor(path) {
    this.#file = openSync(path, 'w');
    writeSync(this.#file, Buffer.alloc(BLOCK * BLOCKS, 1), 0, BLOCK * BLOCKS, 0);
    fsyncSync(this.#file);
  }

  reserveSync() {
    writeSync(this.#file, this.#bytes, 0, BLOCK, this.#at * BLOCK);
    this.#at = (this.#at + 1) % BLOCKS;
    fdatasyncSync(this.#file);
    return { outcome: 'created' };
  }

  async close() {
    closeSync(this.#file);
  }
}
