// Callbacks that throw: an uncaught exception of the process, and no step of the core is broken.
import { beforeAll, describe, expect, it } from 'vitest';
import { findingsOf } from './fixtures/boundary/child.js';

type Findings = Record<string, { readonly answer: unknown; readonly uncaught: [string, string][] }>;

let found: Findings;
beforeAll(async () => {
  found = await findingsOf<Findings>('throwing');
});

const uncaught = (...messages: string[]) =>
  messages.map((message) => [message, 'uncaughtException']);

describe('what is thrown is an uncaught exception, and every step is taken', () => {
  it('by onStop: the other claims are told and aborted, and the attempt is made', () => {
    expect(found['onStop']).toEqual({
      answer: [['b'], [true, true], [true, true], 2, ['fulfilled', null]],
      uncaught: uncaught('onStop'),
    });
  });

  it('by an onStop that attach calls: the claim is attached', () => {
    expect(found['onStopOfAttach']).toEqual({
      answer: ['attached', 'run-a', ['fulfilled', null]],
      uncaught: uncaught('onStop of attach'),
    });
  });

  it('by an abort listener: the other signals are aborted, and the attempt is made', () => {
    expect(found['abort']).toEqual({
      answer: [[true, true], 1, ['fulfilled', null]],
      uncaught: uncaught('abort', 'onabort'),
    });
  });

  it('by onUpdate: the queue has changed', () => {
    expect(found['onUpdate']).toEqual({
      answer: [[true, true], ['a'], ['b']],
      uncaught: uncaught('onUpdate', 'onUpdate', 'onUpdate'),
    });
  });

  it('by onForeignStop: it counts as a part that rejects, and is among the errors of the starter', () => {
    expect(found['onForeignStop']).toEqual({
      answer: [true, true, ['rejected', 'drained: onForeignStop']],
      uncaught: uncaught('foreign onStop'),
    });
  });

  it('by onEvent: later events are told', () => {
    expect(found['onEvent']).toEqual({ answer: [2, 0], uncaught: uncaught('onEvent') });
  });
});

it('a task that throws counts as one that rejects, and is no uncaught exception', () => {
  const rejected = (what: string) => ['rejected', what];
  const told = (what: string) => ['fulfilled', what];
  expect(found['tasks']).toEqual({
    answer: {
      serialize: rejected('serialize'),
      mutate: rejected('mutate'),
      load: rejected('load'),
      activate: rejected('activate'),
      commit: rejected('commit'),
      stop: rejected('stop'),
      attempt: rejected('attempt'),
      dispose: told('dispose'),
      invalidate: told('invalidate'),
    },
    uncaught: [],
  });
});
