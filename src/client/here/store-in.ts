/** The store that clients of this machine read: from the default configuration, else from the environment. */
import { resolve } from 'node:path';
import { openStore, storeSpec } from '@steersman/store';
import { defaultConfigDir } from '../../config/files/config-dir.js';
import { settingsOfAny } from '../../config/settings/settings.js';
import { isTrusted, variablesOf } from '../../config/trust/trust.js';
import { env } from '../../shared/process/env.js';
import type { Store } from '../../shared/store/store.js';
import type { ReadableStore } from '../connection/client-scope.js';
import { openedAtFirstUse } from '../stored/at-first-use.js';

/** Open stores of databases: a program has one pool of connections to each. */
const opened = new Map<string, Store>();

export function storeIn(home: string): ReadableStore {
  return openedAtFirstUse(() => openHere(home));
}

async function openHere(home: string): Promise<Store> {
  const folder = resolve(defaultConfigDir());
  // An untrusted folder is not read, because it could redirect conversations.
  const read = isTrusted(folder) ? await settingsOfAny(folder).catch(() => null) : null;
  const settings = read?.settings ?? null;
  const dotEnv = settings === null ? {} : variablesOf(folder).set;
  const spec = storeSpec(
    settings?.store ?? { urlVariable: 'DATABASE_URL' },
    name => env.lookup(name) ?? dotEnv[name],
  );
  if (spec.kind === 'folder') return openStore(spec, { home });
  const store = opened.get(spec.url) ?? openStore(spec, { home });
  opened.set(spec.url, store);
  return store;
}
