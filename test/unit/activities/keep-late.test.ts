/** What a store gets of a run that ended while it was away, and what it does not get: what was deleted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { keepLate, RunUnanswered } from '../../../src/activities/keep.js';
import { textOf } from '../../../src/run/messages/message.js';
import type { KeepPage, Lack, Mark, StoredLine } from '../../../src/run/state/stored-line.js';
import { isAfter } from '../../../src/run/state/stored-records.js';
import type { Store } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';
import { runRecord, said } from '../../support/records.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'keep-late-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const STORES: Record<string, () => Store> = { 'a folder': () => openFolder(dir), ...postgresStores() };
const at = (id: number): Mark => ({ id, seq: 0 });
const ALL = 100;

/** A run that has ended and has said these words, two to a page. */
function endedRun(words: string[], more: Parameters<typeof runRecord>[1] = {}) {
  const { v: _v, namespaceId: _id, kept: _kept, ...run } = runRecord('pool', { ended: true, ...more });
  const lines = words.map((word, index) => said(index + 1, word));
  const asked: number[] = [];
  const readPage = async (after: Mark, upTo = at(words.length)): Promise<KeepPage> => {
    asked.push(after.id);
    const left = lines.filter(line => isAfter(after, line));
    const records = left.slice(0, 2);
    const isLast = records.length === left.length;
    return { run, records, kept: isLast ? upTo : at(after.id + 2), more: !isLast };
  };
  return { run, readPage, asked };
}

describe.each(Object.entries(STORES))('an ended run: %s', (_name, open) => {
  const deps = (store: Store, { readPage }: Pick<ReturnType<typeof endedRun>, 'readPage'>) => ({
    ...{ sessions: store.sessions, namespaceId: async () => 'namespace-1', readPage },
    redact: <T>(value: T) => value,
  });
  const give = (store: Store, run: ReturnType<typeof endedRun>, lack: Lack = 'end') =>
    keepLate(deps(store, run), lack);
  const textsIn = async ({ sessions }: Store) => {
    const [run] = await sessions.runs('pool');
    const kept: StoredLine[] = run ? await sessions.read(run, { kind: 'message', limit: ALL }) : [];
    return kept.map(each => (each.kind === 'message' ? textOf(each.message) : ''));
  };
  const WORDS = ['one', 'two', 'three', 'four', 'five'];

  test('LL12: the store has its beginning, or nothing of it → it gets the rest and the end, page by page, and once', async () => {
    const [half, none] = [open(), endedRun(WORDS)];
    await half.sessions.keep(
      runRecord('pool', { kept: at(2) }),
      WORDS.slice(0, 2).map((w, i) => said(i + 1, w)),
    );
    const run = endedRun(WORDS);
    expect(await give(half, run)).toBe('kept');
    expect(run.asked.slice(1)).toEqual([2, 4]);
    expect(await textsIn(half)).toEqual(WORDS);
    expect(await half.sessions.runs('pool')).toMatchObject([{ ended: true, kept: at(5) }]);
    expect(await give(half, run)).toBe('had');
    await half.sessions.remove('pool');

    const other = { ...none, run: { ...none.run, chain: 'another' } };
    expect(
      await give(half, {
        ...other,
        readPage: async (...page) => ({ ...(await none.readPage(...page)), run: other.run }),
      }),
    ).toBe('kept');
    expect(await textsIn(half)).toEqual(WORDS);
    await half.sessions.remove('pool');
  });

  test('LL14: only receipts came later → the store gets them; where the run was deleted meanwhile, it stays away', async () => {
    const store = open();
    const chain = 'with-receipts';
    await store.sessions.keep(
      runRecord('pool', { chain, ended: true, kept: at(4) }),
      WORDS.slice(0, 4).map((w, i) => said(i + 1, w)),
    );
    expect(await give(store, endedRun(WORDS, { chain }), 'receipts')).toBe('kept');
    expect(await textsIn(store)).toEqual(WORDS);
    await store.sessions.remove('pool');
    expect(await give(store, endedRun(WORDS, { chain: 'deleted' }), 'receipts')).toBe('had');
    expect(await store.sessions.runs('pool')).toEqual([]);
  });

  test('LL3, LL12: a run that came late was deleted, and its history is still there → it does not come again', async () => {
    const store = open();
    const run = endedRun(WORDS, { chain: 'late-and-deleted' });
    await give(store, run);
    expect(await textsIn(store)).toEqual(WORDS);
    await store.sessions.remove('pool');
    await give(store, run);
    expect(await store.sessions.line('pool')).toBeNull();
  });

  test('LL13: an agent that the store knows nothing of → it waits for the conversation, and then is a part of it', async () => {
    const store = open();
    const agent = endedRun(WORDS, { chain: 'agent', workflowId: 'pool/search/1', parent: 'pool' });
    expect(await give(store, agent)).toBe('waits');
    expect(await store.sessions.line('pool')).toBeNull();
    await store.sessions.keep(runRecord('pool', { chain: 'caller', startedAt: 5_000 }), []);
    expect(await give(store, agent)).toBe('kept');
    expect(await textsIn(store)).toEqual(WORDS);
    await store.sessions.remove('pool');
  });

  test('LL12: the run does not tell → nothing is written', async () => {
    const store = open();
    const readPage = () => Promise.reject(new RunUnanswered('no worker', true));
    await expect(keepLate(deps(store, { readPage }), 'end')).rejects.toThrow('no worker');
    expect(await store.sessions.line('pool')).toBeNull();
  });
});
