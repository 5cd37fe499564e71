// What every process of an application does with the package: one turn that is stopped, one message, and
// a start that is repeated after the journal was closed and opened again.
const { join } = require('node:path');

/**
 * @param {typeof import('../../index.js')} tenure
 * @param {string | undefined} folder of its journal; left out, the journal is in memory
 */
async function scenario({ RuntimeCore, OperationJournal, inputDigest }, folder) {
  let ids = 0;
  const core = new RuntimeCore({ newId: () => `${(ids += 1)}`, now: () => Date.now() });
  const claim = core.claimExecution('s');
  claim.attach({ sessionId: 's', runId: 'r', turnId: 't' }, () => {});
  const turn = core.openSteeringTurn('s', 't', () => {});
  core.steer('s', 'a message');
  const pulled = turn.pull();
  turn.ack(pulled.map(({ id }) => id));
  const stopped = core.stopSession('s', {}, async (stop) => {
    claim.finalize({ ok: true });
    await stop.drained();
  });
  const { aborted } = claim.stopSignal;
  await stopped;
  turn.release();
  core.close();

  const open = () =>
    folder === undefined
      ? OperationJournal.inMemory()
      : OperationJournal.open(join(folder, 'operations.journal'));
  let journal = await open();
  const input = { prompt: 'é' };
  const start = () => journal.reserve('o', inputDigest('', input), input);
  const outcomes = [(await start()).outcome];
  if (folder !== undefined) {
    await journal.close();
    journal = await open();
  }
  outcomes.push((await start()).outcome);
  const other = journal.reserve('o', inputDigest('', {}), {});
  outcomes.push(
    await other.then(
      ({ outcome }) => outcome,
      ({ code }) => code,
    ),
  );
  if (journal.status('o')?.finishedAt === null) await journal.update('o', { state: 'cancelled' });
  const state = journal.status('o')?.state;
  await journal.close();
  return { aborted, texts: pulled.map(({ content }) => content.text), outcomes, state };
}

/**
 * Things of every kind, unfinished when their process or page ends.
 * @param {typeof import('../../index.js')} tenure
 */
function unfinished({ RuntimeCore, OperationJournal, inputDigest }) {
  const core = new RuntimeCore({ newId: () => 'id', now: () => 0, scope: 'unfinished' });
  const claim = core.claimExecution('s');
  claim.enter().catch(() => {});
  core.mutateSessions(['s'], () => new Promise(() => {})).catch(() => {});
  const journal = OperationJournal.inMemory();
  journal
    .watch()
    .next()
    .catch(() => {});
  const digest = inputDigest('', {});
  for (let each = 0; each < 1_000; each += 1)
    journal.reserve(`${each}`, digest, {}).catch(() => {});
}

module.exports = { scenario, unfinished };
