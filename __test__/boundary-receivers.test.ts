// Methods and getters of every class, called on what is not their handle.
import { describe, expect, it, onTestFinished } from 'vitest';
import * as product from '../index.js';
import {
  CLASSES,
  GETTERS,
  METHODS,
  NAMES,
  answerOf,
  call,
  facts,
  makeWholeWorld,
  promises,
  refusalOf,
  type WholeWorld,
} from './fixtures/boundary/kit.js';

type Name = (typeof NAMES)[number];
/** Those with a constructor for everyone. */
const OPEN: Name[] = ['RuntimeCore', 'AdmissionLimiter', 'ApplicationOperationService'];

const properties = (name: Name) =>
  Reflect.ownKeys(CLASSES[name][0].prototype)
    .filter((key) => key !== 'constructor' && !String(key).startsWith('_'))
    .map(
      (key) => [key, Reflect.getOwnPropertyDescriptor(CLASSES[name][0].prototype, key)] as const,
    );

/** What is no handle of the class: nothing, plain values, look-alikes, and handles of the others. */
function strangers(name: Name, world: WholeWorld): [string, unknown][] {
  const { prototype } = CLASSES[name][0];
  const others = NAMES.filter((other) => other !== name);
  return [
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['a string', 'a'],
    ['a plain object', {}],
    ['a function', () => {}],
    ['the prototype', prototype],
    ['an object of the prototype', Object.create(prototype)],
    ...others.map((other): [string, unknown] => [other, world[CLASSES[other][1]]]),
  ];
}

/** How a call answered, if not as it has to on a receiver that is not its handle. */
async function strayed(name: Name, member: PropertyKey, ask: () => unknown): Promise<string[]> {
  const { how, code, type } = await refusalOf(ask);
  const answer = `${String(member)} ${how} ${type ?? ''} ${code ?? ''}`;
  const due = promises(name, String(member)) ? 'rejected' : 'threw';
  return answer === `${String(member)} ${due} TypeError ERR_INVALID_THIS` ? [] : [answer];
}

describe('what is listed here is all there is', () => {
  it('of classes', () => {
    const constructors = Object.entries(product)
      .filter(([, each]) => typeof each === 'function' && /^class\b/.test(String(each)))
      .map(([name]) => name)
      // Those of durable operations are looked at in operations-receivers.
      .filter((name) => !/Error$|Refused$|^Operation(Journal|Logs|Runner|Service)$/.test(name));
    expect(constructors.sort()).toEqual([...NAMES].sort());
  });

  it.each(NAMES)('of %s', async (name) => {
    const world = await makeWholeWorld();
    onTestFinished(() => world.core.close());
    const methods = properties(name).filter(([, found]) => typeof found?.value === 'function');
    const getters = properties(name).filter(([, found]) => found?.get !== undefined);
    const sorted = (keys: readonly PropertyKey[]) => keys.map(String).sort();
    expect(sorted(methods.map(([key]) => key))).toEqual(
      sorted(Reflect.ownKeys(METHODS[name](world))),
    );
    expect(sorted(getters.map(([key]) => key))).toEqual(sorted(GETTERS[name]));
  });
});

describe.each(NAMES)('%s', (name) => {
  it('says ERR_INVALID_THIS on what is not its handle, and does nothing', async () => {
    const world = await makeWholeWorld();
    onTestFinished(() => world.core.close());
    const before = facts(world);
    const { prototype } = CLASSES[name][0];
    const methods = METHODS[name](world);
    const strays: Record<string, string[]> = {};
    for (const [what, stranger] of strangers(name, world)) {
      const found: string[] = [];
      for (const method of Reflect.ownKeys(methods)) {
        const args = methods[method] as unknown[];
        found.push(...(await strayed(name, method, () => call(prototype, method, stranger, args))));
      }
      for (const getter of GETTERS[name]) {
        const get = Reflect.getOwnPropertyDescriptor(prototype, getter)?.get as () => unknown;
        found.push(...(await strayed(name, getter, () => Reflect.apply(get, stranger, []))));
      }
      if (found.length > 0) strays[what] = found;
    }
    expect(strays).toEqual({});
    expect(facts(world)).toEqual(before);
  });
});

describe.each(NAMES.filter((name) => !OPEN.includes(name)))('%s', (name) => {
  it('gives no working handle to a caller who constructs one', async () => {
    const world = await makeWholeWorld();
    onTestFinished(() => world.core.close());
    const before = facts(world);
    const tried = await answerOf(() => Reflect.construct(CLASSES[name][0] as never, []));
    const made = tried.how === 'threw' ? undefined : tried.value;
    const methods = METHODS[name](world);
    const { prototype } = CLASSES[name][0];
    const strays: string[] = [];
    for (const method of Reflect.ownKeys(methods)) {
      const args = methods[method] as unknown[];
      strays.push(...(await strayed(name, method, () => call(prototype, method, made, args))));
    }
    expect(strays).toEqual([]);
    expect(facts(world)).toEqual(before);
  });
});
