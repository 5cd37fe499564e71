// In a page with Node.js: the scenario in memory, and then what is unfinished when it is loaded again.
const { ipcRenderer } = require('electron');
const tenure = require('tenure');
const { scenario, unfinished } = require('./scenario.cjs');

scenario(tenure, undefined)
  .then(
    (found) => found,
    (error) => ({ error: `${error.stack}` }),
  )
  .then((found) => {
    unfinished(tenure);
    ipcRenderer.send('found', found);
  });
