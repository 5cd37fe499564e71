// What a turn has asked a person: open until answered, owned by the turn and generation that asked.
import { expect, test } from 'vitest';
import {
  NOTHING,
  OK,
  attach,
  endTurn,
  failedWith,
  newCore,
  refusal,
  runOf,
  startTurn,
} from './contract-kit.ts';

test('an open request is found by session and id, and knows who asked', async () => {
  const core = newCore();
  const asking = await startTurn(core, 'r1');
  const question = { text: 'delete the file?' };
  const request = asking.openRequest('q1', question);
  expect(request).toMatchObject({
    sessionId: 'chat',
    requestId: 'q1',
    turnId: 'turn of r1',
    value: question,
  });
  expect(request.value).toBe(question);
  expect(request.generation).toBe(asking.generation);
  expect(core.request('chat', 'q1')).toBe(request);
  expect(core.request('chat', 'q2')).toBeUndefined();
  expect(core.request('other', 'q1')).toBeUndefined();
  expect(core.requests('other')).toEqual([]);
});

test('requests are listed in the order opened, and asking again keeps the place', async () => {
  const core = newCore();
  const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
  const first = one.openRequest('b', { n: 1 });
  two.openRequest('a', { n: 2 });
  one.openRequest('c', { n: 3 });
  expect(one.openRequest('b', { n: 4 })).toBe(first);
  expect(core.requests('chat').map((each) => [each.requestId, each.value])).toEqual([
    ['b', { n: 4 }],
    ['a', { n: 2 }],
    ['c', { n: 3 }],
  ]);
});

test('another turn, or the same turn on another generation, is refused and changes nothing', async () => {
  const core = newCore();
  const asking = await startTurn(core, 'r1');
  const sibling = await startTurn(core, 'r2');
  const twin = await startTurn(core, 'r3', { route: 'kid', turn: 'turn of r1' });
  const request = asking.openRequest('q', { n: 1 });
  for (const other of [sibling, twin]) {
    const error = refusal('ERR_REQUEST_CONFLICT', () => other.openRequest('q', { n: 2 }));
    expect(error.message).toBe('Interaction request q belongs to another turn or generation');
  }
  expect(request.value).toEqual({ n: 1 });
  twin.leaveGeneration();
  expect(core.request('chat', 'q')).toBe(request);
});

test('a request is closed once; a later one with its id is another', async () => {
  const core = newCore();
  const asking = await startTurn(core, 'r1');
  const first = asking.openRequest('q', { n: 1 });
  first.close();
  first.close();
  const second = asking.openRequest('q', { n: 2 });
  expect(second).not.toBe(first);
  first.close();
  expect(core.request('chat', 'q')).toBe(second);
  expect(first.value).toEqual({ n: 1 });
});

test('only a run that is registered may ask', async () => {
  const core = newCore();
  const claim = core.claimExecution('chat');
  const open = (): unknown => claim.openRequest('q', {});
  const expected = 'Execution claim cannot open request q in phase ';
  expect(refusal('ERR_CLAIM_PHASE', open).message).toBe(`${expected}pending`);
  claim.attach(runOf('r1'), () => {});
  expect(refusal('ERR_CLAIM_PHASE', open).message).toBe(`${expected}attached`);
  claim.reserve(core.createGeneration(claim, undefined, {}, {}));
  open();
  claim.settle(OK);
  claim.leaveGeneration();
  expect(refusal('ERR_CLAIM_PHASE', open).message).toBe(`${expected}released`);
});

test('requests end with the run that asked, and no others do', async () => {
  const core = newCore();
  const [one, two] = [await startTurn(core, 'r1'), await startTurn(core, 'r2')];
  one.openRequest('a', {});
  const kept = two.openRequest('b', {});
  one.openRequest('c', {});
  one.leaveGeneration();
  expect(core.requests('chat')).toEqual([kept]);
  const retry = attach(core, 'r3', { turn: 'turn of r1' });
  retry.reserve(two.generation);
  const again = retry.openRequest('a', {});
  one.leaveGeneration();
  expect(core.requests('chat')).toEqual([kept, again]);
  retry.settle(OK);
  retry.leaveGeneration();
  await endTurn(two);
  expect(core.stats()).toEqual(NOTHING);
});

test('requests outlive a stop and a failed disposal: there is nobody left to answer, and that shows', async () => {
  const core = newCore();
  const asking = await startTurn(core, 'r1');
  const request = asking.openRequest('q', {});
  await core.stopSession('chat', {}, async () => {});
  const cause = new Error('stuck');
  await core.invalidate('chat').dispose(async ([generation]) => {
    await generation!.dispose(() => Promise.reject(cause));
    return failedWith(cause);
  });
  expect(core.request('chat', 'q')).toBe(request);
  expect(request.generation.phase).toBe('failed');
  asking.leaveGeneration();
  expect(core.requests('chat')).toEqual([]);
});
