import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** @typedef {{ pid: number, parent: number, line: string }} Process */

/**
 * What a command prints, or as much as it has printed when its time is over.
 * @param {string} command @param {readonly string[]} args @param {number} timeout ms
 * @returns {Promise<string>}
 */
const printed = (command, args, timeout) =>
  new Promise((resolve) => {
    const options = { timeout, maxBuffer: 1 << 26, killSignal: /** @type {const} */ ('SIGKILL') };
    execFile(command, args, options, (_error, stdout) => resolve(stdout));
  });

/** @returns {Promise<Process[]>} */
async function processes() {
  const asked = ['-A', '-o', 'pid=,ppid=,stat=,etime=,args='];
  const lines = (await printed('ps', asked, 10_000)).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent] = line.match(/^\s*(\d+)\s+(\d+)\s/) ?? [];
    return pid ? [{ pid: Number(pid), parent: Number(parent), line: line.trim() }] : [];
  });
}

/** A process and all that it has started, the outermost first. @param {number} pid */
async function family(pid) {
  const all = await processes();
  const found = all.filter((one) => one.pid === pid);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found;
}

/** The threads of a process by name, with what each waits for. Linux alone tells. @param {number} pid */
function threads(pid) {
  try {
    const tasks = `/proc/${pid}/task`;
    return readdirSync(tasks).map((task) => {
      const [name, state, place] = ['comm', 'stat', 'wchan'].map((file) =>
        readFileSync(`${tasks}/${task}/${file}`, 'utf8').trim(),
      );
      return `    ${name}: ${state?.match(/\) (\S)/)?.[1]} ${place}`;
    });
  } catch {
    return [];
  }
}

/** Where each thread stands, if there is a debugger. @param {number} pid */
async function stacks(pid) {
  const asked = ['-batch', '-p', String(pid), '-ex', 'thread apply all backtrace 30'];
  const lines = (await printed('gdb', asked, 120_000)).split('\n');
  return lines.filter((line) => /^(Thread |#)/.test(line)).slice(0, 400);
}

/** @param {number} pid */
const kill = (pid) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
};

/**
 * Ends a command that says nothing any more, and tells what it was doing: first its innermost processes,
 * for a runner of tests goes on with the next file without them; all of them if that did not help.
 * @param {number} pid @param {boolean} whole
 */
async function end(pid, whole) {
  if (process.platform === 'win32') {
    await printed('taskkill', ['/T', '/F', '/PID', String(pid)], 10_000);
    return '';
  }
  const all = await family(pid);
  const inner = all.filter((one) => !all.some(({ parent }) => parent === one.pid));
  const told = [];
  for (const one of all) {
    told.push(`  ${one.line.slice(0, 300)}`);
    if (inner.includes(one)) told.push(...threads(one.pid), ...(await stacks(one.pid)));
  }
  // Without `ps` there is nothing to choose from.
  for (const one of whole || all.length === 0 ? [...all, { pid }] : inner) kill(one.pid);
  return told.join('\n');
}

/** What a process that has ended wrote last is read within this, unless others hold its output. */
const farewell = 10_000;

/**
 * Sees to it that a child process ends and lets go of its output: every silence of `patience` ms is one
 * stall too many.
 * @param {import('node:child_process').ChildProcess} child @param {number} patience
 * @param {(what: string) => void} tell
 */
export function watchOver(child, patience, tell) {
  let stalls = 0;
  let over = false;
  const stalled = async () => {
    stalls += 1;
    const doing = await end(child.pid ?? 0, stalls > 1);
    tell(`nothing was printed for ${patience / 1000} s, so this was ended:\n${doing}`);
    if (!over) timer.refresh();
  };
  const held = () => {
    stalls += 1;
    tell('a process that it left behind held its output open');
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  let timer = setTimeout(stalled, patience);
  const stop = () => {
    over = true;
    clearTimeout(timer);
  };
  child.once('error', stop).once('close', stop);
  child.once('exit', () => {
    stop();
    timer = setTimeout(held, farewell);
  });
  return {
    /** It has said something. */
    heard: () => over || timer.refresh(),
    /** Whether it did not end by itself. */
    stalled: () => stalls > 0,
  };
}
