/**
 * The store on PostgreSQL, in the schema `steersman`, for workers and clients of many machines. A conversation is
 * locked while records are added; a repeated record changes nothing.
 */

import { parseJson, preview } from 'steersman/base';
import {
  isRunRecord,
  type Mark,
  missingAfter,
  numberOf,
  type RunRecord,
  type StoredLine,
  writeEffect,
} from 'steersman/run';
import {
  foundText,
  gramsOf,
  hasBranches,
  lowerWords,
  type MessageOf,
  mayComeAgain,
  type RemovalTerms,
  type RunOf,
  refuseUnjudged,
  type SessionLine,
  type SessionStore,
  type Store,
} from 'steersman/shared';
import { postgresAccounts } from './accounts.js';
import { checkAddress, checkRights, databaseError } from './faults.js';
import { type Database, migrate, type Row, type Sql, TIME } from './migrations.js';
import { anywhere, linesOf, most, search } from './search.js';
import { postgresTexts } from './texts.js';

const TITLE_CHARS = 200;
const POOL = 5;
const CONNECT_MS = 3_000;
const STATEMENT_MS = 5_000;
/** Limits how long a worker that stops in the middle of a write can block others. */
const GUARD = `SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL idle_in_transaction_session_timeout = ${2 * STATEMENT_MS}`;

/** Connects at the first use. `url` is a secret, which errors do not show. */
export function connectPostgres(url: string): Database {
  let opened: Promise<Database> | null = null;
  const ready = () => {
    opened ??= openPool(url).catch((error: unknown) => {
      // The next use tries again.
      opened = null;
      throw error;
    });
    return opened;
  };
  return {
    query: async (text, values) => (await ready()).query(text, values),
    transaction: async work => (await ready()).transaction(work),
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}

async function openPool(url: string): Promise<Database> {
  checkAddress(url);
  const explained = <T>(asked: Promise<T>): Promise<T> =>
    asked.catch((error: unknown) => {
      throw databaseError(error, url);
    });
  const { default: pg } = await explained(import('pg'));
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'steersman',
    max: POOL,
    connectionTimeoutMillis: CONNECT_MS,
    // A timeout of the client: a hanging server can't report one, and poolers between may refuse such a setting.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    // A command can exit without closing the pool.
    allowExitOnIdle: true,
  });
  // An idle connection failed: the next use replaces it.
  pool.on('error', () => undefined);
  // A connection failed in a transaction: its next query fails. Without a listener the process would end.
  pool.on('connect', client => client.on('error', () => undefined));
  const database: Database = {
    query: async (text, values = []) => (await explained(pool.query(text, values.map(plain)))).rows,
    async transaction(work) {
      const client = await explained(pool.connect());
      try {
        await explained(client.query(`BEGIN; ${GUARD}`));
        const done = await work({
          query: async (text, values = []) => (await explained(client.query(text, values.map(plain)))).rows,
        });
        await explained(client.query('COMMIT'));
        client.release();
        return done;
      } catch (error) {
        // Closing the connection rolls the transaction back.
        client.release(true);
        throw error;
      }
    },
    close: () => pool.end(),
  };
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** Replaces NUL, which PostgreSQL's texts can't contain; a list is sent as one value. */
export function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  return Array.isArray(value) ? value.map(plain) : value;
}

export function postgresStore(database: Database, namespaceId?: () => Promise<string | null>): Store {
  return {
    sessions: postgresSessions(database),
    texts: postgresTexts(database, namespaceId),
    accounts: postgresAccounts(database),
    check: () => checkRights(database),
    async now() {
      const [row] = await database.query(`SELECT ${MS('now()')} AS now`);
      return new Date(Number(row?.now));
    },
    async catchUp() {},
    close: () => database.close(),
  };
}

// Conversations.

const MS = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const LINE = `id, title, workspace, ${MS('started_at')} AS started_at, ${MS('changed_at')} AS changed_at,
  parent_session, parent_chain, parent_message`;

function postgresSessions(database: Database): SessionStore {
  const { query } = database;
  const line = async (session: string) =>
    (await query(`SELECT ${LINE} FROM steersman.session WHERE id = $1`, [session])).map(lineOf)[0] ?? null;
  return {
    keep: (run, records, after) =>
      database
        .transaction(sql => keep(sql, { run, records, after }))
        .catch((error: unknown) => {
          if (error instanceof Unwritten) return error.from;
          throw error;
        }),
    async runs(session) {
      const found = 'SELECT record FROM steersman.run WHERE session = $1 ORDER BY started_at, chain';
      return (await query(found, [session])).flatMap(runOf);
    },
    async find(workflowId) {
      const found = 'SELECT record FROM steersman.run WHERE workflow_id = $1 ORDER BY started_at DESC';
      return (await query(found, [workflowId])).flatMap(runOf);
    },
    read: (run, ask) => readRecords(database, run, ask),
    readEach: async (session, ask) => readEach(database, session, ask),
    async list({ limit, before, text = '', workspaces }) {
      const found = await query(
        `SELECT ${LINE} FROM steersman.session
        WHERE ($1::float8 IS NULL OR changed_at < ${TIME('$1')}) AND ($2::text[] IS NULL OR workspace = ANY($2))
          AND lower(title) LIKE ALL($3::text[])
        ORDER BY changed_at DESC, id LIMIT $4`,
        [before ?? null, workspaces ?? null, lowerWords(text).map(anywhere), most(limit)],
      );
      return found.map(lineOf);
    },
    search: ask => search(database, ask),
    line,
    branches: session => branchesOf(database, session),
    branch: (parent, to) => database.transaction(sql => branch(sql, parent, to)),
    remove: (session, terms = {}) => database.transaction(sql => remove(sql, session, terms)),
  };
}

async function branch({ query }: Sql, parent: MessageOf, to: string): Promise<void> {
  // The lock makes a concurrent removal wait here; it then sees the branch.
  const found = await query(`SELECT ${LINE} FROM steersman.session WHERE id = $1 FOR SHARE`, [
    parent.session,
  ]);
  const [from] = found.map(lineOf);
  if (!from) throw new Error(`there is no conversation ${parent.session} to branch from`);
  const made = await query(
    `INSERT INTO steersman.session (id, title, workspace, started_at, changed_at, parent_session, parent_chain, parent_message)
    VALUES ($1, $2, $3, now(), now(), $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
    [to, from.title, from.workspace, parent.session, parent.chain, parent.message],
  );
  if (made.length === 0) throw new Error(`there is a conversation ${to} already`);
}

async function branchesOf({ query }: Pick<Sql, 'query'>, session: string): Promise<string[]> {
  const found = await query(
    'SELECT id FROM steersman.session WHERE parent_session = $1 AND id <> $1 ORDER BY id',
    [session],
  );
  return found.map(({ id }) => String(id));
}

async function remove(
  { query }: Sql,
  session: string,
  terms: RemovalTerms,
): Promise<{ workflowIds: string[] }> {
  // Writers of this conversation wait here, and then find their run marked as removed.
  const unchanged = await query(
    `SELECT id FROM steersman.session
    WHERE id = $1 AND ($2::float8 IS NULL OR changed_at < ${TIME('$2')}) FOR UPDATE`,
    [session, terms.before ?? null],
  );
  if (unchanged.length === 0) return { workflowIds: [] };
  const branches = await branchesOf({ query }, session);
  if (branches.length > 0) throw hasBranches(session, branches);
  const found = await query(
    'SELECT record FROM steersman.run WHERE session = $1 ORDER BY started_at, chain',
    [session],
  );
  const runs = found.flatMap(runOf);
  refuseUnjudged(session, runs, terms);
  await query('INSERT INTO steersman.removed (chain) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [
    runs.filter(mayComeAgain).map(({ chain }) => chain),
  ]);
  await query('DELETE FROM steersman.session WHERE id = $1', [session]);
  return { workflowIds: runs.map(({ workflowId }) => workflowId) };
}

/** One query reads about this much, so that each ends within its time on a slow connection too. */
const PAGE_BYTES = 4_000_000;

/** A page ends with the record that fills it. `is_last`: no requested record follows. */
const PAGE = `SELECT n, body, is_last FROM (
    SELECT n, body, sum(octet_length(body)) OVER (ORDER BY n) - octet_length(body) AS before,
      lead(n) OVER (ORDER BY n) IS NULL AS is_last
    FROM (
      SELECT n, body FROM steersman.record WHERE session = $1 AND chain = $2 AND kind = $3 AND n > $4
      ORDER BY n LIMIT $5
    ) AS asked
  ) AS sized
  WHERE before < ${PAGE_BYTES} ORDER BY n`;

async function readRecords(
  { query }: Pick<Sql, 'query'>,
  { session, chain }: RunOf,
  { kind, after = 0, limit }: Parameters<SessionStore['read']>[1],
): Promise<StoredLine[]> {
  const rows: Row[] = [];
  for (;;) {
    const last = rows.at(-1);
    if (last?.is_last === true) return rows.flatMap(linesOf);
    const from = last === undefined ? after : Number(last.n);
    const page = await query(PAGE, [session, chain, kind, from, most(limit - rows.length)]);
    if (page.length === 0) return rows.flatMap(linesOf);
    rows.push(...page);
  }
}

async function* readEach(
  database: Sql,
  session: string,
  { kind, chains }: Parameters<SessionStore['readEach']>[1],
): AsyncGenerator<{ chain: string; records: StoredLine[] }> {
  for (const chain of chains) {
    const ask = { kind, limit: Number.POSITIVE_INFINITY };
    yield { chain, records: await readRecords(database, { session, chain }, ask) };
  }
}

interface Writing {
  run: RunRecord;
  records: readonly StoredLine[];
  /** The mark that the records follow. */
  after: Mark | undefined;
}

/** Rolls the transaction back: the conversation was removed (`from` is null), or the run must be written again after `from`. */
class Unwritten extends Error {
  readonly from: Mark | null;

  constructor(from: Mark | null) {
    super('nothing is written');
    this.from = from;
  }
}

async function keep(sql: Sql, { run, records, after }: Writing): Promise<null> {
  const { session, chain, workflowId, workspace, goal, startedAt, changedAt } = run;
  // Other writers of this conversation wait here.
  await sql.query(
    `INSERT INTO steersman.session AS known (id, title, workspace, started_at, changed_at)
    VALUES ($1, $2, $3, ${TIME('$4')}, ${TIME('$5')})
    ON CONFLICT (id) DO UPDATE SET changed_at = greatest(known.changed_at, excluded.changed_at)`,
    [session, preview(goal, TITLE_CHARS), workspace, startedAt, changedAt],
  );
  const marked = await sql.query('SELECT chain FROM steersman.removed WHERE chain = $1', [chain]);
  if (marked.length > 0) throw new Unwritten(null);
  const [row] = await sql.query('SELECT record FROM steersman.run WHERE session = $1 AND chain = $2', [
    session,
    chain,
  ]);
  const [before = null] = row ? runOf(row) : [];
  const stands = writeEffect(before, run, after);
  // A late attempt: its caller has given up.
  if (stands === null) return null;
  const from = missingAfter(before, after);
  if (from !== null) throw new Unwritten(from);
  if (stands.resetTo) await dropBehind(sql, run, stands.resetTo);
  await sql.query(
    `INSERT INTO steersman.run (session, chain, workflow_id, started_at, changed_at, record)
    VALUES ($1, $2, $3, ${TIME('$4')}, ${TIME('$5')}, $6)
    ON CONFLICT (session, chain) DO UPDATE SET changed_at = excluded.changed_at, record = excluded.record`,
    [session, chain, workflowId, startedAt, changedAt, JSON.stringify(stands.run)],
  );
  if (records.length === 0) return null;
  const words = records.map(kept => (kept.kind === 'message' ? foundText(kept.message).toLowerCase() : null));
  await sql.query(
    `INSERT INTO steersman.record (session, chain, kind, n, body, words, grams)
    SELECT $1, $2, kind, n, body, words, grams::int[]
    FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[]) AS row (kind, n, body, words, grams)
    ON CONFLICT (session, chain, kind, n) DO NOTHING`,
    [
      session,
      chain,
      records.map(({ kind }) => kind),
      records.map(numberOf),
      records.map(kept => JSON.stringify(kept)),
      words,
      // An array of arrays could be sent only if all had the same length.
      words.map(each => (each === null ? null : `{${gramsOf(each).join()}}`)),
    ],
  );
  return null;
}

/** A reset run is recorded again from the mark: this deletes its later records. */
async function dropBehind({ query }: Sql, { session, chain }: RunRecord, mark: Mark): Promise<void> {
  await query(
    `DELETE FROM steersman.record WHERE session = $1 AND chain = $2
      AND n > CASE kind WHEN 'message' THEN $3::bigint ELSE $4::bigint END`,
    [session, chain, mark.id, mark.seq],
  );
}

function runOf({ record }: Row): RunRecord[] {
  const run = parseJson(String(record));
  return isRunRecord(run) ? [run] : [];
}

function lineOf(row: Row): SessionLine {
  const parent: MessageOf | null =
    row.parent_session === null
      ? null
      : {
          session: String(row.parent_session),
          chain: String(row.parent_chain),
          message: String(row.parent_message),
        };
  return {
    id: String(row.id),
    title: String(row.title),
    workspace: String(row.workspace),
    startedAt: Number(row.started_at),
    changedAt: Number(row.changed_at),
    ...(parent && { parent }),
  };
}
