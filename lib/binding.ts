import process from 'node:process';
import type { Addon } from './addon.js';
import { broken, mismatched, misnamed, missing, platform, unsupported } from './platform.js';

/*
 * The addon, found by the loader that napi makes. Where that fails, what is thrown is one error that
 * names what is missing and the way out; `code` is one of Node's own, `cause` what the loader tried.
 * `require` is that of index.js, which all of lib/ is bundled into.
 */

const { version } = require('./package.json') as { version: string };
const override = process.env.NAPI_RS_NATIVE_LIBRARY_PATH || undefined;

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

/** The first line; what follows in Node's own messages is the stack of requires. */
function told(error: unknown): string {
  const [line = ''] = String((error as Error | null)?.message ?? error).split('\n');
  return /[.!?]$/.test(line) ? line : `${line}.`;
}

const failure = (code: unknown, message: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), { code });

/** The addon of the library path, asked for again because the loader keeps no code of its errors. */
function namedAddon(path: string, cause: unknown): Addon {
  try {
    return require(path) as Addon;
  } catch (error) {
    throw failure(codeOf(error), misnamed(path, told(error)), cause);
  }
}

/**
 * The addon of the platform's package. The loader judges the C library by a file of the machine, which
 * is wrong where the process runs on another one: so it may well be found here.
 */
function packagedAddon(cause: unknown): Addon {
  const here = platform();
  if (here === undefined) throw failure('MODULE_NOT_FOUND', unsupported(), cause);
  try {
    return require(here.packageName) as Addon;
  } catch (error) {
    const code = codeOf(error);
    const isMissing = code === 'MODULE_NOT_FOUND';
    const message = isMissing ? missing(here, version) : broken(here, told(error));
    throw failure(code, message, cause);
  }
}

function load(): Addon {
  try {
    return require('./binding.js') as Addon;
  } catch (error) {
    // Of a checkout that is not built: there is no loader at all.
    if (codeOf(error) === 'MODULE_NOT_FOUND') throw error;
    return override === undefined ? packagedAddon(error) : namedAddon(override, error);
  }
}

const binding = load();
// One that does not tell its version is older than this question.
const found = (binding as Partial<Addon>).version?.();
if (found !== version) throw failure('ERR_DLOPEN_FAILED', mismatched(version, found, override));

export default binding;
