/** What every store of accounts does, in a table of stores. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { postgresStore } from '../../../packages/store/postgres/postgres.js';
import type { AccountStore } from '../../../src/shared/store/store.js';
import { postgresDatabases } from '../../support/postgres.js';
import { until } from '../../support/wait.js';

let dir = '';
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'accounts-'));
  // Stores count by days of their own clock: no test begins on one day and ends on the next.
  await until('the day is not about to end', () => Date.now() % DAY_MS < DAY_MS - 20_000);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const databases = postgresDatabases();
const onPostgres = Object.fromEntries(
  Object.entries(databases).map(([name, open]) => [name, () => postgresStore(open()).accounts]),
);

function onDatabase(name: string): { aged: Aging; dated: Dating } {
  const query = (text: string, values: unknown[]) =>
    databases[name]?.().query(text, values) ?? Promise.resolve();
  return {
    aged: ms => query(`UPDATE steersman.lease SET at = at - $1::float8 * interval '1 millisecond'`, [ms]),
    dated: day => query('UPDATE steersman.account SET day = $1', [day]),
  };
}

/** Each call opens the same accounts anew, as another worker does. */
const STORES: Record<string, () => AccountStore> = {
  'a folder': () => openFolder(dir).accounts,
  ...onPostgres,
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const today = () => new Date().toISOString().slice(0, 10);

function cost(credits: number, tokens = 100) {
  return { credits, tokens };
}

/** As if all places had been taken so much earlier. */
type Aging = (ms: number) => Promise<unknown>;
/** As if the last charge had been on that day. */
type Dating = (day: string) => Promise<unknown>;

function changeLines(change: (line: Record<string, unknown>) => void): void {
  const folder = join(dir, 'accounts');
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean);
    const changed = lines.map(text => {
      const line = JSON.parse(text);
      change(line);
      return JSON.stringify(line);
    });
    writeFileSync(join(folder, name), `${changed.join('\n')}\n`);
  }
}

const inFolder: { aged: Aging; dated: Dating } = {
  aged: async ms =>
    changeLines(line => line.k === 'lease' && Object.assign(line, { at: Number(line.at) - ms })),
  dated: async day =>
    changeLines(line => line.k === 'charge' && Object.assign(line, { at: Date.parse(`${day}T12:00Z`) })),
};

describe.each(Object.entries(STORES))('accounts in %s', (name, open) => {
  const { aged, dated } = name === 'a folder' ? inFolder : onDatabase(name);
  test('LL9: a name that an index can not take → refused in every store, before anything is written', async () => {
    const accounts = open();
    const name = Array.from({ length: 300 }, (_, at) => (at * 7_919).toString(36).padStart(10, 'x')).join('');
    for (const write of [
      () => accounts.grant(name, 'k', 1),
      () => accounts.charge(name, 'k', { credits: 1, tokens: 1 }),
      () => accounts.lease(name, 'run', 1),
    ])
      await expect(write()).rejects.toMatchObject({ code: 'usage' });
    expect(await accounts.list()).toEqual([]);
  });

  test('a charge: made twice with one key → taken once, also by another worker', async () => {
    await open().grant('ann', 'first', 10);
    expect(await open().charge('ann', 'run/goal-1/turn-1', cost(2.5))).toEqual({
      id: 'ann',
      balance: 7.5,
      day: today(),
      dayTokens: 100,
      isNew: true,
    });
    expect(await open().charge('ann', 'run/goal-1/turn-1', cost(2.5))).toMatchObject({
      balance: 7.5,
      dayTokens: 100,
      isNew: false,
    });
  });

  test('charges: at the same time with one key and with others → each key once', async () => {
    const [one, two] = [open(), open()];
    const made = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? one : two).charge('ann', `turn-${index >> 2}`, cost(1)),
      ),
    );
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(10);
    expect(await open().show('ann')).toMatchObject({ balance: -10, dayTokens: 1_000 });
  });

  test('a grant: made twice with one key → added once; a charge with that key is another thing', async () => {
    await open().grant('ann', 'key', 5);
    expect(await open().grant('ann', 'key', 5)).toMatchObject({ balance: 5 });
    expect(await open().charge('ann', 'key', cost(1))).toMatchObject({ balance: 4, isNew: true });
  });

  test('a sum: of many small parts → no rest that floating numbers leave', async () => {
    const store = open();
    await store.grant('ann', 'first', 1);
    for (let turn = 0; turn < 10; turn += 1) await store.charge('ann', `turn-${turn}`, cost(0.1));
    expect(await open().show('ann')).toMatchObject({ balance: 0 });
  });

  test('a refund: of one goal → what its keys took, once, and nothing of a goal with a longer number', async () => {
    const store = open();
    await store.grant('ann', 'first', 10);
    await store.charge('ann', 'run/goal-1/turn-1', cost(1));
    await store.charge('ann', 'run/goal-1/turn-2', cost(2));
    await store.charge('ann', 'run/goal-10/turn-3', cost(4));
    expect(await open().refund('ann', 'run/goal-1/')).toMatchObject({ balance: 6, dayTokens: 300 });
    expect(await open().refund('ann', 'run/goal-1/')).toMatchObject({ balance: 6 });
    // A late try of a turn that was given back takes nothing again.
    expect(await open().charge('ann', 'run/goal-1/turn-1', cost(1))).toMatchObject({
      balance: 6,
      isNew: false,
    });
  });

  test('tokens: of another day, also of one that a wrong clock said → not counted any more', async () => {
    const store = open();
    await store.charge('ann', 'turn-1', cost(0, 700));
    for (const [at, day] of ['2020-01-31', '2099-01-31'].entries()) {
      await dated(day);
      expect(await open().show('ann')).toMatchObject({ day });
      expect(await open().charge('ann', `later-${at}`, cost(0, 50))).toMatchObject({
        day: today(),
        dayTokens: 50,
      });
    }
  });

  test('what is no number: granted or charged → refused, and the account stays as it was', async () => {
    await open().grant('ann', 'first', 5);
    for (const credits of [Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(open().grant('ann', `key ${credits}`, credits)).rejects.toThrow('cannot be counted');
      await expect(open().charge('ann', `key ${credits}`, cost(credits))).rejects.toThrow(
        'cannot be counted',
      );
    }
    await expect(open().charge('ann', 'half', cost(1, 0.5))).rejects.toThrow('cannot be counted');
    expect(await open().show('ann')).toMatchObject({ balance: 5 });
  });

  test('accounts: nobody has charged → none; else by name, also of odd ones', async () => {
    expect(await open().show('ann')).toBeNull();
    expect(await open().list()).toEqual([]);
    await open().grant('zoë/../x', 'first', 2);
    await open().grant('ann', 'first', 1);
    expect((await open().list()).map(({ id, balance }) => [id, balance])).toEqual([
      ['ann', 1],
      ['zoë/../x', 2],
    ]);
  });

  test('places: at the limit → refused to another run, kept by who has one, free when given back', async () => {
    const store = open();
    expect(await store.lease('ann', 'run-1', 2)).toBe(true);
    expect(await store.lease('ann', 'run-2', 2)).toBe(true);
    expect(await open().lease('ann', 'run-3', 2)).toBe(false);
    expect(await open().lease('ann', 'run-1', 2)).toBe(true);
    await open().release('ann', 'run-1');
    expect(await open().lease('ann', 'run-3', 2)).toBe(true);
  });

  test('a place: not asked for again in an hour → free', async () => {
    const store = open();
    await store.lease('ann', 'run-1', 1);
    await aged(HOUR_MS - 60_000);
    expect(await open().lease('ann', 'run-2', 1)).toBe(false);
    await aged(61_000);
    expect(await open().lease('ann', 'run-2', 1)).toBe(true);
  });

  test('a place: its run goes on after hours, and another has the place → taken again beside that, and no third begins', async () => {
    const store = open();
    await store.lease('ann', 'run-1', 1);
    await aged(2 * HOUR_MS);
    expect(await open().lease('ann', 'run-2', 1)).toBe(true);
    // As a charge asks for it.
    expect(await open().lease('ann', 'run-1', Number.MAX_SAFE_INTEGER)).toBe(true);
    await open().release('ann', 'run-2');
    expect(await open().lease('ann', 'run-3', 1)).toBe(false);
  });
});

/** The database in WebAssembly asks the clock of this process. */
const OWN_CLOCK = Object.entries(STORES).filter(([name]) => !name.includes('WebAssembly'));

test.each(OWN_CLOCK)(
  'accounts in %s: the clock of a worker is ahead → charges and places count by the clock of the store, and free no other place',
  async (_name, open) => {
    const store = open();
    await store.lease('ann', 'run-1', 1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2099, 0, 31) });
    try {
      expect(await open().lease('ann', 'run-2', 1)).toBe(false);
      await open().charge('ann', 'turn-1', cost(0, 700));
    } finally {
      vi.useRealTimers();
    }
    expect(await open().charge('ann', 'turn-2', cost(0, 50))).toMatchObject({ day: today(), dayTokens: 750 });
    expect(await open().lease('ann', 'run-2', 1)).toBe(false);
  },
);

test('a folder of accounts: a line torn by a crash → passed over, what follows counts', async () => {
  const { accounts } = openFolder(dir);
  await accounts.grant('ann', 'first', 5);
  const folder = join(dir, 'accounts');
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), '\n{"account":"ann","by":"x","k":"charge","key":"turn-1","cre');
  expect(await accounts.charge('ann', 'turn-1', cost(2))).toMatchObject({ balance: 3, isNew: true });
  expect(await openFolder(dir).accounts.show('ann')).toMatchObject({ balance: 3 });
});

test('a folder of accounts: a pipe in the place of a file → an error at once', async () => {
  const { accounts } = openFolder(dir);
  await accounts.grant('ann', 'first', 5);
  const path = join(dir, 'accounts', readdirSync(join(dir, 'accounts'))[0] ?? '');
  rmSync(path);
  execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
  await expect(openFolder(dir).accounts.show('ann')).rejects.toThrow(/is not a regular file/);
  await expect(accounts.grant('ann', 'second', 5)).rejects.toThrow(/ENXIO|is not a regular file/);
});

test('a folder of accounts: a folder in the place of a file → the others are listed', async () => {
  const { accounts } = openFolder(dir);
  await accounts.grant('ann', 'first', 5);
  mkdirSync(join(dir, 'accounts', 'bad.jsonl'));
  expect(await accounts.list()).toMatchObject([{ id: 'ann', balance: 5 }]);
});

test.each([
  '{"k":"charge","account":"ann","key":"turn-2","by":"x"}',
  '{"k":"charge","account":"ann","key":"turn-2","by":"x","credits":1,"tokens":1,"at":1e300}',
  '{"k":"grant","account":"ann","key":"second","by":"x","credits":"5"}',
  '{"k":"refund","account":"ann"}',
  '{"k":"lease","account":"ann","chain":7,"limit":1,"at":"now"}',
])('a folder of accounts: a line of another form: %s → passed over, what is around it counts', async line => {
  const { accounts } = openFolder(dir);
  await accounts.grant('ann', 'first', 5);
  const path = join(dir, 'accounts', readdirSync(join(dir, 'accounts'))[0] ?? '');
  appendFileSync(path, `${line}\n`);
  expect(await accounts.charge('ann', 'turn-1', cost(2))).toMatchObject({ balance: 3, isNew: true });
  for (const each of [accounts, openFolder(dir).accounts]) {
    expect(await each.charge('ann', 'turn-1', cost(2))).toMatchObject({ balance: 3, isNew: false });
    expect(await each.lease('ann', 'run-1', 1)).toBe(true);
  }
});

test.each([
  ['gone', -1, () => ''],
  ['another one', 5, (text: string) => text.replace('"credits":5', '"credits":7')],
  ['as it was before', 4, (text: string) => text.slice(0, text.indexOf('\n', 2) + 1)],
])(
  'a folder of accounts: the file is %s → a worker that has read it counts what is there now',
  async (how, balance, change) => {
    const worker = openFolder(dir).accounts;
    await worker.grant('ann', 'first', 5);
    for (const key of ['turn-1', 'turn-2']) await worker.charge('ann', key, cost(1));
    const path = join(dir, 'accounts', readdirSync(join(dir, 'accounts'))[0] ?? '');
    const text = readFileSync(path, 'utf8');
    if (how !== 'as it was before') rmSync(path);
    if (how !== 'gone') writeFileSync(path, change(text));
    expect(await openFolder(dir).accounts.charge('ann', 'turn-2', cost(1))).toMatchObject({
      balance,
    });
    expect(await worker.charge('ann', 'turn-2', cost(1))).toMatchObject({ isNew: false });
    expect(await worker.show('ann')).toEqual(await openFolder(dir).accounts.show('ann'));
    expect(await worker.lease('ann', 'run-1', 1)).toBe(true);
  },
);
