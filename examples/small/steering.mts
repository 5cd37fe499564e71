// Steering: what is typed while a turn runs is in its transcript exactly once, also when it is unknown
// whether a write took effect. The transcript is read back before a message is acknowledged.
//   npm run example -- steering
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RuntimeCore, type SteeringTurn } from 'tenure';

interface Entry {
  readonly id: string;
  readonly text: string;
}

/** One line for each entry, in a file. Told to, it fails as disks and networks do. */
class Transcript {
  readonly #path: string;
  /** What becomes of the next writes: done and then an error, or an error and nothing done. */
  readonly faults: ('after' | 'before')[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  async append(entry: Entry): Promise<void> {
    const fault = this.faults.shift();
    if (fault === 'before') throw new Error('the disk is full');
    await appendFile(this.#path, `${JSON.stringify(entry)}\n`);
    if (fault === 'after') throw new Error('the answer was lost');
  }

  async entries(): Promise<Entry[]> {
    const lines = (await readFile(this.#path, 'utf8')).split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
  }

  /** Whether the entry is there, whatever the write said. */
  async lands(entry: Entry): Promise<boolean> {
    try {
      await this.append(entry);
      return true;
    } catch (error) {
      const found = (await this.entries()).some(({ id }) => id === entry.id);
      const seen = found ? 'but it is there' : 'and it is not there';
      console.log(`  "${entry.text}": ${(error as Error).message}, ${seen}`);
      return found;
    }
  }
}

const core = new RuntimeCore({ newId: () => crypto.randomUUID(), now: () => Date.now() });
const folder = await mkdtemp(join(tmpdir(), 'tenure-steering-'));
const transcript = new Transcript(join(folder, 'transcript.jsonl'));

/** At a step boundary: leases what is queued, and keeps what the transcript has. */
async function takeSteering(turn: SteeringTurn): Promise<void> {
  const leases = turn.pull();
  for (const [at, { id, content }] of leases.entries()) {
    if (!(await transcript.lands({ id, text: content.text }))) {
      // It goes back to the front of the queue, with those behind it, so that their order stays.
      turn.nack(leases.slice(at).map((lease) => lease.id));
      return;
    }
    turn.ack([id]);
  }
}

await transcript.append({ id: 'prompt', text: 'upgrade the dependencies' });
const turn = core.openSteeringTurn('main', 'turn-1', ({ steering, followup }) =>
  console.log(`  not in the transcript yet: ${JSON.stringify([...steering, ...followup])}`),
);

console.log('Step 1. Two messages are typed meanwhile:');
core.steer('main', 'use pnpm');
core.steer('main', 'skip the tests');
transcript.faults.push('after', 'before');
console.log('Step 2. Both writes fail:');
await takeSteering(turn);
console.log('Step 3. The second one is tried again, and one more comes too late for this turn:');
await takeSteering(turn);
core.steer('main', 'then commit');
turn.release();

console.log(
  'The transcript:',
  (await transcript.entries()).map(({ text }) => text),
);
console.log('Opens the next turn:', core.drainFollowup('main'));
console.log('What is left:', core.stats());
await rm(folder, { recursive: true });
