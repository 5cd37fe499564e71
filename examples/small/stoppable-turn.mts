// A turn that can be stopped at every moment: while it runs, and while its backend is still being built.
//   npm run example -- stoppable-turn
import { setTimeout as sleep } from 'node:timers/promises';
import { RuntimeCore, type CoreTypes, type RunIdentity } from 'tenure';

interface Run extends RunIdentity {
  /** Fulfilled when nothing of the run is alive any more. */
  readonly ended: Promise<void>;
}

/** Stands for the connection to a provider. */
class Model {
  #stopped = false;

  /** Connecting takes a while, and heeds the signal of whoever waits for it. */
  static async connect(signal: AbortSignal): Promise<Model> {
    await sleep(50, undefined, { signal }).catch(() => signal.throwIfAborted());
    return new Model();
  }

  async *answer(prompt: string): AsyncGenerator<string> {
    this.#stopped = false;
    for (const word of `you asked: ${prompt}`.split(' ')) {
      await sleep(10);
      if (this.#stopped) return;
      yield word;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
  }
}

/** What rides on the handles of the core, named once. */
interface Types extends CoreTypes {
  run: Run;
  backend: Model;
  stopInput: { by: string };
}

const core = new RuntimeCore<Types>({ newId: () => crypto.randomUUID(), now: () => Date.now() });

async function runTurn(sessionId: string, prompt: string, onWord: (word: string) => void) {
  const claim = core.claimExecution(sessionId); // throws while a stop of the session stands
  const { promise: ended, resolve: end } = withResolvers();
  try {
    const id = crypto.randomUUID();
    claim.attach({ sessionId, runId: id, turnId: id, ended }, () =>
      console.log('  (told to stop)'),
    );
    // One backend a session: built here, or joined, or there already.
    const generation = await core.activate(sessionId, undefined, async () => {
      const model = await Model.connect(claim.stopSignal);
      const built = core.createGeneration(claim, undefined, model, {});
      if (built.isCurrent) return built;
      await built.dispose(() => model.stop()); // a stop came just now: it shall never run anything
      throw claim.cancellation;
    });
    if (claim.reserve(generation)) throw claim.cancellation; // from here on a stop finds the run
    claim.settle({ ok: true }); // the start is over, the run goes on
    // Nothing may be awaited between this question and the dispatch.
    if (claim.canDispatch())
      for await (const word of generation.backend.answer(prompt)) onWord(word);
  } catch (error) {
    if (error !== claim.cancellation) throw error;
    if (claim.phase === 'reserved') claim.settle({ ok: false, error });
  } finally {
    claim.leaveGeneration();
    claim.finalize({ ok: true });
    claim.release();
    end();
    for (const generation of core.generations(sessionId)) void generation.reconcile();
  }
}

function stop(sessionId: string, by: string): Promise<void> {
  return core.stopSession(sessionId, { by }, async (attempt) => {
    const running = attempt.activeClaims();
    // Each backend is told once, however many stops ask for it.
    const told = running.map(({ generation }) => generation.stop(() => generation.backend.stop()));
    await Promise.all(told);
    await attempt.drained(); // those that were still starting
    await Promise.all(running.map((claim) => claim.run.ended));
    // Whatever came last, the end of a run or of a backend's stop: it may run something again.
    for (const generation of core.generations(sessionId)) await generation.reconcile();
  });
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

console.log('A turn that runs is stopped at its second word:');
const asked: Promise<void>[] = [];
const words: string[] = [];
await runTurn('main', 'why is the sky blue', (word) => {
  words.push(word);
  if (words.length === 2) asked.push(stop('main', 'a person'), stop('main', 'a second click'));
});
await Promise.all(asked);
console.log(`  it said "${words.join(' ')}", and two stops were one: ${asked[0] === asked[1]}`);

console.log('A turn whose backend is being built is stopped before it runs:');
const starting = runTurn('other', 'never asked', () => console.log('  this is not printed'));
await stop('other', 'a person');
await starting;
console.log('  it said nothing');

console.log('The session is free again, and its backend is used again:');
words.length = 0;
await runTurn('main', 'and now', (word) => words.push(word));
console.log(`  it said "${words.join(' ')}"`);

for (const id of core.cachedSessions())
  for (const generation of core.generations(id))
    await generation.dispose(() => generation.backend.stop());
console.log('What is left:', core.stats());
