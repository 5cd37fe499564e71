// Run by Electron: the scenario in the main process, in utility processes, and in a page that is loaded
// again while things are unfinished in it. Prints what each found, and quits with calls under way.
const { mkdirSync } = require('node:fs');
const { join } = require('node:path');
const { app, BrowserWindow, ipcMain, utilityProcess } = require('electron');
const tenure = require('tenure');
const { scenario, unfinished } = require('./scenario.cjs');

const RELOADS = 5;

/** @param {string} name */
function folderOf(name) {
  const folder = join(app.getPath('userData'), name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** @param {string} name */
function utility(name) {
  const child = utilityProcess.fork(join(__dirname, 'utility.cjs'), [folderOf(name)]);
  return new Promise((resolve) => {
    let found;
    child.once('message', (message) => {
      found = message;
      child.postMessage('end');
    });
    child.once('exit', (code) => resolve({ ...found, code }));
  });
}

async function reloads() {
  // Only for the smoke test: a page that shows anything foreign must not be given Node.js.
  const webPreferences = { nodeIntegration: true, contextIsolation: false, sandbox: false };
  const window = new BrowserWindow({ show: false, webPreferences });
  const crashes = [];
  window.webContents.on('render-process-gone', (_, { reason }) => crashes.push(reason));
  const loads = [];
  for (let load = 0; load <= RELOADS; load += 1) {
    const heard = new Promise((resolve) => ipcMain.once('found', (_, found) => resolve(found)));
    if (load === 0) await window.loadFile(join(__dirname, 'page.html'));
    else window.webContents.reload();
    loads.push(await heard);
  }
  window.destroy();
  return { loads, crashes };
}

async function run() {
  await app.whenReady();
  const found = {
    versions: process.versions,
    main: await scenario(tenure, folderOf('main')),
    utilities: [await utility('one'), await utility('two'), await utility('one')],
    renderer: await reloads(),
  };
  console.log(JSON.stringify(found));
  unfinished(tenure);
  app.quit();
}

app.on('window-all-closed', () => {});
run().catch((error) => {
  console.error(error);
  app.exit(1);
});
