import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { SubmissionRefused } from 'tenure';
import type { JobFiles } from './job-files.mts';

/**
 * Runs the command as its child and writes down how it ended, whole or not at all. It heads the
 * process group and lets the signals for the group pass, so that it is there to say so. What the
 * shell itself has to say (that something was terminated) is no output of the command.
 */
const keeper = `
trap : HUP INT TERM
echo $$ >"$1/begun"
(exec "$2" -c "$3" 2>&1)
echo $? >"$1/status.new" && mv -f "$1/status.new" "$1/status"
`;

/** By convention; nobody has tried it. */
const windowsKeeper = (folder: string, command: string): string =>
  `"echo . >"${folder}\\begun" & (${command}) 2>&1 & call echo %^errorlevel% >"${folder}\\status.new"` +
  ` & move /y "${folder}\\status.new" "${folder}\\status" >nul"`;

export interface JobCommand {
  readonly command: string;
  readonly cwd: string;
  readonly shell: string;
}

/**
 * Starts a process that outlives this one: a session of its own, and files for what it prints.
 * Throws SubmissionRefused if none could be started.
 */
export async function startJob(
  files: JobFiles,
  { command, cwd, shell }: JobCommand,
): Promise<ChildProcess & { readonly pid: number }> {
  const raw = files.create();
  try {
    const onWindows = process.platform === 'win32';
    const child = onWindows
      ? spawn('cmd.exe', ['/d', '/s', '/c', windowsKeeper(files.folder, command)], {
          ...{ cwd, detached: true, windowsHide: true, windowsVerbatimArguments: true },
          stdio: ['ignore', raw, raw],
        })
      : spawn('/bin/sh', ['-c', keeper, 'tenure-job', files.folder, shell, command], {
          ...{ cwd, detached: true },
          stdio: ['ignore', raw, 'ignore'],
        });
    const failure = new Promise<Error>((resolve) => child.on('error', resolve));
    if (child.pid === undefined) {
      const { code = 'unknown' } = (await failure) as NodeJS.ErrnoException;
      await files.remove();
      throw new SubmissionRefused(
        `The command could not be started in ${cwd.slice(-150)}: ${code}`,
      );
    }
    child.unref();
    return child as ChildProcess & { readonly pid: number };
  } finally {
    closeSync(raw);
  }
}
