import { expect, test } from 'vitest';
import { at } from '../scripts/support/paths.mjs';
import { run } from '../scripts/support/steps.mjs';

const node = (script: string, silence: number) =>
  run(process.execPath, ['-e', script], { cwd: at(), mayFail: true, silence });

const spawns = (script: string, options: string) =>
  `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(script)}], ${options})`;

const stuck = `process.title = 'stuck'; setInterval(() => {}, 1000)`;

test('a command that says nothing any more is ended, has failed, and is told of', async () => {
  const { code, output } = await node(`console.log('so far'); setInterval(() => {}, 1000)`, 1_500);
  expect(code).not.toBe(0);
  expect(output).toMatch(/so far[^]*nothing was printed for 1.5 s/);
});

test.skipIf(process.platform === 'win32')(
  'what it was doing is told, and its innermost process alone is ended at first',
  async () => {
    const inner = spawns(stuck, `{ stdio: 'inherit' }`);
    const { code, output } = await node(
      `${inner}.on('exit', (_, s) => console.log('next', s))`,
      2_000,
    );
    expect(code, 'a run that went on has stalled all the same').not.toBe(0);
    expect(output).toContain('next SIGKILL');
    expect(output).toContain('setInterval(() => {}, 1000)');
  },
);

test('a command is over when it ends, whoever else holds its output', async () => {
  const left = `setTimeout(() => {}, 40_000)`;
  const began = `${spawns(left, `{ stdio: 'inherit', detached: true }`)}`;
  const { code, output } = await node(
    `const child = ${began}; child.unref(); console.log('pid', child.pid)`,
    60_000,
  );
  process.kill(Number(output.match(/pid (\d+)/)?.[1]), 'SIGKILL');
  expect(code).not.toBe(0);
  expect(output).toContain('held its output open');
}, 30_000);
