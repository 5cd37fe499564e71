import { FileLedger, type LedgerRecord } from '../kernel/index.mts';

/** A ledger that can be told to lose the next text that is steered into a turn. */
export class FaultyLedger extends FileLedger {
  failNextSteering = false;

  override async append(sessionId: string, record: LedgerRecord): Promise<void> {
    if (record.type === 'steered' && this.failNextSteering) {
      this.failNextSteering = false;
      throw new Error('The ledger was told to fail');
    }
    await super.append(sessionId, record);
  }
}
