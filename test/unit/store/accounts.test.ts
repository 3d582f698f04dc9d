/** What every store of accounts does, in a table of stores. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../../src/shared/store/folder/folder.js';
import type { AccountStore } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'accounts-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const onPostgres = Object.fromEntries(
  Object.entries(postgresStores()).map(([name, open]) => [name, () => open().accounts]),
);

/** Each call opens the same accounts anew, as another worker does. */
const STORES: Record<string, () => AccountStore> = {
  'a folder': () => openFolder(dir).accounts,
  ...onPostgres,
};

const NOON = Date.UTC(2030, 0, 31, 12);
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

function cost(credits: number, tokens = 100, at = NOON) {
  return { credits, tokens, at };
}

describe.each(Object.entries(STORES))('accounts in %s', (_name, open) => {
  test('a charge: made twice with one key → taken once, also by another worker', async () => {
    await open().grant('ann', 'first', 10);
    expect(await open().charge('ann', 'run/goal-1/turn-1', cost(2.5))).toEqual({
      id: 'ann',
      balance: 7.5,
      day: '2030-01-31',
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

  test('tokens: on another day → counted from zero', async () => {
    const store = open();
    await store.charge('ann', 'turn-1', cost(0, 700));
    expect(await store.charge('ann', 'turn-2', cost(0, 50, NOON + DAY_MS))).toMatchObject({
      day: '2030-02-01',
      dayTokens: 50,
    });
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
    expect(await store.lease('ann', 'run-1', 2, NOON)).toBe(true);
    expect(await store.lease('ann', 'run-2', 2, NOON)).toBe(true);
    expect(await open().lease('ann', 'run-3', 2, NOON)).toBe(false);
    expect(await open().lease('ann', 'run-1', 2, NOON)).toBe(true);
    await open().release('ann', 'run-1');
    expect(await open().lease('ann', 'run-3', 2, NOON)).toBe(true);
  });

  test('a place: not asked for again in an hour → free', async () => {
    const store = open();
    await store.lease('ann', 'run-1', 1, NOON);
    expect(await store.lease('ann', 'run-2', 1, NOON + HOUR_MS)).toBe(false);
    expect(await store.lease('ann', 'run-2', 1, NOON + HOUR_MS + 1)).toBe(true);
  });

  test('a place: its run goes on after hours, and another has the place → taken again beside that, and no third begins', async () => {
    const store = open();
    const later = NOON + 2 * HOUR_MS;
    await store.lease('ann', 'run-1', 1, NOON);
    expect(await store.lease('ann', 'run-2', 1, later)).toBe(true);
    // As a charge asks for it.
    expect(await store.lease('ann', 'run-1', Number.MAX_SAFE_INTEGER, later)).toBe(true);
    await store.release('ann', 'run-2');
    expect(await open().lease('ann', 'run-3', 1, later)).toBe(false);
  });
});

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
  await expect(openFolder(dir).accounts.show('ann')).rejects.toThrow(/is no file/);
  await expect(accounts.grant('ann', 'second', 5)).rejects.toThrow(/ENXIO|is no file/);
});
