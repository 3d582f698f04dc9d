/** Accounts on PostgreSQL: an account's row is locked while it changes, and each key counts once. */

import { type Account, type AccountStore, checkAccount } from 'steersman/shared';
import { countable, LEASE_MS, rounded } from '../accounts.js';
import type { Database, Row, Sql } from './migrations.js';

const ACCOUNT = 'id, balance::text AS balance, day, day_tokens::text AS day_tokens';
/** Today in UTC, by the clock of the database. */
const TODAY = `to_char(now() AT TIME ZONE 'utc', 'YYYY-MM-DD')`;

export function postgresAccounts(database: Database): AccountStore {
  const changing = <T>(account: string, work: (sql: Sql, now: Account) => Promise<T>) =>
    database.transaction(async sql => {
      checkAccount(account);
      await sql.query('INSERT INTO steersman.account (id) VALUES ($1) ON CONFLICT DO NOTHING', [account]);
      const [now] = await sql.query(`SELECT ${ACCOUNT} FROM steersman.account WHERE id = $1 FOR UPDATE`, [
        account,
      ]);
      return work(sql, accountOf(now ?? { id: account }));
    });
  return {
    async charge(account, key, what) {
      const counted = countable(what);
      return changing(account, (sql, now) => charge(sql, now, { kind: 'charge', key, ...counted }));
    },
    async grant(account, key, given) {
      const { credits } = countable({ credits: given });
      return changing(account, async (sql, now) => {
        const isNew = await enter(sql, account, { kind: 'grant', key, credits, tokens: 0 });
        return isNew ? save(sql, { ...now, balance: rounded(now.balance + credits) }) : now;
      });
    },
    refund: (account, prefix) => changing(account, (sql, now) => refund(sql, now, prefix)),
    async show(account) {
      const [found] = await database.query(`SELECT ${ACCOUNT} FROM steersman.account WHERE id = $1`, [
        account,
      ]);
      return found ? accountOf(found) : null;
    },
    async list() {
      const found = await database.query(`SELECT ${ACCOUNT} FROM steersman.account ORDER BY id COLLATE "C"`);
      return found.map(accountOf);
    },
    lease: (account, chain, limit) => changing(account, sql => lease(sql, account, chain, limit)),
    async release(account, chain) {
      await database.query('DELETE FROM steersman.lease WHERE account = $1 AND chain = $2', [account, chain]);
    },
  };
}

async function charge(sql: Sql, now: Account, entry: Entry): Promise<Account & { isNew: boolean }> {
  const { credits, tokens } = entry;
  const isNew = await enter(sql, now.id, entry);
  if (!isNew) return { ...now, isNew };
  const [{ today = '' } = {}] = await sql.query(`SELECT ${TODAY} AS today`);
  const day = String(today);
  const dayTokens = tokens + (day === now.day ? now.dayTokens : 0);
  const balance = rounded(now.balance - credits);
  return { ...(await save(sql, { ...now, balance, day, dayTokens })), isNew };
}

async function refund(sql: Sql, now: Account, prefix: string): Promise<Account> {
  const back = await sql.query(
    `UPDATE steersman.entry SET refunded = true
    WHERE account = $1 AND kind = 'charge' AND starts_with(key, $2) AND NOT refunded
    RETURNING credits::text AS credits`,
    [now.id, prefix],
  );
  if (back.length === 0) return now;
  const sum = back.reduce((all, { credits }) => rounded(all + Number(credits)), 0);
  return save(sql, { ...now, balance: rounded(now.balance + sum) });
}

async function lease(sql: Sql, account: string, chain: string, limit: number): Promise<boolean> {
  await sql.query(
    `DELETE FROM steersman.lease WHERE account = $1 AND at < now() - $2::float8 * interval '1 millisecond'`,
    [account, LEASE_MS],
  );
  const leases = await sql.query('SELECT chain FROM steersman.lease WHERE account = $1', [account]);
  if (leases.length >= limit && !leases.some(each => each.chain === chain)) return false;
  await sql.query(
    `INSERT INTO steersman.lease (account, chain, at) VALUES ($1, $2, now())
    ON CONFLICT (account, chain) DO UPDATE SET at = excluded.at`,
    [account, chain],
  );
  return true;
}

interface Entry {
  kind: 'charge' | 'grant';
  key: string;
  credits: number;
  tokens: number;
}

/** Returns false if the key already exists. */
async function enter(sql: Sql, account: string, { kind, key, credits, tokens }: Entry): Promise<boolean> {
  const made = await sql.query(
    `INSERT INTO steersman.entry (account, kind, key, credits, tokens)
    VALUES ($1, $2, $3, $4::text::numeric, $5)
    ON CONFLICT DO NOTHING RETURNING key`,
    [account, kind, key, String(credits), tokens],
  );
  return made.length > 0;
}

async function save(sql: Sql, account: Account): Promise<Account> {
  const { id, balance, day, dayTokens } = account;
  await sql.query(
    'UPDATE steersman.account SET balance = $2::text::numeric, day = $3, day_tokens = $4 WHERE id = $1',
    [id, String(balance), day, dayTokens],
  );
  return account;
}

function accountOf({ id, balance = 0, day = '', day_tokens = 0 }: Row): Account {
  return { id: String(id), balance: Number(balance), day: String(day), dayTokens: Number(day_tokens) };
}
