import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';

/** What a job and its adapter write of it, for each other and for a later life of the adapter. */
export class JobFiles {
  readonly #folder: string;

  /** `folder` holds those of all jobs. */
  constructor(folder: string, operationId: string) {
    this.#folder = join(folder, nameOf(operationId));
  }

  /** What the command prints: written by its own process, so that no reader need be alive. */
  get raw(): string {
    return join(this.#folder, 'raw');
  }

  get folder(): string {
    return this.#folder;
  }

  /** Throws if there was such a job before: it shall not run twice. */
  create(): number {
    mkdirSync(this.#folder);
    return openSync(this.raw, 'a');
  }

  /** Whether its process has begun. */
  hasBegun(): boolean {
    return existsSync(join(this.#folder, 'begun'));
  }

  /** The exit code; undefined if the process has not ended, or not by itself. */
  exitCode(): number | undefined {
    try {
      const text = readFileSync(join(this.#folder, 'status'), 'latin1').trim();
      return /^-?\d+$/.test(text) ? Number(text) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes down that it was told to end: what it then ends with is no failure of its own. */
  markCancelled(): void {
    writeFileSync(join(this.#folder, 'cancelled'), '');
  }

  isCancelled(): boolean {
    return existsSync(join(this.#folder, 'cancelled'));
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** Removes the files of all jobs but these. */
export async function sweep(folder: string, kept: readonly string[]): Promise<void> {
  const names = kept.map(nameOf);
  const old = (await readdir(folder)).filter((name) => !names.includes(name));
  await Promise.all(old.map((name) => rm(join(folder, name), { recursive: true, force: true })));
}

/** An operation id may be any string. */
function nameOf(operationId: string): string {
  return createHash('sha256').update(operationId).digest('hex').slice(0, 32);
}
