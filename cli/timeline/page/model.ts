import type { Item, State, TimelineData } from '../data.js';

export type { Item, State, TimelineData } from '../data.js';

/** An item and what is drawn of it. */
export interface Bar {
  readonly item: Item;
  /** Its place among all. */
  readonly index: number;
  readonly group: Group;
  /** Where it begins: to wait, if it waited. */
  readonly from: number;
  /** Where it began to run; `to` for one that never did. */
  readonly ran: number;
  readonly to: number;
  /** No end is known: `to` is when the page was written, or when something was last learnt of it. */
  readonly isOpen: boolean;
}

/** The operations of one scope, or the turns of one session, of one source. */
export interface Group {
  readonly key: string;
  readonly kind: Item['kind'];
  readonly scope: string;
  readonly source: string;
  readonly bars: Bar[];
}

export interface Model {
  readonly data: TimelineData;
  readonly bars: readonly Bar[];
  readonly groups: readonly Group[];
  /** More than one source of a kind: their names matter. */
  readonly namesSources: boolean;
  readonly writtenAt: number;
}

/** What each state is called and how it is told from the others without its colour. */
export const stateNames: Readonly<Record<State, string>> = {
  queued: 'Queued',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
};

export const states = Object.keys(stateNames) as State[];

export function modelOf(data: TimelineData): Model {
  const groups = new Map<string, Group>();
  const bars = data.items.map((item, index) => {
    const key = JSON.stringify([item.kind, item.source, item.scope]);
    let group = groups.get(key);
    if (group === undefined) {
      const source = data.sources[item.source]?.name ?? '';
      group = { key, kind: item.kind, scope: item.scope, source, bars: [] };
      groups.set(key, group);
    }
    const bar = barOf(item, index, group, data.writtenAt);
    group.bars.push(bar);
    return bar;
  });
  const kinds = data.sources.map(({ kind }) => kind);
  return {
    data,
    bars,
    groups: [...groups.values()].sort(byKindThenScope),
    namesSources: new Set(kinds).size < kinds.length,
    writtenAt: data.writtenAt,
  };
}

function barOf(item: Item, index: number, group: Group, writtenAt: number): Bar {
  const { queuedAt, startedAt, endedAt, seenAt, state } = item;
  const from = queuedAt ?? startedAt ?? endedAt ?? seenAt ?? writtenAt;
  const isOpen = endedAt === undefined;
  // Nobody watches an interrupted one any more: its bar ends with what was last known.
  const last = state === 'interrupted' ? (seenAt ?? startedAt ?? from) : writtenAt;
  const to = Math.max(from, startedAt ?? from, endedAt ?? last);
  const ran = startedAt ?? (state === 'queued' || queuedAt !== undefined ? to : from);
  return { item, index, group, from, ran: Math.max(from, ran), to, isOpen };
}

/** Turns first: they are what operations were started for. */
function byKindThenScope(a: Group, b: Group): number {
  if (a.kind !== b.kind) return a.kind === 'turn' ? -1 : 1;
  return a.scope.localeCompare(b.scope) || a.source.localeCompare(b.source);
}

const haystacks = new WeakMap<Bar, string>();

/** What a search looks through. */
export function haystack(bar: Bar): string {
  let text = haystacks.get(bar);
  if (text === undefined) {
    const { id, scope, label = '', state, facts = [] } = bar.item;
    const told = facts.map(([name, value]) => `${name} ${value}`);
    text = [id, scope, label, state, ...told].join('\n').toLowerCase();
    haystacks.set(bar, text);
  }
  return text;
}

export const words = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
