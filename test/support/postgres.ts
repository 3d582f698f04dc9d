/** Databases for tests: PostgreSQL in WebAssembly, and a server of its own where one is installed or named. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Database, migrate } from '../../src/shared/store/migrations.js';
import { connectPostgres, plain, postgresStore } from '../../src/shared/store/postgres.js';
import type { Store } from '../../src/shared/store/store.js';
import { until } from './wait.js';

/** One after the other: it has a single connection. */
async function pgliteDatabase(): Promise<Database> {
  const lite = await PGlite.create({ extensions: { pg_trgm } });
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

/** On a busy machine. */
const START_MS = 120_000;

/**
 * Stores on PostgreSQL for the tests of this file, by name, empty before each. On a server each call opens one of two
 * pools, as two workers do.
 */
export function postgresStores(): Record<string, (namespaceId?: () => Promise<string | null>) => Store> {
  return Object.fromEntries(
    Object.entries(postgresDatabases()).map(([name, open]) => [
      name,
      namespaceId => postgresStore(open(), namespaceId),
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
    lite = await pgliteDatabase();
    server = await testServer();
    const { url } = server ?? {};
    if (url !== undefined) pools = [connectPostgres(url), connectPostgres(url)];
  }, START_MS);
  beforeEach(async () => {
    for (const database of all())
      await database.query(
        'TRUNCATE steersman.session, steersman.stored_text, steersman.account, steersman.removed RESTART IDENTITY CASCADE',
      );
  });
  afterAll(async () => {
    await Promise.all([lite?.close(), ...pools.map(pool => pool.close())]);
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

/** Whether one can be had here: else its tests are not there, and the message of the test run says so. */
export function hasServer(): boolean {
  return process.env.TEST_DATABASE_URL !== undefined || postgresPrograms() !== null;
}

/** A database of its own on the server that TEST_DATABASE_URL names, else a server of its own; null where none can be had. */
export async function testServer(): Promise<Pick<TestServer, 'url' | 'remove'> | null> {
  const named = process.env.TEST_DATABASE_URL;
  const programs = postgresPrograms();
  if (named === undefined) return programs === null ? null : startPostgres(programs);
  const name = `steersman_test_${randomBytes(6).toString('hex')}`;
  const there = connectPostgres(named);
  await there.query(`CREATE DATABASE ${name}`);
  const url = new URL(named);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async remove() {
      await there.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await there.close();
    },
  };
}

/** A server of its own, which can be killed and started; null where none is installed. */
export async function ownServer(): Promise<TestServer | null> {
  const programs = postgresPrograms();
  return programs === null ? null : startPostgres(programs);
}

/** Whether one is installed here. */
export function hasPrograms(): boolean {
  return postgresPrograms() !== null;
}

export interface TestServer {
  url: string;
  /** As a power cut does. */
  kill(): Promise<void>;
  /** Again, with what it had. */
  start(): Promise<void>;
  /** Ends it, and removes what it had. */
  remove(): Promise<void>;
}

/** Where the programs of a server are; null where none is installed. */
function postgresPrograms(): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).map(name => join(debian, name, 'bin')) : [];
  const places = [...(process.env.PATH ?? '').split(delimiter), ...versions.reverse()];
  return places.find(place => ['initdb', 'postgres'].every(name => existsSync(join(place, name)))) ?? null;
}

/** PostgreSQL refuses to run as root: then it is nobody's. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

async function startPostgres(programs: string): Promise<TestServer> {
  const dir = mkdtempSync(join(tmpdir(), 'postgres-'));
  if (NOBODY.uid !== undefined) chownSync(dir, NOBODY.uid, NOBODY.gid);
  const data = join(dir, 'data');
  const port = await freePort();
  execFileSync(
    join(programs, 'initdb'),
    [
      '--pgdata',
      data,
      '--username=steersman',
      '--auth=trust',
      '--encoding=unicode',
      '--locale=C',
      '--no-sync',
    ],
    { ...NOBODY, cwd: dir, stdio: 'ignore' },
  );
  const url = `postgresql://steersman@127.0.0.1:${port}/postgres`;
  let server: ReturnType<typeof spawn> | null = null;
  const start = async () => {
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${dir}`];
    server = spawn(join(programs, 'postgres'), ['-D', data, ...settings.flatMap(each => ['-c', each])], {
      ...NOBODY,
      cwd: dir,
      stdio: 'ignore',
    });
    const probe = connectPostgres(url);
    await until('PostgreSQL answers', () =>
      probe.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
    await probe.close();
  };
  const end = async (signal: NodeJS.Signals) => {
    const ended = server;
    server = null;
    if (ended === null || ended.exitCode !== null) return;
    const gone = new Promise(resolve => ended.once('exit', resolve));
    ended.kill(signal);
    await gone;
  };
  await start();
  return {
    url,
    start,
    kill: () => end('SIGQUIT'),
    async remove() {
      await end('SIGQUIT');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
