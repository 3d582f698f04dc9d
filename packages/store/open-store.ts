/** Chooses and opens the store. Workers and clients use only this module for it. */
import { join } from 'node:path';
import type { Store } from 'steersman/shared';
import { SteersmanError } from 'steersman/shared';
import { openFolder } from './folder.js';
import { connectPostgres, postgresStore } from './postgres/postgres.js';
import { SpooledTexts } from './spool.js';

/** The settings `store` of `steersman.yaml`. */
export interface StoreSettings {
  kind?: 'folder' | 'postgres' | 'none' | undefined;
  urlVariable: string;
}

/** `url` is a secret. */
export type StoreSpec = { kind: 'folder' } | { kind: 'postgres'; url: string };

/**
 * Without a configured kind, the store is the database that the environment names, else a folder.
 * @throws SteersmanError if PostgreSQL is configured and its variable is not set.
 */
export function storeSpec(
  { kind, urlVariable }: StoreSettings,
  lookup: (name: string) => string | undefined,
): StoreSpec {
  const url = lookup(urlVariable);
  if (kind === 'postgres' && url === undefined)
    throw new SteersmanError(
      `The store is on PostgreSQL, and ${urlVariable}, which has its address, is not set.`,
      `Set ${urlVariable} to postgresql://user:password@host:5432/database, in .env or the environment.`,
      'configuration',
    );
  return url !== undefined && (kind === undefined || kind === 'postgres')
    ? { kind: 'postgres', url }
    : { kind: 'folder' };
}

export interface StorePlace {
  home: string;
  /** The namespace of the runs that the store serves. */
  namespaceId?: () => Promise<string | null>;
  /** Receives a line for people when the store fails, and when it works again. */
  report?: (line: string) => void;
}

export function openStore(spec: StoreSpec, { home, namespaceId, report }: StorePlace): Store {
  if (spec.kind === 'folder') return openFolder(join(home, 'store'), namespaceId);
  const store = postgresStore(connectPostgres(spec.url), namespaceId);
  const texts = new SpooledTexts(store.texts, { dir: join(home, 'spool'), namespaceId, report });
  return { ...store, texts, catchUp: () => texts.catchUp() };
}
