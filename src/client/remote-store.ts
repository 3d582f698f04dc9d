/** `steersman-client/store`: the store of conversations, for clients that read ended runs. */
import { openStore, storeSpec } from '@steersman/store';
import { resolveHome } from '../shared/local/home.js';
import { env } from '../shared/process/env.js';
import type { ReadableStore } from './connection/client-scope.js';
import { openedAtFirstUse } from './stored/at-first-use.js';

/**
 * Returns the store that `DATABASE_URL` names, else the folder of a worker of this machine, opened at first use.
 * `home`: that worker's `STEERSMAN_HOME`.
 */
export function storeHere(home?: string): ReadableStore {
  return openedAtFirstUse(async () => {
    const spec = storeSpec({ urlVariable: 'DATABASE_URL' }, name => env.lookup(name));
    return openStore(spec, { home: resolveHome(home) });
  });
}
