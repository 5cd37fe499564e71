import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { root } from './paths.mjs';
import { watchOver } from './stalled.mjs';

/** A step that failed, and whose output has been shown. */
export class StepFailed extends Error {
  /** @param {string} label @param {string} output */
  constructor(label, output) {
    super(`${label} failed`);
    this.name = 'StepFailed';
    this.output = output;
  }
}

const out = process.stderr;
const live = Boolean(out.isTTY) && process.env.TERM !== 'dumb' && !process.env.CI;
const colour = Boolean(out.isTTY) && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
/** @param {number} code @param {string} text */
const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** @param {number} from */
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;

/**
 * Shows one line for as long as `work` runs: alive on a terminal, one line at the end elsewhere.
 * @template R
 * @param {string} label
 * @param {() => Promise<R>} work
 * @param {(result: R) => { ok: boolean, note: string }} [describe] how to end the line
 * @returns {Promise<R>}
 */
export async function step(label, work, describe = () => ({ ok: true, note: '' })) {
  const from = performance.now();
  let frame = 0;
  const draw = () => {
    frame = (frame + 1) % frames.length;
    out.write(`\r\u001b[K${paint(36, frames[frame] ?? '')} ${label} ${paint(2, seconds(from))}`);
  };
  const timer = live ? setInterval(draw, 100) : undefined;
  if (live) draw();
  /** @param {boolean} ok @param {string} [note] */
  const end = (ok, note) => {
    clearInterval(timer);
    const mark = ok ? paint(32, '✓') : paint(31, '✗');
    const line = [mark, label, ...(note ? [note] : []), paint(2, seconds(from))].join(' ');
    out.write(`${live ? '\r\u001b[K' : ''}${line}\n`);
  };
  try {
    const result = await work();
    const { ok, note } = describe(result);
    end(ok, note);
    return result;
  } catch (error) {
    end(false);
    if (error instanceof StepFailed && error.output) out.write(`${error.output.trimEnd()}\n`);
    throw error;
  }
}

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd]
 * @property {Record<string, string | undefined>} [env] added to this process's own
 * @property {boolean} [shell]
 * @property {boolean} [mayFail] resolve with the exit code instead of throwing
 * @property {number} [silence] ms without a word after which it counts as stalled, is ended and has failed
 */

/** Nothing here is silent for so long, on a slow machine with much else to do either. */
const patience = 10 * 60_000;

/**
 * Runs a command to its end and keeps what it printed. One that stalls is ended, and what it was doing is
 * among what it printed: a test that hangs is a failed test, never a run without an end.
 * @param {string} command @param {readonly string[]} args @param {RunOptions} [options]
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      shell: options.shell ?? false,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const watch = watchOver(child, options.silence ?? patience, (what) => {
      output += `\n${what}\n`;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        watch.heard();
      });
    }
    const shown = `$ ${[command, ...args].join(' ')}`;
    child.on('error', (error) => reject(new StepFailed(command, `${shown}\n${error.message}`)));
    child.on('close', (exit, signal) => {
      const code = watch.stalled() ? exit || 1 : (exit ?? 1);
      if (code === 0 || options.mayFail) return resolve({ code, output });
      reject(new StepFailed(command, `${shown}\n${output}\nexit ${exit ?? signal}`));
    });
  });
}

/**
 * @param {string} script @param {readonly string[]} args @param {RunOptions} [options]
 */
export const runNode = (script, args = [], options = {}) =>
  run(process.execPath, [script, ...args], options);

/** Ends the process with a failed step's exit code; anything else is a fault of the script. */
export function leave(/** @type {unknown} */ error) {
  if (!(error instanceof StepFailed)) throw error;
  process.exitCode = 1;
}
