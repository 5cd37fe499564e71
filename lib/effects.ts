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

function apply(kind: number, slot: number, word: number): void {
  const handle = handles[slot] as Acting | undefined;
  switch (kind) {
    case 1: // a claim was sealed
    case 3: // a generation was sealed
    case 4: // a turn was sealed
    case 6: // a request was closed
    case 7: // an invalidation was lifted
      handles[slot] = undefined;
      handle?._seal?.(word);
      break;
    case 2:
      handle?._entered?.(word);
      break;
    case 5: // a message was dropped
    case 8: // a checkpoint was dropped
      handles[slot] = undefined;
      break;
    case 9:
      handle?._deliver?.();
      break;
    case 10: // a mutation or a task has come to its turn
    case 12:
      handle?._run?.();
      break;
    case 11: // it never will
      handles[slot] = undefined;
      handle?._end?.();
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

const SLOT = 2 ** 5;
const WORD = 2 ** 37;

/** Acts on what the calls so far have caused. What that causes in turn is acted on within it. */
function act(): void {
  // One effect is the rule, and needs no list.
  const one = binding.drainOne();
  if (one >= 0) applied(one & 31, Math.floor(one / SLOT) % 2 ** 32, Math.floor(one / WORD));
  else if (one === -1) actOnAll();
  flushSoon();
}

function actOnAll(): void {
  const effects = list(binding.drain(target()));
  for (let index = 0; index < effects.length; index += 3) {
    applied(effects[index] as number, effects[index + 1] as number, effects[index + 2] as number);
  }
}

/** A fault of ours in one effect must not cost the others. */
function applied(kind: number, slot: number, word: number): void {
  try {
    apply(kind, slot, word);
  } catch (error) {
    report(error);
  }
}

onDrain(act);
