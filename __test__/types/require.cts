// And from CommonJS, the way it is shipped.
import tenure = require('tenure');

export const core: tenure.RuntimeCore = new tenure.RuntimeCore({ newId: () => 'id', now: () => 0 });
