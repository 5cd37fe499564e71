// Admission: a request and a compaction of one session never overlap. Whoever comes second is told who
// is first, before any work has begun; other sessions are not held up.
//   npm run example -- admission
import { setTimeout as sleep } from 'node:timers/promises';
import {
  RuntimeCore,
  sessionOperationExclusivityKey,
  type ApplicationOperationBusyError,
} from 'tenure';

const core = new RuntimeCore({ newId: () => crypto.randomUUID(), now: () => Date.now() });
let providerCalls = 0;

/** Admits the work, or says what is in its way. The key is given back however the work ends. */
async function admitted(ownerId: string, sessionId: string, work: () => Promise<void>) {
  const operationId = crypto.randomUUID();
  const exclusivityKeys = [sessionOperationExclusivityKey(sessionId)];
  let lease;
  try {
    lease = core.operations.reserve({ operationId, ownerId, sessionId, exclusivityKeys });
  } catch (error) {
    const { code, registration } = error as ApplicationOperationBusyError;
    if (code !== 'ERR_OPERATION_BUSY') throw error;
    console.log(`  ${ownerId} of ${sessionId} refused: a ${registration.ownerId} is active there`);
    return;
  }
  try {
    console.log(`  ${ownerId} of ${sessionId} begins`);
    await work();
    console.log(`  ${ownerId} of ${sessionId} ends`);
  } finally {
    lease.release();
  }
}

async function callProvider(): Promise<void> {
  providerCalls += 1;
  await sleep(20);
}

const request = (sessionId: string) => admitted('request', sessionId, callProvider);
const compaction = (sessionId: string) => admitted('compaction', sessionId, callProvider);

console.log('A compaction is asked for while a request runs:');
await Promise.all([request('main'), compaction('main')]);
console.log('A request and a compaction are asked for while a compaction runs:');
await Promise.all([compaction('main'), request('main'), compaction('main')]);
console.log('Another session is free:');
await Promise.all([compaction('main'), request('other')]);
console.log('Work that fails gives its key back:');
const failing = admitted('request', 'main', () => Promise.reject(new Error('no network')));
await failing.catch((error: Error) => console.log(`  request of main failed: ${error.message}`));
await compaction('main');

console.log(`The provider was called ${providerCalls} times.`);
console.log('What is left:', core.stats());
