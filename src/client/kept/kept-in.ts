/** The store that clients of this machine read: as the configuration says that holds here, else as the environment does. */
import { resolve } from 'node:path';
import { openStore, storeSpec } from '@steersman/store';
import { defaultConfigDir } from '../../config/config-dir.js';
import { settingsOfAny } from '../../config/settings.js';
import { isTrusted, variablesOf } from '../../config/trust/trust.js';
import { env } from '../../shared/env.js';
import type { Store } from '../../shared/store/store.js';

type Part = 'sessions' | 'texts' | 'accounts';

/** Of databases: a program has one pool of connections to each. */
const opened = new Map<string, Store>();

export function keptIn(home: string): Pick<Store, Part> {
  let first: Promise<Store> | null = null;
  const open = () => {
    first ??= openHere(home).catch((error: unknown) => {
      first = null;
      throw error;
    });
    return first;
  };
  return {
    sessions: atFirstUse(open, 'sessions'),
    texts: atFirstUse(open, 'texts'),
    accounts: atFirstUse(open, 'accounts'),
  };
}

async function openHere(home: string): Promise<Store> {
  const folder = resolve(defaultConfigDir());
  // Nothing is read of a folder that is not trusted: it could say where everything goes.
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

/** A part of a store that is opened when something of it is called. */
function atFirstUse<P extends Part>(open: () => Promise<Store>, part: P): Store[P] {
  return new Proxy({} as Store[P], {
    get:
      (_target, name) =>
      async (...given: unknown[]) => {
        const of: object = (await open())[part];
        return Reflect.apply(Reflect.get(of, name), of, given);
      },
  });
}
