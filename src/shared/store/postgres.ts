/**
 * The store on PostgreSQL, in the schema `steersman`: for workers and clients of many machines. A conversation is locked
 * while something is added to it; what says twice what is there already changes nothing.
 */
import { createHash } from 'node:crypto';
import { isBehind, type Kept, type Mark, messageNumber, type RunRecord } from '../../core/state/kept.js';
import type { Message } from '../../core/state/message.js';
import { errorText } from '../../core/text/error-text.js';
import { parseJson } from '../../core/text/json.js';
import { preview } from '../../core/text/preview.js';
import { SteersmanError } from '../errors.js';
import { runFolder } from './blob-store.js';
import { gramsOf, lowerWords, partWith, searchedText } from './find-words.js';
import { type Database, migrate, type Row, type Sql } from './migrations.js';
import { postgresAccounts } from './postgres-accounts.js';
import type { Hit, MessageOf, SessionLine, SessionStore, Store, TextStore } from './store.js';

const TITLE_CHARS = 200;
const POOL = 5;
const CONNECT_MS = 3_000;
const STATEMENT_MS = 5_000;
/** A worker that was stopped in the midst of a write keeps nobody else out for longer. */
const GUARD = `SET LOCAL statement_timeout = ${STATEMENT_MS}; SET LOCAL idle_in_transaction_session_timeout = ${2 * STATEMENT_MS}`;

/** Connects at the first use. `url`: a secret, which no error tells. */
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
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new SteersmanError(
      'The address of the store is no URL of PostgreSQL.',
      'It has the form postgresql://user:password@host:5432/database.',
      'configuration',
    );
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'steersman',
    max: POOL,
    connectionTimeoutMillis: CONNECT_MS,
    // By the client: a server that hangs says nothing, and a pooler between takes no such setting.
    query_timeout: STATEMENT_MS + CONNECT_MS,
    // A command ends though it did not close.
    allowExitOnIdle: true,
  });
  // Of a connection that nobody uses: it is replaced at the next use.
  pool.on('error', () => undefined);
  // Of one in a transaction: its next query fails. Without somebody who listens, the process would end.
  pool.on('connect', client => client.on('error', () => undefined));
  const database: Database = {
    query: async (text, values = []) => (await pool.query(text, values.map(plain))).rows,
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query(`BEGIN; ${GUARD}`);
        const done = await work({
          query: async (text, values = []) => (await client.query(text, values.map(plain))).rows,
        });
        await client.query('COMMIT');
        client.release();
        return done;
      } catch (error) {
        // With its connection goes what it had begun.
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

/** PostgreSQL's texts have no NUL; a list is sent as one value. */
export function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  return Array.isArray(value) ? value.map(plain) : value;
}

export function postgresStore(database: Database, namespaceId?: () => Promise<string | null>): Store {
  return {
    sessions: postgresSessions(database),
    texts: postgresTexts(database, namespaceId),
    accounts: postgresAccounts(database),
    async check() {
      try {
        await database.query('SELECT 1');
      } catch (error) {
        throw error instanceof SteersmanError ? error : unreachable(error);
      }
    },
    close: () => database.close(),
  };
}

function unreachable(error: unknown): SteersmanError {
  return new SteersmanError(
    `The store on PostgreSQL does not answer: ${errorText(error)}`,
    'Check that it runs, and the variable with its address: store in steersman.yaml, else DATABASE_URL.',
    'host',
  );
}

// Conversations.

const MS = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;
const TIME = (parameter: string) => `to_timestamp(${parameter}::float8 / 1000)`;
const LINE = `id, title, workspace, ${MS('started_at')} AS started_at, ${MS('changed_at')} AS changed_at,
  parent_session, parent_chain, parent_message`;

function postgresSessions(database: Database): SessionStore {
  const { query } = database;
  const line = async (session: string) =>
    (await query(`SELECT ${LINE} FROM steersman.session WHERE id = $1`, [session])).map(lineOf)[0] ?? null;
  return {
    keep: (run, records, after) => database.transaction(sql => keep(sql, { run, records, after })),
    async runs(session) {
      const found = 'SELECT record FROM steersman.run WHERE session = $1 ORDER BY started_at, chain';
      return (await query(found, [session])).flatMap(runOf);
    },
    async find(workflowId) {
      const found = 'SELECT record FROM steersman.run WHERE workflow_id = $1 ORDER BY started_at DESC';
      return (await query(found, [workflowId])).flatMap(runOf);
    },
    async read({ session, chain }, { kind, after = 0, limit }) {
      const found = await query(
        `SELECT body FROM steersman.record WHERE session = $1 AND chain = $2 AND kind = $3 AND n > $4
        ORDER BY n LIMIT $5`,
        [session, chain, kind, after, most(limit)],
      );
      return found.flatMap(({ body }) => (parseJson(String(body)) as Kept | undefined) ?? []);
    },
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
    async branch(parent, to) {
      const from = await line(parent.session);
      if (!from) throw new Error(`there is no conversation ${parent.session} to branch from`);
      const made = await query(
        `INSERT INTO steersman.session (id, title, workspace, started_at, changed_at, parent_session, parent_chain, parent_message)
        VALUES ($1, $2, $3, now(), now(), $4, $5, $6) ON CONFLICT DO NOTHING RETURNING id`,
        [to, from.title, from.workspace, parent.session, parent.chain, parent.message],
      );
      if (made.length === 0) throw new Error(`there is a conversation ${to} already`);
    },
    remove: session =>
      database.transaction(async sql => {
        const found = await sql.query(
          'SELECT workflow_id FROM steersman.run WHERE session = $1 ORDER BY started_at, chain',
          [session],
        );
        await sql.query('DELETE FROM steersman.session WHERE id = $1', [session]);
        return { workflowIds: found.map(row => String(row.workflow_id)) };
      }),
  };
}

interface Writing {
  run: RunRecord;
  records: readonly Kept[];
  /** The mark that the records follow. */
  after: Mark | undefined;
}

async function keep(sql: Sql, { run, records, after }: Writing): Promise<void> {
  const { session, chain, workflowId, workspace, goal, startedAt, changedAt } = run;
  // Whoever else adds to this conversation waits here.
  await sql.query(
    `INSERT INTO steersman.session AS known (id, title, workspace, started_at, changed_at)
    VALUES ($1, $2, $3, ${TIME('$4')}, ${TIME('$5')})
    ON CONFLICT (id) DO UPDATE SET changed_at = greatest(known.changed_at, excluded.changed_at)`,
    [session, preview(goal, TITLE_CHARS), workspace, startedAt, changedAt],
  );
  if (after) await dropReset(sql, run, after);
  // An attempt that nobody waits for any more does not take the run back.
  const isNews = await sql.query(
    `INSERT INTO steersman.run AS known (session, chain, workflow_id, started_at, changed_at, record)
    VALUES ($1, $2, $3, ${TIME('$4')}, ${TIME('$5')}, $6)
    ON CONFLICT (session, chain) DO UPDATE SET changed_at = excluded.changed_at, record = excluded.record
      WHERE known.changed_at <= excluded.changed_at RETURNING chain`,
    [session, chain, workflowId, startedAt, changedAt, JSON.stringify(run)],
  );
  const rows = [...byNumber(records).values()];
  if (rows.length === 0) return;
  const words = rows.map(kept => (kept.kind === 'message' ? searchedText(kept.message).toLowerCase() : null));
  await sql.query(
    `INSERT INTO steersman.record AS known (session, chain, kind, n, body, words, grams)
    SELECT $1, $2, kind, n, body, words, grams::int[]
    FROM unnest($3::text[], $4::bigint[], $5::text[], $6::text[], $8::text[]) AS row (kind, n, body, words, grams)
    ON CONFLICT (session, chain, kind, n) DO UPDATE SET body = excluded.body
      WHERE known.kind = 'step' AND $7`,
    [
      session,
      chain,
      rows.map(({ kind }) => kind),
      rows.map(numberOf),
      rows.map(kept => JSON.stringify(kept)),
      words,
      isNews.length > 0,
      // A list of lists of one length only could be sent as such.
      words.map(each => each && `{${gramsOf(each).join()}}`),
    ],
  );
}

/** A run that was reset tells its story anew from the mark: what it said behind it is gone. */
async function dropReset(
  { query }: Sql,
  { session, chain, runId, changedAt }: RunRecord,
  after: Mark,
): Promise<void> {
  const [row] = await query('SELECT record FROM steersman.run WHERE session = $1 AND chain = $2', [
    session,
    chain,
  ]);
  const [before] = row ? runOf(row) : [];
  if (!before || before.changedAt > changedAt || before.runId === runId || !isBehind(after, before.kept))
    return;
  await query(
    `DELETE FROM steersman.record WHERE session = $1 AND chain = $2
      AND n > CASE kind WHEN 'message' THEN $3::bigint WHEN 'event' THEN $4::bigint ELSE $5::bigint END`,
    [session, chain, after.id, after.seq, after.step],
  );
}

/** Of a step the last word counts, of all else the first. */
function byNumber(records: readonly Kept[]): Map<string, Kept> {
  const found = new Map<string, Kept>();
  for (const kept of records) {
    const key = `${kept.kind} ${numberOf(kept)}`;
    if (kept.kind === 'step' || !found.has(key)) found.set(key, kept);
  }
  return found;
}

function numberOf(kept: Kept): number {
  if (kept.kind === 'message') return messageNumber(kept.message);
  return kept.kind === 'event' ? kept.event.seq : kept.step.step;
}

type Asked = Parameters<SessionStore['search']>[0];
/** Where more messages than these have the words, the newest conversations are looked through instead. */
const RARE = 500;

async function search({ query }: Sql, { sessions, text, limit }: Asked): Promise<Hit[]> {
  const words = lowerWords(text);
  if (words.length === 0) return [];
  const grams = [...new Set(words.flatMap(gramsOf))];
  const asked = [words.map(anywhere), sessions ?? null, most(limit)];
  const rare = grams.length > 0 ? await query(RARE_HITS, [...asked, grams]) : [];
  const isRare = grams.length > 0 && Number(rare[0]?.count ?? 0) < RARE;
  const found = isRare ? rare : await query(NEWEST_HITS, asked);
  return found.flatMap(({ session, chain, workflow_id, body }) => {
    const { message } = parseJson(String(body)) as { message: Message };
    const part = partWith(searchedText(message), words);
    if (part === null) return [];
    const { id, at } = message;
    return [
      {
        session: String(session),
        chain: String(chain),
        workflowId: String(workflow_id),
        message: id,
        at,
        text: part,
      },
    ];
  });
}

const HAS_WORDS = 'record.words LIKE ALL($1::text[]) AND ($2::text[] IS NULL OR record.session = ANY($2))';

/** By the index, and then in order. */
const RARE_HITS = `WITH found AS MATERIALIZED (
    SELECT session, chain, kind, n FROM steersman.record WHERE grams @> $4::int[] AND ${HAS_WORDS} LIMIT ${RARE}
  )
  SELECT session, chain, run.workflow_id, record.body, (SELECT count(*) FROM found) AS count
  FROM found JOIN steersman.record USING (session, chain, kind, n) JOIN steersman.run USING (session, chain)
    JOIN steersman.session ON session.id = run.session
  ORDER BY session.changed_at DESC, session.id, run.started_at DESC, n DESC LIMIT $3`;

/** In order, and no more than is asked for. */
const NEWEST_HITS = `SELECT hit.* FROM steersman.session, LATERAL (
    SELECT session, chain, run.workflow_id, run.started_at, n, record.body
    FROM steersman.run JOIN steersman.record USING (session, chain)
    WHERE run.session = session.id AND ${HAS_WORDS}
    ORDER BY run.started_at DESC, n DESC LIMIT $3
  ) AS hit
  ORDER BY session.changed_at DESC, session.id, hit.started_at DESC, hit.n DESC LIMIT $3`;

/** As it stands: what has a meaning in a pattern is escaped. */
function anywhere(word: string): string {
  return `%${word.replace(/[\\%_]/g, '\\$&')}%`;
}

function most(limit: number): number | null {
  return Number.isFinite(limit) ? limit : null;
}

function runOf({ record }: Row): RunRecord[] {
  const run = parseJson(String(record)) as RunRecord | undefined;
  return run ? [run] : [];
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

// Texts.

const REF = /^blob:([A-Za-z0-9_-]{1,80})\/([0-9a-f]{64})$/;

/** Their references are those of a folder: what one has kept the other can be asked for. */
function postgresTexts(database: Database, namespaceId?: () => Promise<string | null>): TextStore {
  return {
    async put(runId, data) {
      const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
      const hash = createHash('sha256').update(bytes).digest('hex');
      await database.query(
        `INSERT INTO steersman.stored_text (workflow_id, hash, namespace_id, data) VALUES ($1, $2, $3, $4)
        ON CONFLICT (workflow_id, hash, namespace_id) DO UPDATE SET stored_at = now()`,
        [runId, hash, (await namespaceId?.()) ?? '', bytes],
      );
      return `blob:${runFolder(runId)}/${hash}`;
    },
    async read(runId, ref, { offset, length }) {
      const [, run, hash] = REF.exec(ref) ?? [];
      if (hash === undefined || run !== runFolder(runId)) return null;
      const from = Math.max(0, offset);
      const [found] = await database.query(
        `SELECT substring(data FROM $3::int FOR $4::int) AS data, length(data) AS total
        FROM steersman.stored_text WHERE workflow_id = $1 AND hash = $2 LIMIT 1`,
        [runId, hash, from + 1, Math.max(0, length)],
      );
      if (!found) return null;
      return { data: Buffer.from(found.data as Uint8Array), totalBytes: Number(found.total) };
    },
    async removeOf(workflowIds) {
      const gone = await database.query(
        'DELETE FROM steersman.stored_text WHERE workflow_id = ANY($1::text[]) RETURNING hash',
        [workflowIds],
      );
      return gone.length;
    },
  };
}
