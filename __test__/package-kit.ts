// The package as a user gets it: packed by npm, with the addon in the package of its platform.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll } from 'vitest';
import { addonName } from '../scripts/support/native.mjs';
import { at, bin, npm, root } from '../scripts/support/paths.mjs';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export function freshFolder(parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'tenure-package-'));
  folders.push(folder);
  return folder;
}

function call(command: string, args: readonly string[], cwd: string, shell = false): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    shell,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}\n${error?.message ?? ''}${stdout}${stderr}`);
  }
  return stdout;
}

function callNpm(args: readonly string[], cwd: string): string {
  const { command, before, shell } = npm();
  return call(command, [...before, ...args], cwd, shell);
}

/** Runs a program in `cwd` and gives back what it printed, as JSON. */
export function runProgram(cwd: string, file: string, source: string): unknown {
  writeFileSync(join(cwd, file), source);
  return JSON.parse(call(process.execPath, [file], cwd));
}

interface Packed {
  readonly tarball: string;
  readonly files: string[];
}

function pack(folder: string, target: string): Packed {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', target];
  const answer = JSON.parse(callNpm(args, folder));
  const [{ filename, files }] = Object.values(answer) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: join(target, filename), files: files.map(({ path }) => path).sort() };
}

export async function packed(): Promise<Packed> {
  return pack(root, freshFolder());
}

/** The tarball of this platform's package, made the way a release makes all of them. */
function packedAddon(): string {
  const folder = freshFolder(at('dist'));
  const napi = bin('@napi-rs/cli', 'napi');
  call(process.execPath, [napi, 'create-npm-dirs', '--npm-dir', relative(root, folder)], root);
  const platform = addonName().split('.')[1] ?? '';
  if (!readdirSync(folder).includes(platform)) throw new Error(`no package for ${platform}`);
  copyFileSync(at(addonName()), join(folder, platform, addonName()));
  return pack(join(folder, platform), folder).tarball;
}

/** A folder of its own in which the package has been installed, with or without its addon. */
export async function installed(options: { readonly addon: boolean }): Promise<string> {
  const folder = freshFolder();
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const tarballs = [(await packed()).tarball, ...(options.addon ? [packedAddon()] : [])];
  callNpm(['install', '--offline', '--ignore-scripts', '--no-audit', ...tarballs], folder);
  return folder;
}

/** What a tool of the system says of the built addon; undefined where there is no such tool. */
export function inspected(tool: string, args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(tool, [...args, at(addonName())], { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

export const text = (path: string): string => readFileSync(at(path), 'utf8');
