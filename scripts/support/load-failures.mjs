import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure, imported, loading, programByYarn, required } from './consumer.mjs';
import { addonName } from './native.mjs';
import { callNpm, managers, project } from './managers.mjs';
import { at, readJson } from './paths.mjs';
import { notRun } from './report.mjs';

/**
 * What a user meets where the addon is not as it should be: one error that says which package and
 * what to do, or no error at all.
 * @param {import('./managers.mjs').Place} place
 * @param {object} given
 * @param {string} given.installed a folder with the package in it
 * @param {string} given.version
 * @param {string} given.mine the package of this platform
 * @param {(label: string, work: () => Promise<unknown>) => import('./report.mjs').Suite} given.check
 * @returns {Record<string, import('./report.mjs').Suite>}
 */
export function loadFailures(place, { installed, version, mine, check }) {
  const elsewhere = process.platform === 'darwin' ? 'win32' : 'darwin';

  /** @param {Awaited<ReturnType<typeof failure>>} told */
  const saysMissing = ({ code, message, causes }) => {
    assert.equal(code, 'MODULE_NOT_FOUND');
    assert.match(message, new RegExp(`the package ${mine} is not installed`));
    assert.ok(message.endsWith(`npm install ${mine}@${version}`), message);
    assert.ok(!message.includes('\n'));
    assert.ok(causes.length > 0);
  };

  /** @type {Promise<string> | undefined} */
  let without;
  /** An installed package without this platform's. */
  const incomplete = () => (without ??= managers.npm(place, '--omit=optional'));

  /** A copy of an installed one, changed by hand. */
  const changed = async (/** @type {(modules: string) => void} */ change, folder = installed) => {
    const copy = project(place);
    cpSync(folder, copy, { recursive: true });
    change(join(copy, 'node_modules'));
    return copy;
  };

  return {
    omitted: check('npm --omit=optional: one error names the package and the way out', async () => {
      saysMissing(await failure(place, await incomplete()));
    }),

    'omitted-pnp': check("yarn, Plug'n'Play on another system: the same error", async () => {
      const folder = await managers.pnp(place, { os: [elsewhere], cpu: ['x64'] });
      saysMissing(await failure(place, folder, { start: programByYarn }));
    }),

    'lock-file': check(
      "npm ci by another system's lock file: installs this one's addon",
      async () => {
        const folder = project(place, { dependencies: { tenure: version } });
        const other = [`--os=${elsewhere}`, '--cpu=x64', '--ignore-scripts'];
        await callNpm(place, folder, 'install', ...other);
        const packages = () =>
          readdirSync(join(folder, 'node_modules')).filter((e) => e[0] !== '.');
        assert.ok(!packages().includes(mine));
        rmSync(join(folder, 'node_modules'), { recursive: true });
        await callNpm(place, folder, 'ci', '--ignore-scripts');
        assert.deepEqual(packages().sort(), ['tenure', mine].sort());
        await required(place, folder);
      },
    ),

    'by-name': check('a package that was left out is added by the name in the error', async () => {
      const folder = await changed(() => {}, await incomplete());
      const { message } = await failure(place, folder);
      const spec = message.slice(message.lastIndexOf(' ') + 1);
      await callNpm(place, folder, 'install', spec, '--ignore-scripts', '--omit=optional');
      await imported(place, folder);
    }),

    unsupported: check('a system without an addon is told which have one', async () => {
      for (const [property, value] of Object.entries({ platform: 'freebsd', arch: 'riscv64' })) {
        const preload = `Object.defineProperty(process, '${property}', { value: '${value}' });`;
        const { code, message } = await failure(place, installed, { preload });
        assert.equal(code, 'MODULE_NOT_FOUND');
        assert.match(message, new RegExp(`^tenure has no addon for .*${value}`));
        assert.match(message, /macOS, Linux \(glibc or musl\) and Windows, each on arm64 and x64/);
      }
    }),

    damaged: check('an addon that cannot be loaded is told apart from a missing one', async () => {
      const folder = await changed((modules) =>
        writeFileSync(join(modules, mine, addonName()), 'damaged'),
      );
      const { code, message } = await failure(place, folder);
      assert.equal(code, 'ERR_DLOPEN_FAILED');
      assert.match(message, new RegExp(`${mine} is installed, but loading it failed\\. .+ remove`));
    }),

    mismatch: check('an addon of another version is refused, and both are named', async () => {
      const folder = await changed((modules) => {
        const path = join(modules, 'tenure', 'package.json');
        writeFileSync(path, JSON.stringify({ ...readJson(path), version: '99.0.0' }));
      });
      const { message } = await failure(place, folder);
      assert.match(message, new RegExp(`^tenure 99\\.0\\.0 .* version ${version}, .* Install`));
    }),

    'library-path': check(
      'NAPI_RS_NATIVE_LIBRARY_PATH is taken, and named if it is wrong',
      async () => {
        const folder = await managers.npm(place, '--omit=optional');
        const env = { NAPI_RS_NATIVE_LIBRARY_PATH: join(folder, 'absent.node') };
        const { code, message } = await failure(place, folder, { env });
        assert.equal(code, 'MODULE_NOT_FOUND');
        assert.ok(
          message.includes(`NAPI_RS_NATIVE_LIBRARY_PATH names ${env.NAPI_RS_NATIVE_LIBRARY_PATH},`),
        );
        env.NAPI_RS_NATIVE_LIBRARY_PATH = at(addonName());
        assert.equal(await loading(place, folder, { env }), 'loaded');
      },
    ),

    libc: {
      label: 'the C library is that of the process, whatever the machine has besides',
      run: async () => {
        if (process.platform !== 'linux') return notRun('only Linux has more than one C library');
        return check('', async () => {
          const other = mine.endsWith('-gnu') ? 'musl libc' : 'GNU libc';
          const preload = `
            const fs = require('node:fs');
            const read = fs.readFileSync;
            fs.readFileSync = (path, ...rest) =>
              path === '/usr/bin/ldd' ? '${other}' : read(path, ...rest);`;
          assert.equal(await loading(place, installed, { preload }), 'loaded');
        }).run();
      },
    },
  };
}
