// All commands, and sequences of them.
import fc from 'fast-check';
import { admission, permits } from './admission.ts';
import { claims } from './claims.ts';
import type { Command, Definition } from './define.ts';
import { generations } from './generations.ts';
import { definedCommands, register } from './perform.ts';
import { ends, rest } from './rest.ts';
import { setLeaves } from './script.ts';
import { steering } from './steering.ts';
import { stops } from './stops.ts';
import { mutations, rooms } from './waiting.ts';
import type { Part } from './world.ts';

const groups = {
  claims,
  stops,
  steering,
  generations,
  mutations,
  rooms,
  admission,
  permits,
  rest,
  ends,
};
type Group = keyof typeof groups;

for (const group of Object.values(groups)) register(group);

const drawn = (name: string, { args }: Definition): fc.Arbitrary<Command> =>
  fc.record({ do: fc.constant(name), ...args });

const all = (Object.entries(groups) as [Group, Record<string, Definition>][]).flatMap(
  ([group, definitions]) =>
    Object.entries(definitions).map(([name, definition]) => {
      return {
        group,
        name,
        definition,
        weight: definition.weight,
        arbitrary: drawn(name, definition),
      };
    }),
);

/** What callbacks do: no closing, and nothing that would nest scripts without end. */
const isLeaf = ({ name, definition }: (typeof all)[number]): boolean =>
  !('inner' in definition.args) &&
  !['closeMember', 'joinMember', 'failDraw', 'openGate'].includes(name);

setLeaves(fc.oneof(...all.filter(isLeaf)));

interface Theme {
  readonly weight: number;
  /** What it begins with, so that the rest finds something to work on. */
  readonly first: readonly string[];
  readonly favourites: Partial<Record<Group, number>>;
}

/** Each sequence dwells on something, so that it gets deep into it. */
const themes: readonly Theme[] = [
  {
    weight: 8,
    first: ['startTurn', 'admit', 'stopSession'],
    favourites: { claims: 2, stops: 5, generations: 2 },
  },
  { weight: 4, first: ['startTurn', 'admit', 'openRequest'], favourites: { claims: 4 } },
  { weight: 3, first: ['openSteeringTurn', 'steer'], favourites: { steering: 8 } },
  { weight: 3, first: ['startTurn', 'invalidate'], favourites: { claims: 2, generations: 5 } },
  {
    weight: 3,
    first: ['mutateSessions', 'mutateSessions', 'claim', 'enter'],
    favourites: { claims: 1, mutations: 12 },
  },
  { weight: 1, first: ['loadCheckpoint', 'serialize'], favourites: { rooms: 15 } },
  { weight: 1, first: ['reserveOperation'], favourites: { admission: 10 } },
  { weight: 1, first: ['acquire'], favourites: { permits: 12 } },
  { weight: 3, first: [], favourites: {} },
];

/** Only where there are others: a stop that crosses, and members that come and go meanwhile. */
const crossing: Theme = {
  weight: 12,
  first: ['startTurn', 'startTurn', 'admit', 'stopSession', 'stopSession'],
  favourites: { claims: 1, stops: 4, ends: 8, mutations: 3 },
};

const named = (name: string): fc.Arbitrary<Command> =>
  all.find((each) => each.name === name)!.arbitrary;

const themed = ({ first, favourites }: Theme, maxLength: number): fc.Arbitrary<Command[]> => {
  const weighted = all.map(({ group, name, weight, arbitrary }) => {
    const times = name === 'openGate' ? 2 : (favourites[group] ?? (group === 'ends' ? 0.1 : 0.3));
    return { arbitrary, weight: Math.max(1, Math.round(4 * weight * times)) };
  });
  const body = fc.array(fc.oneof(...weighted), { minLength: 1, maxLength, size: 'max' });
  if (first.length === 0) return body;
  const beginning = fc.array(fc.oneof(...first.map(named)), { maxLength: 4, size: 'max' });
  return fc.tuple(beginning, body).map(([before, rest]) => [...before, ...rest]);
};

export const part: fc.Arbitrary<Part | undefined> = fc.option(
  fc.record({
    how: fc.constantFrom<Part['how'][]>('gate', 'gate', 'gate', 'drain', 'now', 'reject', 'throw'),
    retains: fc.option(fc.record({ lineage: fc.boolean(), terminal: fc.boolean() }), {
      nil: undefined,
    }),
  }),
  { nil: undefined, freq: 4 },
);

export const sequence = (maxLength: number, members: number): fc.Arbitrary<Command[]> => {
  const used = members > 1 ? [...themes, crossing] : themes;
  return fc.noBias(
    fc.oneof(
      ...used.map((theme) => ({ weight: theme.weight, arbitrary: themed(theme, maxLength) })),
    ),
  );
};

export { definedCommands, fc };
