import binding from './binding.js';
import { flushSoon } from './log.js';
import { handles, list, onDrain, report, target } from './native.js';

/** What a handle does when an effect names it. Each class has those that concern it. */
export interface Acting {
  _seal?(word: number): void;
  _end?(): void;
  _entered?(reason: number): void;
  _deliver?(): void;
  _run?(): void;
  _drained?(failed: number): void;
  _lifted?(gone: boolean): void;
  _joined?(how: number): void;
  _over?(word: number): void;
}

/** The part of a member in a stop that another one started: set while a delivery is taken. */
let beginPart: ((slot: number) => void) | undefined;

export function delivering(core: number, begin: (slot: number) => void): void {
  const outer = beginPart;
  beginPart = begin;
  try {
    if ((binding.deliver(core) & 1) !== 0) act();
  } finally {
    beginPart = outer;
  }
}

/** What has gone is let go of before anything of the caller's runs: its slot may be given again. */
function settle(kind: number, handle: Acting | undefined, slot: number, word: number): void {
  switch (kind) {
    case 1: // a claim was sealed
    case 3: // a generation was sealed
    case 4: // a turn was sealed
    case 6: // a request was closed
    case 7: // an invalidation was lifted
      handles[slot] = undefined;
      handle?._seal?.(word);
      break;
    case 5: // a message was dropped
    case 8: // a checkpoint was dropped
      handles[slot] = undefined;
      break;
    case 11: // a mutation or a task will never run
      handles[slot] = undefined;
      handle?._end?.();
      break;
    case 16: // an attempt is over, and without failures it is forgotten
      if ((word & 1) === 0) handles[slot] = undefined;
      break;
  }
}

function apply(kind: number, handle: Acting | undefined, slot: number, word: number): void {
  switch (kind) {
    case 2:
      handle?._entered?.(word);
      break;
    case 9:
      handle?._deliver?.();
      break;
    case 10: // a mutation or a task has come to its turn
    case 12:
      handle?._run?.();
      break;
    case 13:
      handle?._drained?.(word);
      break;
    case 14:
      handle?._lifted?.(word === 1);
      break;
    case 15:
      handle?._joined?.(word);
      break;
    case 16:
    case 18:
      handle?._over?.(word);
      break;
    case 17:
      beginPart?.(slot);
      break;
  }
}

/** A fault of ours in one effect must not cost the others. */
function applied(kind: number, handle: Acting | undefined, slot: number, word: number): void {
  try {
    apply(kind, handle, slot, word);
  } catch (error) {
    report(error);
  }
}

const SLOT = 2 ** 5;
const WORD = 2 ** 37;

/**
 * Acts on what the calls so far have caused. What that causes in turn is acted on within it. `gone` is
 * the slot of the handle that the last call was about, if the call has sealed it.
 */
function act(gone?: number): void {
  // One effect is the rule, and needs no list.
  const one = binding.drainOne();
  if (one === -1) {
    actOnAll(gone);
  } else {
    const kind = one & 31;
    const slot = Math.floor(one / SLOT) % 2 ** 32;
    const handle = one < 0 ? undefined : (handles[slot] as Acting | undefined);
    if (gone !== undefined) handles[gone] = undefined;
    if (one >= 0) {
      const word = Math.floor(one / WORD);
      settle(kind, handle, slot, word);
      applied(kind, handle, slot, word);
    }
  }
  flushSoon();
}

function actOnAll(gone: number | undefined): void {
  const effects = list(binding.drain(target()));
  const at = (index: number): number => effects[index] as number;
  const named: (Acting | undefined)[] = [];
  for (let index = 0; index < effects.length; index += 3)
    named.push(handles[at(index + 1)] as Acting | undefined);
  if (gone !== undefined) handles[gone] = undefined;
  named.forEach((handle, place) => {
    const index = place * 3;
    settle(at(index), handle, at(index + 1), at(index + 2));
  });
  named.forEach((handle, place) => {
    const index = place * 3;
    applied(at(index), handle, at(index + 1), at(index + 2));
  });
}

onDrain(act);
