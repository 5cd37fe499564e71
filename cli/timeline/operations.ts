import type { OperationJournal, OperationStatus } from '../../index.js';
import type { Item } from './data.js';

/** As much of a journal as is read. */
export type Rows = Pick<OperationJournal, 'stats' | 'page' | 'startedAt'>;

/**
 * The operations of a journal as items, scope by scope, newest first. No input, result or reference is
 * among them: a page is made to be handed on.
 */
export function* operationItems(
  rows: Rows,
  source: number,
  wanted?: readonly string[],
): Generator<Item> {
  const scopes = rows.stats().scopes.map(({ scope }) => scope);
  for (const scope of scopes.sort()) {
    if (wanted !== undefined && !wanted.includes(scope)) continue;
    for (let offset: number | null = 0; offset !== null;) {
      const page = rows.page(scope, { offset });
      for (const status of page.operations)
        yield operationItem(status, rows.startedAt(status.operationId, scope), scope, source);
      offset = page.nextOffset;
    }
  }
}

function operationItem(
  status: OperationStatus,
  startedAt: number | null,
  scope: string,
  source: number,
): Item {
  const { operationId, state, stage, submittedAt, finishedAt, updatedAt } = status;
  return {
    kind: 'operation',
    id: operationId,
    scope,
    source,
    state,
    ...(stage === null ? {} : { label: stage }),
    queuedAt: submittedAt,
    ...(startedAt === null ? {} : { startedAt }),
    ...(finishedAt === null ? {} : { endedAt: finishedAt }),
    seenAt: updatedAt,
    facts: factsOf(status),
  };
}

function factsOf(status: OperationStatus): [name: string, value: string][] {
  const { stage, error, progress, submission, queuePosition, stale, inputDigest } = status;
  const facts: [string, string][] = [];
  if (error !== null) facts.push(['Error', error]);
  if (stage !== null) facts.push(['Stage', stage]);
  if (progress !== null) facts.push(['Progress', `${Math.round(progress * 100)} %`]);
  if (queuePosition !== null) facts.push(['Place in the queue', String(queuePosition + 1)]);
  facts.push(['Submission', submission]);
  if (stale) facts.push(['Stale', 'what is known may be out of date']);
  facts.push(['Input digest', `${inputDigest.slice(0, 12)}…`]);
  return facts;
}
