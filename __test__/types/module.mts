// The same package seen from an ECMAScript module: by name and as a namespace.
import { RuntimeCore } from 'tenure';
import * as tenure from 'tenure';

export const core = new RuntimeCore({ newId: () => 'id', now: () => 0 });
export const same: typeof tenure.RuntimeCore = RuntimeCore;
