/** What a worker removes of a store, with a Temporal in memory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { deleteSession } from '../../../src/shared/store/delete-session.js';
import type { Store } from '../../../src/shared/store/store.js';
import {
  hadEnded,
  removeOld,
  removeOldSessions,
  removeOldTexts,
} from '../../../src/worker/parts/store-care.js';
import { postgresStores } from '../../support/postgres.js';
import { runRecord, said } from '../../support/records.js';

const [before, by, after] = [new Date(1_000), new Date(2_000), new Date(3_000)];

/** A server that knows when these runs ended, undefined for open ones; `agent` is one of `run`. */
function server(closed: Record<string, Date | undefined>) {
  const deleted: string[] = [];
  const describe = async (id: string) => {
    if (!(id in closed)) throw new WorkflowNotFoundError('not found', id, undefined);
    const root = id === 'agent' ? { rootExecution: { workflowId: 'run' } } : {};
    return { closeTime: closed[id], runId: `${id}-1`, raw: { workflowExecutionInfo: root } };
  };
  const workflowService = {
    deleteWorkflowExecution: async ({ workflowExecution }: { workflowExecution: { workflowId: string } }) => {
      deleted.push(workflowExecution.workflowId);
      delete closed[workflowExecution.workflowId];
    },
  };
  const client = {
    withDeadline: <T>(_: number, ask: () => Promise<T>) => ask(),
    options: { namespace: 'default' },
    workflowService,
    workflow: {
      getHandle: (id: string) => ({ describe: () => describe(id) }),
      async *list() {},
    },
  } as unknown as Client;
  return { client, deleted, closed, workflowService };
}

test.each<[string, Record<string, Date | undefined>, boolean]>([
  ['and so had its run', { agent: before, run: before }, true],
  ['and its run is open', { agent: before, run: undefined }, false],
  ['and its run ended later', { agent: before, run: after }, false],
])(
  'texts: an agent had ended by then, %s → they stay as long as those of the run',
  async (_, closed, over) => {
    const owner = { namespaceId: 'ns', workflowId: 'agent' };
    expect(await hadEnded(server(closed).client, 'ns', { owner, by })).toBe(over);
  },
);

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'care-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const STORES: Record<string, (namespaceId?: () => Promise<string | null>) => Store> = {
  'a folder': namespaceId => openFolder(dir, namespaceId),
  ...postgresStores(),
};
/** A folder's conversations changed when their file did: all of them are old by tomorrow. */
const tomorrow = new Date(Date.now() + 86_400_000);

describe.each(Object.entries(STORES))('old conversations: %s', (name, openStore) => {
  const open = () => openStore(async () => 'ns');
  const kept = async ({ sessions }: Store) =>
    (await sessions.list({ limit: 100 })).map(({ id }) => id).sort();
  const record = (id: string, more = {}) => runRecord(id, { namespaceId: 'ns', ended: true, ...more });

  test('whose last run ended long ago → gone, with their texts and runs in Temporal, and no other', async () => {
    const store = open();
    const { client, deleted } = server({ old: before, 'old~2': before, 'waits~2': undefined, lately: after });
    for (const id of ['old', 'forgotten', 'waits', 'lately'])
      await store.sessions.keep(record(id), [said(1, id)]);
    const second = { chain: 'second', workflowId: 'old~2' };
    await store.sessions.keep(record('old', second), [said(1, 'again')]);
    await store.sessions.keep(record('elsewhere', { namespaceId: 'other' }), [said(1, 'x')]);
    await store.sessions.keep(record('unknown', { namespaceId: 'other', ended: false }), [said(1, 'x')]);
    const ref = await store.texts.put('old~2', 'long');
    // All were changed before tomorrow; Temporal says what had ended.
    expect(await removeOldSessions(client, 'ns', { store, by: tomorrow })).toBe(4);
    expect(await kept(store)).toEqual(['unknown', 'waits']);
    expect(deleted.sort()).toEqual(['lately', 'old', 'old~2']);
    expect(await store.texts.read('old~2', ref, { offset: 0, length: 9 })).toBeNull();
  });

  test('texts of a conversation → stay as long as it does; those of a run that none has go by their own time', async () => {
    const store = open();
    const { client } = server({ kept: before, 'kept~2': before, loose: before });
    await store.sessions.keep(record('kept'), [said(1, 'x')]);
    await store.sessions.keep(record('kept', { chain: 'second', workflowId: 'kept~2' }), [said(1, 'y')]);
    const ids = ['kept', 'kept~2', 'loose'];
    const refs = await Promise.all(ids.map(id => store.texts.put(id, 'long')));
    const read = () =>
      Promise.all(
        ids.map(async (id, at) => {
          const page = await store.texts.read(id, refs[at] ?? '', { offset: 0, length: 9 });
          return page?.data.toString() ?? null;
        }),
      );
    expect(await removeOldTexts(client, 'ns', { store, by: tomorrow })).toBe(1);
    expect(await read()).toEqual(['long', 'long', null]);
    expect(await removeOldSessions(client, 'ns', { store, by: tomorrow })).toBe(1);
    expect(await read()).toEqual([null, null, null]);
  });

  // In WebAssembly it has the clock of the process.
  test.skipIf(name.includes('WebAssembly'))(
    'LL9: the clock of the worker is years ahead → what is old goes by the clock of the store',
    async () => {
      const store = open();
      const { client } = server({ new: before });
      await store.sessions.keep(record('new', { changedAt: Date.now() }), [said(1, 'x')]);
      vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 365 * 86_400_000);
      const lines: string[] = [];
      const report = (line: string) => void lines.push(line);
      try {
        const care = { store, textDays: 7, sessionDays: 30, report, signal: new AbortController().signal };
        await removeOld(client, 'ns', care);
      } finally {
        vi.restoreAllMocks();
      }
      expect([await kept(store), lines]).toEqual([['new'], []]);
    },
  );

  test('changed since → stay, and Temporal is not asked for them', async () => {
    const store = open();
    await store.sessions.keep(record('new', { changedAt: Date.now() }), [said(1, 'x')]);
    expect(await removeOldSessions(null as unknown as Client, 'ns', { store, by })).toBe(0);
    expect(await kept(store)).toEqual(['new']);
  });

  test('that a branch shares → stay as long as the branch does, and go with it', async () => {
    const store = open();
    const { client, closed } = server({ branch: undefined });
    await store.sessions.keep(record('root'), [said(1, 'x')]);
    await store.sessions.branch({ session: 'root', chain: 'chain-of-root', message: 'm1' }, 'branch');
    await store.sessions.keep(record('branch', { startedAt: 2_000 }), [said(1, 'y')]);
    expect(await removeOldSessions(client, 'ns', { store, by: tomorrow })).toBe(0);
    await expect(deleteSession(store, 'root', { client })).rejects.toMatchObject({ code: 'conflict' });
    closed.branch = before;
    expect(await removeOldSessions(client, 'ns', { store, by: tomorrow })).toBe(2);
    expect(await kept(store)).toEqual([]);
  });

  test('LL3: a failure in the midst, at each step → the others go, it is completed the next time, and texts go last', async () => {
    const store = open();
    const temporal = server({ one: before, two: before });
    const { texts, sessions } = store;
    const failing = (): Promise<never> => Promise.reject(new Error('away'));
    for (const id of ['one', 'two']) await sessions.keep(record(id), [said(1, id)]);
    const refs = [await texts.put('one', 'long'), await texts.put('two', 'long')];
    const failOne =
      (work: (id: string) => Promise<unknown>) =>
      (id: string): Promise<never> =>
        id === 'one' ? failing() : (work(id) as Promise<never>);
    const broken: Pick<Store, 'sessions' | 'texts'>[] = [
      { texts, sessions: { ...sessions, remove: failOne(id => sessions.remove(id)) } },
      { sessions, texts: { ...texts, removeOf: failing } },
    ];
    const { deleteWorkflowExecution } = temporal.workflowService;
    temporal.workflowService.deleteWorkflowExecution = failing;
    const remove = (of: Pick<Store, 'sessions' | 'texts'>) =>
      removeOldSessions(temporal.client, 'ns', { store: of, by: tomorrow });
    await expect(remove(store)).rejects.toThrow('away');
    expect(await kept(store)).toEqual(['one', 'two']);
    temporal.workflowService.deleteWorkflowExecution = deleteWorkflowExecution;
    const range = { offset: 0, length: 9 };
    const isThere = async () => (await texts.read('one', refs[0] ?? '', range)) !== null;
    const left: unknown[] = [];
    for (const each of broken) {
      await expect(remove(each)).rejects.toThrow('away');
      left.push([await kept(store), await isThere()]);
    }
    expect(left).toEqual([
      [['one'], true],
      [[], true],
    ]);
    await removeOldTexts(temporal.client, 'ns', { store, by: tomorrow });
    expect([await texts.read('one', refs[0] ?? '', range), temporal.closed]).toEqual([null, {}]);
  });

  test('a run of it is open → deletion refuses, names it, and nothing is gone', async () => {
    const store = open();
    const { client, deleted } = server({ one: before, 'one~2': undefined });
    await store.sessions.keep(record('one'), [said(1, 'x')]);
    const refused = deleteSession(store, 'one', { client });
    await expect(refused).rejects.toMatchObject({ code: 'open', message: expect.stringContaining('one~2') });
    expect([await kept(store), deleted]).toEqual([['one'], []]);
  });
});
