import type { Store } from '../../shared/store/store.js';
import type { ReadableStore } from '../connection/client-scope.js';

/** Returns a store that is opened at the first call; a failed opening is retried at the next call. */
export function openedAtFirstUse(openNow: () => Promise<Store>): ReadableStore {
  let first: Promise<Store> | null = null;
  const open = () => {
    first ??= openNow().catch((error: unknown) => {
      first = null;
      throw error;
    });
    return first;
  };
  return {
    sessions: partOf(open, 'sessions'),
    texts: partOf(open, 'texts'),
    accounts: partOf(open, 'accounts'),
  };
}

function partOf<P extends keyof ReadableStore>(open: () => Promise<Store>, part: P): Store[P] {
  return new Proxy({} as Store[P], {
    get:
      (_target, name) =>
      async (...given: unknown[]) => {
        const of: object = (await open())[part];
        return Reflect.apply(Reflect.get(of, name), of, given);
      },
  });
}
