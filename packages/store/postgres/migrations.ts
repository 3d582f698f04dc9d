/** The tables of the store on PostgreSQL, as migrations. A released entry never changes: a later entry alters its tables. */
import { gramsOf, SteersmanError } from 'steersman/shared';

export type Row = Record<string, unknown>;

/** The query function that the store needs. */
export interface Sql {
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Sql {
  /** Commits all of the work, or nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Converts milliseconds into PostgreSQL's time. */
export const TIME = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;

type Step = string | ((sql: Sql) => Promise<void>);

/** Each entry is one version: its steps. Bodies are JSON stored as text, because `jsonb` refuses some characters. */
const MIGRATIONS: readonly (readonly Step[])[] = [
  [
    `CREATE TABLE steersman.session (
      id text PRIMARY KEY,
      title text NOT NULL,
      workspace text NOT NULL,
      started_at timestamptz NOT NULL,
      changed_at timestamptz NOT NULL,
      parent_session text,
      parent_chain text,
      parent_message text
    )`,
    'CREATE INDEX session_changed_at ON steersman.session (changed_at DESC)',
    'CREATE INDEX session_parent ON steersman.session (parent_session)',
    `CREATE TABLE steersman.run (
      session text NOT NULL REFERENCES steersman.session ON DELETE CASCADE,
      chain text NOT NULL,
      workflow_id text NOT NULL,
      started_at timestamptz NOT NULL,
      changed_at timestamptz NOT NULL,
      record text NOT NULL,
      PRIMARY KEY (session, chain)
    )`,
    'CREATE INDEX run_workflow_id ON steersman.run (workflow_id)',
    `CREATE TABLE steersman.record (
      session text NOT NULL,
      chain text NOT NULL,
      kind text NOT NULL,
      n bigint NOT NULL,
      body text NOT NULL,
      words text,
      PRIMARY KEY (session, chain, kind, n),
      FOREIGN KEY (session, chain) REFERENCES steersman.run ON DELETE CASCADE
    )`,
    // A user who may not create extensions searches without this index.
    `DO $$ BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE INDEX record_words ON steersman.record USING gin (words gin_trgm_ops);
    EXCEPTION WHEN OTHERS THEN NULL;
    END $$`,
    `CREATE TABLE steersman.stored_text (
      workflow_id text NOT NULL,
      hash text NOT NULL,
      namespace_id text NOT NULL,
      data bytea NOT NULL,
      stored_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (workflow_id, hash, namespace_id)
    )`,
    `CREATE TABLE steersman.account (
      id text PRIMARY KEY,
      balance numeric NOT NULL DEFAULT 0,
      day text NOT NULL DEFAULT '',
      day_tokens bigint NOT NULL DEFAULT 0
    )`,
    `CREATE TABLE steersman.entry (
      account text NOT NULL REFERENCES steersman.account ON DELETE CASCADE,
      kind text NOT NULL,
      key text NOT NULL,
      credits numeric NOT NULL,
      tokens bigint NOT NULL DEFAULT 0,
      at timestamptz NOT NULL DEFAULT now(),
      refunded boolean NOT NULL DEFAULT false,
      PRIMARY KEY (account, kind, key)
    )`,
    `CREATE TABLE steersman.lease (
      account text NOT NULL REFERENCES steersman.account ON DELETE CASCADE,
      chain text NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (account, chain)
    )`,
  ],
  // Runs that had not ended when their conversation was removed: their later records are not stored.
  [
    `CREATE TABLE steersman.removed (
      chain text PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT now()
    )`,
  ],
  [
    // The index exists only if its extension does.
    'DROP INDEX IF EXISTS steersman.record_words',
    'ALTER TABLE steersman.record ADD COLUMN grams int[]',
    'CREATE INDEX record_grams ON steersman.record USING gin (grams)',
    fillGrams,
  ],
];

const FILLED_AT_ONCE = 200;

/** Computes the search index of messages that already exist. */
async function fillGrams(sql: Sql): Promise<void> {
  for (;;) {
    const rows = await sql.query(
      `SELECT session, chain, n, words FROM steersman.record
      WHERE kind = 'message' AND words IS NOT NULL AND grams IS NULL LIMIT ${FILLED_AT_ONCE}`,
    );
    for (const { session, chain, n, words } of rows)
      await sql.query(
        `UPDATE steersman.record SET grams = $4::int[]
        WHERE session = $1 AND chain = $2 AND kind = 'message' AND n = $3`,
        [session, chain, n, gramsOf(String(words))],
      );
    if (rows.length < FILLED_AT_ONCE) return;
  }
}

/** The advisory lock: one of several starting workers and clients creates the tables. */
const LOCK = 7_833_776_821;

/** Migrates the tables to this code's version. If they are current, nothing is locked and no right is needed. */
export async function migrate(database: Database): Promise<void> {
  const known = MIGRATIONS.length;
  if ((await versionIn(database)) >= known) return checkVersion(await versionIn(database), known);
  await database.transaction(async sql => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await sql.query('CREATE SCHEMA IF NOT EXISTS steersman');
    await sql.query(
      'CREATE TABLE IF NOT EXISTS steersman.migration (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())',
    );
    for (let version = (await versionIn(sql)) + 1; version <= known; version += 1) {
      for (const step of MIGRATIONS[version - 1] ?? [])
        await (typeof step === 'string' ? sql.query(step) : step(sql));
      await sql.query('INSERT INTO steersman.migration (version) VALUES ($1)', [version]);
    }
  });
}

/** Returns the schema's version; 0 before the first migration. */
async function versionIn(sql: Sql): Promise<number> {
  const [table] = await sql.query(`SELECT to_regclass('steersman.migration') IS NOT NULL AS there`);
  if (table?.there !== true) return 0;
  const [row] = await sql.query('SELECT coalesce(max(version), 0) AS version FROM steersman.migration');
  return Number(row?.version ?? 0);
}

function checkVersion(version: number, known: number): void {
  if (version > known)
    throw new SteersmanError(
      `The store was made by a later version of Steersman: its tables have version ${version}, and this one knows up to ${known}.`,
      'Use that version here too.',
      'host',
    );
}
