import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What tells a process from a later one that was given the same id. */
export interface ProcessLook {
  readonly start: string;
  /** It has exited, and only waits to be collected by its parent. */
  readonly isOver: boolean;
}

/** The process that has this id now. */
export function lookAt(pid: number): ProcessLook | undefined {
  if (process.platform === 'linux') return lookInProc(pid);
  return process.platform === 'win32' ? askPowerShell(pid) : askPs(pid);
}

/** Whether anything of a process group can still run. */
export function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  // Not every container has an init that collects the dead, and they answer to signals.
  return process.platform !== 'linux' || livingGroups().includes(group);
}

// -- Linux --------------------------------------------------------------------

/** Fields of /proc/PID/stat, counted from the third. */
const processGroup = 5 - 3;
const startTime = 22 - 3;

function lookInProc(pid: number): ProcessLook | undefined {
  const fields = statOf(String(pid));
  if (!fields) return undefined;
  // The start is told in ticks since the boot, and means something for this boot only.
  return { start: `${fields[startTime]} ${bootId()}`, isOver: isOver(fields) };
}

/** From the third field on: the second is a name, and may hold anything. */
function statOf(pid: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function isOver([state]: string[]): boolean {
  return state === 'Z' || state === 'X';
}

function livingGroups(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const fields = /^\d+$/.test(name) ? statOf(name) : undefined;
    return fields && !isOver(fields) ? [Number(fields[processGroup])] : [];
  });
}

let boot: string | undefined;

function bootId(): string {
  try {
    return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8));
  } catch {
    return (boot = '');
  }
}

// -- elsewhere ----------------------------------------------------------------

function askPs(pid: number): ProcessLook | undefined {
  const said = answerOf('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  const [, state = '', start] = /^(\S+)\s+(.+)$/.exec(said) ?? [];
  return start === undefined ? undefined : { start, isOver: state.startsWith('Z') };
}

/** By convention; nobody has tried it. */
function askPowerShell(pid: number): ProcessLook | undefined {
  const question = `(Get-Process -Id ${pid}).StartTime.ToFileTimeUtc()`;
  const start = answerOf('powershell.exe', ['-NoProfile', '-Command', question]);
  return start === '' ? undefined : { start, isOver: false };
}

function answerOf(command: string, args: string[]): string {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    windowsHide: true,
  });
  return status === 0 ? stdout.trim() : '';
}
