// The thread of WorkerSqlite: a message is what was called in one tick, and those that wait share a commit.

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { SqliteFile } from './sqlite.mjs';
import { decideTogether } from './sqlite-ways.mjs';

const file = new SqliteFile(workerData.path, workerData.bounds);

const verbs = {
  reserve(call) {
    const reserved = file.reserve(call);
    // Whoever called knows the rest of a new row.
    return reserved.outcome === 'created' ? reserved.status.queuePosition : reserved;
  },
  update: (call) => file.update(call),
  find: ({ id, scope }) => file.find(id, scope),
  page: ({ scope, offset }) => file.page(scope, offset),
  facts: () => ({ used: file.used, safety: file.safety }),
  close: () => undefined,
};
const decider = { ...verbs, transact: (work) => file.transact(work) };

parentPort.on('message', (first) => {
  const calls = [...first];
  for (let more = receiveMessageOnPort(parentPort); more; more = receiveMessageOnPort(parentPort))
    for (const call of more.message) calls.push(call);
  const answers = decideTogether(decider, calls);
  if (calls.some(({ verb }) => verb === 'close')) file.close();
  parentPort.postMessage(answers);
});
parentPort.postMessage('open');
