/** Stores on PostgreSQL for the tests of a file: in WebAssembly, and on a server where one can be had. */
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Database, migrate } from '../../packages/store/postgres/migrations.js';
import { connectPostgres, plain, postgresStore } from '../../packages/store/postgres/postgres.js';
import type { Store } from '../../src/shared/store/store.js';
import { hasServer, testServer } from './postgres-server.js';

/** One after the other: it has a single connection. */
export async function pgliteDatabase(): Promise<Database> {
  const lite = await PGlite.create();
  const database: Database = {
    query: async (text, values = []) => (await lite.query(text, values.map(plain))).rows as never,
    transaction: work =>
      lite.transaction(tx =>
        work({ query: async (text, values = []) => (await tx.query(text, values.map(plain))).rows as never }),
      ),
    close: () => lite.close(),
  };
  await migrate(database);
  return database;
}

/** One for all files of this process, for it takes seconds to start. It ends with the process. */
let shared: Promise<Database> | null = null;

/**
 * Stores on PostgreSQL for the tests of this file, by name, empty before each. On a server each call opens one of two
 * pools, as two workers do.
 */
export function postgresStores(): Record<string, (namespaceId?: () => Promise<string | null>) => Store> {
  return Object.fromEntries(
    Object.entries(postgresDatabases()).map(([name, open]) => [
      name,
      (namespaceId?: () => Promise<string | null>) => postgresStore(open(), namespaceId),
    ]),
  );
}

/** The databases of such stores. */
export function postgresDatabases(): Record<string, () => Database> {
  let lite: Database | null = null;
  let pools: Database[] = [];
  let server: Awaited<ReturnType<typeof testServer>> = null;
  const all = () => [...(lite ? [lite] : []), ...pools.slice(0, 1)];
  beforeAll(async () => {
    shared ??= pgliteDatabase();
    lite = await shared;
    server = await testServer();
    const { url } = server ?? {};
    if (url !== undefined) pools = [connectPostgres(url), connectPostgres(url)];
  });
  beforeEach(async () => {
    for (const database of all())
      await database.query(
        'TRUNCATE steersman.session, steersman.stored_text, steersman.account, steersman.removed RESTART IDENTITY CASCADE',
      );
  });
  afterAll(async () => {
    await Promise.all(pools.map(pool => pool.close()));
    await server?.remove();
  });
  let turn = 0;
  const onServer = () => {
    turn += 1;
    return given(pools[turn % 2]);
  };
  return {
    'PostgreSQL in WebAssembly': () => given(lite),
    ...(hasServer() && { 'a server of PostgreSQL': onServer }),
  };
}

function given<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the database is not there yet');
  return value;
}
