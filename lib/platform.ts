import process from 'node:process';

/** What the addon is built for, `napi.targets` of package.json, as people call it. */
const SYSTEMS: Readonly<Record<string, string>> = {
  darwin: 'macOS',
  linux: 'Linux',
  win32: 'Windows',
};
const ARCHITECTURES = ['arm64', 'x64'];
const SUPPORTED = 'macOS, Linux (glibc or musl) and Windows, each on arm64 and x64';

/** A platform that has an addon: the package that holds it, and what people call the platform. */
export interface Platform {
  readonly packageName: string;
  readonly label: string;
}

/** The C library that this very process runs on, whatever the machine has besides. */
function libc(): 'glibc' | 'musl' {
  // What the sockets are connected to would be looked up by name.
  Object.assign(process.report, { excludeNetwork: true });
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/** Undefined where there is no addon. */
export function platform(): Platform | undefined {
  const { platform: system, arch } = process;
  const name = SYSTEMS[system];
  if (name === undefined || !ARCHITECTURES.includes(arch)) return undefined;
  const triple = `tenure-${system}-${arch}`;
  if (system === 'win32') return { packageName: `${triple}-msvc`, label: `${name} ${arch}` };
  if (system !== 'linux') return { packageName: triple, label: `${name} ${arch}` };
  const library = libc();
  return {
    packageName: `${triple}-${library === 'glibc' ? 'gnu' : library}`,
    label: `${name} ${arch} with ${library}`,
  };
}

export const unsupported = (): string =>
  `tenure has no addon for ${process.platform} ${process.arch}. There is one for ${SUPPORTED}.`;

export const missing = ({ packageName, label }: Platform, version: string): string =>
  `tenure cannot load its addon for ${label}: the package ${packageName} is not installed. ` +
  'It is an optional dependency of tenure: install again without leaving those out. If a lock file ' +
  'from another system lacks it, remove the lock file and node_modules and install again on this ' +
  `one, or add it by its name: npm install ${packageName}@${version}`;

export const broken = ({ packageName, label }: Platform, why: string): string =>
  `tenure cannot load its addon for ${label}: ${packageName} is installed, but loading it failed. ` +
  `${why} It may be damaged, or need a newer system than this one: remove node_modules and ` +
  'install again on this system.';

export const misnamed = (path: string, why: string): string =>
  `tenure cannot load its addon: NAPI_RS_NATIVE_LIBRARY_PATH names ${path}, and loading that ` +
  `failed. ${why} Correct the variable, or unset it to use the installed package.`;

export const mismatched = (version: string, found = 'unknown', path?: string): string =>
  `tenure ${version} has loaded an addon of version ${found}, and needs one of its own version. ` +
  (path === undefined
    ? 'Install tenure again, so that its platform package has the same version.'
    : `NAPI_RS_NATIVE_LIBRARY_PATH names it: ${path}`);
