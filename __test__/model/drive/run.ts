// The same commands in two worlds, compared after each.
import assert from 'node:assert/strict';
import { fc } from './commands.ts';
import type { Command } from './define.ts';
import { observe } from './observe.ts';
import { perform } from './perform.ts';
import { payAll, remains } from './wind-down.ts';
import type { World } from './world.ts';

const HOPS = 40;
/** For long chains of waiting work: all of it is done within the macrotask that let it go on. */
const MORE_HOPS = 400;
const TICKS = 6;
/** Enough for one delivery to cause the next, a few times over. */
const MORE_TICKS = 60;
const OBSERVE_EVERY = 3;

async function microtasks(count = HOPS): Promise<void> {
  for (let hop = 0; hop < count; hop += 1) await null;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Seen {
  readonly events: string[];
  readonly promises: string[];
  readonly snapshots: string[];
}

const seen = (world: World): Seen => ({
  events: world.events(),
  promises: world.promises.map((each) => each.state),
  snapshots: world.turns.map((each) => each.last),
});

class Pair {
  constructor(
    readonly model: World,
    readonly product: World,
  ) {}

  #same(): boolean {
    const [one, two] = [seen(this.model), seen(this.product)];
    return (['events', 'promises', 'snapshots'] as const).every(
      (key) =>
        one[key].length === two[key].length && one[key].every((each, i) => each === two[key][i]),
    );
  }

  async settle(what: string): Promise<void> {
    await microtasks();
    if (!this.#same()) await microtasks(MORE_HOPS);
    if (this.model.shape.members > 1) {
      for (let count = 0; count < TICKS; count += 1) await tick();
      for (let count = 0; count < MORE_TICKS && !this.#same(); count += 1) await tick();
    }
    if (!this.#same()) {
      assert.deepEqual(seen(this.product), seen(this.model), what);
      assert.fail(what);
    }
    for (const world of [this.model, this.product]) world.forgetEvents();
  }

  /** One step in both, without a turn of the event loop in between. */
  both(step: (world: World) => string, what: string): void {
    const given = [this.model, this.product].map((world) => {
      world.isInside = true;
      const result = step(world);
      world.isInside = false;
      return result;
    });
    assert.equal(given[1], given[0], what);
  }

  observe(what: string): void {
    const [expected, actual] = [observe(this.model), observe(this.product)];
    for (let at = 0; at < expected.length; at += 1) {
      const [[name, value], [other, found]] = [expected[at]!, actual[at] ?? ['nothing', undefined]];
      if (name === other && value === found) continue;
      const of = expected
        .slice(0, at)
        .filter((each) => each[0] === 'of')
        .at(-1)?.[1];
      assert.equal(found, value, `${what}: ${name} (after ${String(of)})`);
    }
    assert.equal(actual.length, expected.length, what);
  }
}

export async function compare(
  model: World,
  product: World,
  commands: readonly Command[],
  windDown: boolean,
): Promise<void> {
  const pair = new Pair(model, product);
  try {
    for (const [at, command] of commands.entries()) {
      const what = `command ${at}: ${fc.stringify(command)}`;
      pair.both((world) => perform(world, command), what);
      await pair.settle(what);
      if (at % OBSERVE_EVERY === 0) pair.observe(what);
    }
    pair.observe('at the end');
    if (!windDown) return;
    for (let round = 0; round < 6; round += 1) {
      const what = `wind-down ${round}`;
      pair.both((world) => payAll(world), what);
      await pair.settle(what);
      pair.observe(what);
    }
    pair.both((world) => remains(world), 'what remains');
  } finally {
    for (const world of [model, product]) for (const core of world.cores) core.close();
    await microtasks();
  }
}
