import process, { nextTick } from 'node:process';
import binding from '../binding.js';
import { TenureError } from '../errors.js';
import { Deferred, value } from '../native.js';
import { accepted, type Answer } from './answers.js';

/** Something that other threads have news for. */
export interface Woken {
  _wake(): void;
}

/** Something that asks its adapter or its clock. */
export interface Asking {
  _asked(verb: number, call: number, first: string, second: string): void;
}

const NONE = 0xffffffff;

/** Calls that wait for their answer, by ticket. */
const calls = new Map<number, Deferred<string>>();
/** Streams by the number of their watcher or follower: held by who reads them, not by us. */
export const watchers = new Map<number, WeakRef<Woken>>();
export const followers = new Map<number, WeakRef<Woken>>();
/** Started runners. */
export const runners = new Map<number, Asking>();

/** Tickets are the letter box of this face, in the higher bits, and a number. */
const NUMBERS = 1 << 20;

let box = -1;
let last = 0;
let flushes = false;

/** The list of what other threads have for this one is fetched at once, and read in order. */
function deliver(): void {
  const mail = binding.mail(letterBox());
  let at = 0;
  const number = (): number => mail[at++] as number;
  const text = (): string => mail[at++] as string;
  while (at < mail.length) {
    switch (number()) {
      case 0:
        settle(number(), text());
        break;
      case 1:
        watchers.get(number())?.deref()?._wake();
        break;
      case 2:
        followers.get(number())?.deref()?._wake();
        break;
      case 3:
        runners.get(number())?._asked(number(), number(), text(), text());
        break;
      case 4:
        settle(number(), 'null');
        break;
    }
  }
}

function settle(ticket: number, answer: string): void {
  const call = calls.get(ticket);
  calls.delete(ticket);
  try {
    call?.resolve(accepted(answer) as string);
  } catch (error) {
    call?.reject(error);
  }
}

/** The letter box of this face: what other threads have for it goes there. */
export function letterBox(): number {
  if (box < 0) box = value(binding.openMail(deliver)) * NUMBERS;
  if (box < 0) throw new TenureError('ERR_INTERNAL', 'There are too many copies of the package');
  return box;
}

let ends = false;

/** What an eventual journal has acknowledged survives the orderly end of the process: Node.js ends none of our handles then. */
export function flushAtExit(): void {
  if (ends) return;
  ends = true;
  process.once('exit', () => binding.flushJournals());
}

function flush(): void {
  flushes = false;
  binding.flushCalls();
}

/** Calls made in one tick, by whatever microtask, are handed over together and share a commit. */
function flushSoon(): void {
  if (flushes) return;
  flushes = true;
  void Promise.resolve().then(() => nextTick(flush));
}

/** A call whose answer comes by mail. */
export function asked(issue: (ticket: number) => Answer): Promise<string> {
  const mine = letterBox();
  do last = (last + 1) % NUMBERS;
  while (calls.has(mine + last));
  const ticket = mine + last;
  accepted(issue(ticket));
  const call = new Deferred<string>();
  calls.set(ticket, call);
  flushSoon();
  return call.promise;
}

/** A call that is done when it returns. */
export const now = (issue: (ticket: number) => Answer): string => accepted(issue(NONE)) as string;
