import { lastCheckpoint, type History, type Placed } from './history.mts';
import type { CheckpointRecord, Ledger, LedgerRecord } from './ledger.mts';
import type { Core } from './types.mts';

/** The ledger behind the core's serial lane of each session: reads and appends never interleave. */
export class Records {
  readonly #core: Core;
  readonly #ledger: Ledger;

  constructor(core: Core, ledger: Ledger) {
    this.#core = core;
    this.#ledger = ledger;
  }

  append(sessionId: string, record: LedgerRecord): Promise<void> {
    return this.#inLane(sessionId, () => this.#ledger.append(sessionId, record));
  }

  /** The record that stands under this id: the one given, unless another was there first. */
  appendOnce<R extends LedgerRecord>(sessionId: string, record: R): Promise<R> {
    return this.#inLane(sessionId, async () => {
      const { records } = await this.#read(sessionId);
      const standing = records.find(({ id }) => id === record.id);
      if (standing) return standing as R;
      await this.#ledger.append(sessionId, record);
      return record;
    });
  }

  /**
   * Appends and reads back. The file decides, not the append: one that failed may have been
   * written, and a text that is in the ledger must not be run twice. Rejects if the file cannot be
   * read.
   */
  lands(sessionId: string, record: LedgerRecord): Promise<boolean> {
    return this.#inLane(sessionId, async () => {
      await this.#ledger.append(sessionId, record).catch(() => {});
      const { records } = await this.#read(sessionId);
      return records.some(({ id }) => id === record.id);
    });
  }

  /** From here on, the records before the checkpoint are not read any more. */
  checkpoint(sessionId: string, record: CheckpointRecord): Promise<void> {
    return this.#inLane(sessionId, async () => {
      await this.#ledger.append(sessionId, record);
      this.#core.storeCheckpoint(sessionId, await this.#lastPlaced(sessionId));
    });
  }

  history(sessionId: string): Promise<History> {
    return this.#inLane(sessionId, () => this.#read(sessionId));
  }

  sessions(): Promise<string[]> {
    return this.#ledger.sessions();
  }

  async #read(sessionId: string): Promise<History> {
    const { checkpoint, offset } = await this.#placed(sessionId);
    const entries = await this.#ledger.read(sessionId, offset);
    return { checkpoint, records: entries.map(({ record }) => record) };
  }

  /** Kept in the core's checkpoint slot, which a disposal of the session's backend empties. */
  async #placed(sessionId: string): Promise<Placed> {
    const load = () => this.#lastPlaced(sessionId);
    const phase = this.#core.currentGeneration(sessionId)?.phase;
    if (phase !== 'active' && phase !== 'stopping') return load();
    return (await this.#core.loadCheckpoint(sessionId, load)) ?? load();
  }

  async #lastPlaced(sessionId: string): Promise<Placed> {
    return lastCheckpoint(await this.#ledger.read(sessionId));
  }

  #inLane<R>(sessionId: string, task: () => Promise<R>): Promise<R> {
    return this.#core.serialize(sessionId, 'ledger', task);
  }
}
