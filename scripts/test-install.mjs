// The packages as npm gets them, published to a registry of this machine and installed from it.
//   npm run test:install [-- NAME...] [--report FILE]
import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './support/build.mjs';
import {
  asserting,
  byEsbuild,
  byVite,
  compiled,
  imported,
  programByYarn,
  required,
  threaded,
} from './support/consumer.mjs';
import { install, installTools, requireRust } from './support/install.mjs';
import { loadFailures } from './support/load-failures.mjs';
import { environment, managers } from './support/managers.mjs';
import { addonName } from './support/native.mjs';
import { at, readJson } from './support/paths.mjs';
import { layOut, packages, publish } from './support/publication.mjs';
import { startRegistry } from './support/registry.mjs';
import { finish, holds, notRun, runSuites } from './support/report.mjs';
import { leave, runNode, step } from './support/steps.mjs';

/** @typedef {import('./support/report.mjs').Suite} Suite */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: 'string' } },
});

const { version } = readJson(at('package.json'));
const mine = `tenure-${addonName().split('.')[1]}`;

/** @param {string} root @returns {Promise<import('./support/managers.mjs').Place>} */
async function place(root) {
  const registry = await startRegistry();
  const home = { root, registry };
  const { host } = new URL(registry.url);
  environment(home);
  writeFileSync(join(root, 'home', 'npmrc'), `//${host}/:_authToken=nobody\n`);
  return home;
}

/** @param {import('./support/managers.mjs').Place} home @param {string} folder */
const publishTo = (home, folder) => publish(folder, ['--provenance=false'], environment(home));

/** @param {string} label @param {() => Promise<unknown>} work @returns {Suite} */
const check = (label, work) => ({ label, run: () => holds(() => asserting(work)) });

/** @param {import('./support/managers.mjs').Place} home @param {string[]} folders */
function publishing(home, folders) {
  const { registry } = home;
  /** @param {string} name */
  const manifest = (name) => registry.documents.get(name).versions[version];
  return {
    order: check('the platforms are published before the package that asks for them', async () => {
      assert.equal(registry.published.length, 9);
      assert.equal(registry.published.at(-1), 'tenure');
    }),
    again: check('a release that is started again publishes nothing twice', async () => {
      for (const folder of folders) assert.equal(await publishTo(home, folder), false);
      assert.equal(registry.published.length, 9);
    }),
    refused: check('what was laid out for a try is never published', async () => {
      const script = at('scripts', 'publish.mjs');
      const options = { env: environment(home), mayFail: true };
      const { code, output } = await runNode(script, [dirname(folders[0] ?? '')], options);
      assert.equal(code, 1, output);
      assert.match(output, /for a try only/);
    }),
    load: check("a release's own trial of this platform passes", async () => {
      await runNode(at('scripts', 'load.mjs'), [dirname(folders[0] ?? '')]);
    }),
    pins: check('the package asks for each platform at its own version', async () => {
      const names = registry.published.slice(0, -1);
      const wanted = Object.fromEntries(names.sort().map((name) => [name, version]));
      assert.deepEqual(manifest('tenure').optionalDependencies, wanted);
      assert.equal(manifest('tenure').scripts, undefined);
    }),
    conditions: check('each platform says where it can be installed', async () => {
      for (const name of registry.published.slice(0, -1)) {
        const [, os, cpu, abi] = name.split('-');
        const { libc, ...found } = manifest(name);
        assert.deepEqual([found.os, found.cpu], [[os], [cpu]], name);
        const wanted = { gnu: ['glibc'], musl: ['musl'] }[abi ?? ''];
        assert.deepEqual(libc, wanted, name);
        assert.deepEqual(found.publishConfig, { access: 'public', provenance: true });
      }
    }),
  };
}

/** @param {import('./support/managers.mjs').Place} home */
function installing(home) {
  /** @type {Record<string, Suite>} */
  const checks = {};
  const names = /** @type {const} */ ({
    npm: 'npm',
    pnpm: 'pnpm',
    yarn: 'yarn, node_modules',
    pnp: "yarn, Plug'n'Play",
  });
  for (const [id, name] of Object.entries(names)) {
    const manager = managers[/** @type {keyof typeof names} */ (id)];
    const start = id === 'pnp' ? programByYarn : undefined;
    // A place for each, so that none finds in a cache what another has fetched.
    const own = { ...home, root: join(home.root, id) };
    /** @type {string} */
    let folder;
    checks[id] = check(`${name}: installs it, and the addon of this platform only`, async () => {
      home.registry.fetched.clear();
      folder = await manager(own);
      const files = [`${mine}-${version}.tgz`, `tenure-${version}.tgz`];
      assert.deepEqual([...home.registry.fetched].sort(), files.sort());
    });
    /** @param {string} label @param {typeof required} work */
    const works = (label, work) =>
      check(`${name}: works when ${label}`, async () => {
        assert.ok(folder, `${name} has installed nothing`);
        await work(own, folder, start);
      });
    checks[`${id}-require`] = works('required', required);
    checks[`${id}-import`] = works('imported', imported);
    checks[`${id}-threads`] = works('loaded in two threads', threaded);
  }
  return checks;
}

/** @param {import('./support/managers.mjs').Place} home @param {string} folder */
function building(home, folder) {
  /** @type {Record<string, Suite>} */
  const checks = {};
  for (const compiler of ['typescript', 'typescript-current']) {
    const release = readJson(at('node_modules', compiler, 'package.json')).version;
    for (const resolution of /** @type {const} */ (['NodeNext', 'Bundler'])) {
      const label = `TypeScript ${release}, ${resolution}, strict: compiles, and runs`;
      checks[`${compiler}-${resolution}`] = check(label, () =>
        compiled(home, folder, compiler, resolution),
      );
    }
  }
  for (const format of /** @type {const} */ (['esm', 'cjs'])) {
    checks[`esbuild-${format}`] = check(`esbuild, ${format}: bundles around it, and runs`, () =>
      byEsbuild(home, folder, format),
    );
  }
  checks.vite = check('Vite: bundles around it, and runs', () => byVite(home, folder));
  return checks;
}

try {
  await requireRust();
  await install();
  await build({ eitherProfile: true });
  const report = async () => {
    if (!(await installTools())) {
      return {
        ...(await runSuites({}, [])),
        ...notRun('pnpm, yarn and esbuild cannot be fetched'),
      };
    }
    // Outside the project, so that nothing is found in a folder above.
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'tenure-install-')));
    const home = await place(root);
    try {
      const target = join(root, 'publish');
      const folders = await step('publishing to a registry of this machine', async () => {
        await layOut(target);
        const all = packages(target);
        for (const folder of all) await publishTo(home, folder);
        return all;
      });
      const folder = await step('installing by npm', () => managers.npm(home));
      const checks = {
        ...publishing(home, folders),
        ...installing(home),
        ...building(home, folder),
        ...loadFailures(home, { installed: folder, version, mine, check }),
      };
      return await runSuites(checks, positionals);
    } finally {
      home.registry.close();
      rmSync(root, { recursive: true, force: true });
    }
  };
  finish(await report(), values.report);
} catch (error) {
  leave(error);
}
