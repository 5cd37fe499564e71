// A utility process of Electron, and a process of Node.js as well: it says what it found, and ends in
// the midst of things.
const tenure = require('tenure');
const { scenario, unfinished } = require('./scenario.cjs');

/** @type {NodeJS.EventEmitter} */
const parent = process.parentPort ?? process;
const say = (/** @type {unknown} */ message) =>
  process.parentPort ? process.parentPort.postMessage(message) : process.send?.(message);

scenario(tenure, process.argv[2])
  .catch((error) => ({ error: `${error.stack}` }))
  .then((found) => {
    // What was said is heard before this process ends.
    parent.once('message', () => {
      unfinished(tenure);
      setTimeout(() => process.exit('error' in found ? 1 : 0), 50);
    });
    say(found);
  });
