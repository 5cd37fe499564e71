// Following a log as lines arrive.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { OperationLog } from '../index.js';
import { openLogs, temporary } from './operations-kit.js';

const OVER = { value: undefined, done: true };

/** Reads until so much text has come. */
async function read(follow: AsyncIterator<OperationLog>, length: number): Promise<OperationLog[]> {
  const slices: OperationLog[] = [];
  for (let text = ''; text.length < length; text += slices.at(-1)!.text)
    slices.push((await follow.next()).value as OperationLog);
  return slices;
}

describe('who follows a log', () => {
  it('is given what is there from an offset on, and then what arrives, each byte once', async () => {
    const logs = await openLogs();
    for (const line of ['one', 'two']) logs.appendSync('a', line);
    const follow = logs.follow('a', { offset: 4 });
    expect((await follow.next()).value).toEqual({
      operationId: 'a',
      offset: 4,
      nextOffset: 8,
      truncated: false,
      text: 'two\n',
    });
    const waiting = follow.next();
    logs.appendSync('a', 'three');
    expect((await waiting).value).toMatchObject({ offset: 8, text: 'three\n' });
    const lines = Array.from({ length: 500 }, (_, line) => `line ${line}\n`);
    const appending = Promise.all(lines.map((line) => logs.append('a', line.trimEnd())));
    const text = lines.join('');
    const slices = await read(follow, text.length);
    await appending;
    expect(slices.map((slice) => slice.text).join('')).toBe(text);
    for (const [index, slice] of slices.slice(1).entries())
      expect(slice.offset).toBe(slices[index]!.nextOffset);
  });

  it('is given slices cut between characters, within logSliceBytes', async () => {
    const logs = await openLogs({ logSliceBytes: 5 });
    logs.appendSync('a', 'é'.repeat(4), 's');
    const slices = await read(logs.follow('a', { offset: 2, scope: 's' }), 4);
    expect(slices.map(({ offset, text }) => [offset, text])).toEqual([
      [2, 'éé'],
      [6, 'é\n'],
    ]);
  });

  it('may come before there is anything, and hears of no other log', async () => {
    const logs = await openLogs();
    const waiting = logs.follow('a', { scope: 's' }).next();
    logs.appendSync('a', 'elsewhere');
    logs.appendSync('b', 'elsewhere', 's');
    logs.appendSync('a', 'here', 's');
    expect((await waiting).value.text).toBe('here\n');
  });

  it('hears of what another handle of the directory writes', async () => {
    const directory = temporary();
    const [one, other] = [await openLogs({}, directory), await openLogs({}, directory)];
    const waiting = one.follow('a').next();
    await other.append('a', '😀');
    expect((await waiting).value.text).toBe('😀\n');
  });

  it('is told once that lines were dropped, by what it is given', async () => {
    const logs = await openLogs({ logBytes: 10 });
    const follow = logs.follow('a');
    logs.appendSync('a', 'kept');
    logs.appendSync('a', 'dropped, for it is too long');
    expect((await follow.next()).value).toMatchObject({ text: 'kept\n', truncated: true });
  });

  it('is one of many, each with a place of its own', async () => {
    const logs = await openLogs();
    const follows = Array.from({ length: 30 }, (_, offset) => logs.follow('a', { offset }));
    const first = follows.map((follow) => follow.next());
    logs.appendSync('a', '0123456789'.repeat(4));
    const given = await Promise.all(first);
    expect(given.map(({ value }) => value.offset)).toEqual(given.map((_, offset) => offset));
  });
});

describe('following ends', () => {
  it('by leaving a loop, and by return()', async () => {
    const logs = await openLogs();
    logs.appendSync('a', 'x');
    const seen: string[] = [];
    for await (const { text } of logs.follow('a')) {
      seen.push(text);
      break;
    }
    expect(seen).toEqual(['x\n']);
    const follow = logs.follow('a', { offset: 2 });
    const waiting = follow.next();
    await follow.return!();
    logs.appendSync('a', 'more');
    expect([await waiting, await follow.next()]).toEqual([OVER, OVER]);
  });

  it('by its signal, before or after it has begun', async () => {
    const logs = await openLogs();
    logs.appendSync('a', 'x');
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = [
      logs.follow('a', { offset: 2, signal }).next(),
      logs.follow('b', { signal }).next(),
    ];
    controller.abort();
    expect(await Promise.all(waiting)).toEqual([OVER, OVER]);
    expect(await logs.follow('a', { signal }).next()).toEqual(OVER);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('when the log is retired, by whichever handle; a new one of that name is another', async () => {
    const directory = temporary();
    const [one, other] = [await openLogs({}, directory), await openLogs({}, directory)];
    one.appendSync('a', 'x');
    const [ending, staying] = [one.follow('a', { offset: 2 }), one.follow('b')];
    const waiting = [ending.next(), staying.next()] as const;
    await other.retire('a');
    expect(await waiting[0]).toEqual(OVER);
    one.appendSync('a', 'anew');
    one.appendSync('b', 'y');
    expect([await ending.next(), (await waiting[1]).value.text]).toEqual([OVER, 'y\n']);
    expect((await one.follow('a').next()).value.text).toBe('anew\n');
  });

  it('when its handle closes', async () => {
    const logs = await openLogs();
    logs.appendSync('a', 'x');
    const [idle, behind] = [logs.follow('a', { offset: 2 }), logs.follow('a')];
    const waiting = idle.next();
    await logs.close();
    expect([await waiting, await behind.next()]).toEqual([OVER, OVER]);
  });
});
