/** What every store of sessions keeps whole: empty texts, what a store that was put back lacks, a run beside a removal. */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { toolResult } from '../../../src/conversation/tool-result.js';
import { type Message, NO_USAGE } from '../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import type { Mark, RunRecord, StoredLine } from '../../../src/run/state/stored-line.js';
import { missingAfter } from '../../../src/run/state/stored-records.js';
import { deleteSession } from '../../../src/shared/store/delete-session.js';
import type { Store } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';
import { runRecord, said } from '../../support/records.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'whole-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

const STORES: Record<string, () => Store> = {
  'a folder': () => openFolder(dir),
  ...postgresStores(),
};
const ALL = 1_000;
const at = (id: number): Mark => ({ id, seq: 0 });

const INTERRUPTED = { stopReason: 'interrupted', action: 'answering' } as const;

/** Messages of every kind, events and steps, each with every text empty. */
function emptyRecords(): StoredLine[] {
  const reply = { kind: 'assistant', role: 'react', model: 'a/b', usage: NO_USAGE, ...INTERRUPTED } as const;
  const call = { type: 'tool_use' as const, id: 'c1', name: '', input: {} };
  const result = toolResult({ id: 'c1', name: '' }, 'executed', { content: [{ type: 'text', text: '' }] });
  const messages: Message[] = [
    { id: 'm1', at: 1, kind: 'user', purpose: 'goal', content: [{ type: 'text', text: '' }] },
    { ...reply, id: 'm2', at: 2, content: [] },
    { ...reply, id: 'm3', at: 3, content: [{ type: 'text', text: '' }] },
    { ...reply, id: 'm4', at: 4, content: [{ type: 'reasoning', text: '' }] },
    { ...reply, id: 'm5', at: 5, content: [call] },
    { id: 'm6', at: 6, kind: 'tool_result', content: [{ ...result, note: '' }] },
    { id: 'm7', at: 7, kind: 'tool_result', content: [{ ...result, note: '', content: [] }] },
    { id: 'm8', at: 8, kind: 'cut', dropped: 1, tools: {}, content: [{ type: 'text', text: '' }] },
    { id: 'm9', at: 9, kind: 'user', purpose: 'steer', content: [{ type: 'text', text: ' \n\0' }] },
  ];
  const event = { seq: 1, at: 1, type: 'warning', text: '' } as JournalEvent;
  return [
    ...messages.map(message => ({ kind: 'message' as const, thread: 'main', message })),
    { kind: 'event', event },
  ];
}

describe.each(Object.entries(STORES))('a store that keeps all: %s', (_name, open) => {
  const texts = async ({ sessions }: Store, run: RunRecord) =>
    (await sessions.read(run, { kind: 'message', limit: ALL })).flatMap(each =>
      each.kind === 'message'
        ? each.message.content.map(block => (block.type === 'text' ? block.text : ''))
        : [],
    );

  test('LL11: empty texts of every kind, and a write after them → all of it is kept', async () => {
    const store = open();
    const records = emptyRecords();
    const run = runRecord('s-1', { goal: '', answer: '', kept: { id: 9, seq: 1 } });
    await store.sessions.keep(run, records);
    await store.sessions.keep({ ...run, kept: { id: 10, seq: 1 } }, [said(10, 'after them')], run.kept);
    const count = async (kind: StoredLine['kind']) =>
      (await store.sessions.read(run, { kind, limit: ALL })).length;
    expect([await count('message'), await count('event')]).toEqual([10, 1]);
    expect(await store.sessions.search({ text: 'after them', limit: ALL })).toHaveLength(1);
  });

  test('LL4: the store lacks what the records follow → nothing is written, and it says from where it is to be written', async () => {
    const store = open();
    const run = (id: number, more: Partial<RunRecord> = {}) => runRecord('s-1', { kept: at(id), ...more });
    expect(await store.sessions.keep(run(2), [said(1, 'one'), said(2, 'two')], at(0))).toBeNull();
    // Put back: two more writes, of which it has none.
    expect(await store.sessions.keep(run(6), [said(5, 'five'), said(6, 'six')], at(4))).toEqual(at(2));
    expect(await texts(store, run(2))).toEqual(['one', 'two']);
    expect(await store.sessions.runs('s-1')).toEqual([run(2)]);
    const rest = [3, 4, 5, 6].map(number => said(number, String(number)));
    expect(await store.sessions.keep(run(6), rest, at(2))).toBeNull();
    expect(await texts(store, run(2))).toEqual(['one', 'two', '3', '4', '5', '6']);
    // A run that it does not know at all is written from its beginning, and is in no list until it is.
    const lost = runRecord('s-2', { kept: at(9) });
    expect(await store.sessions.keep(lost, [said(9, 'nine')], at(8))).toEqual(at(0));
    expect((await store.sessions.list({ limit: ALL })).map(({ id }) => id)).toEqual(['s-1']);
  });

  test('LL4: the run went on as another execution since → it is written from where the store has it', async () => {
    const store = open();
    const before = runRecord('s-1', { kept: at(2) });
    await store.sessions.keep(before, [said(1, 'one'), said(2, 'two')], at(0));
    const later = runRecord('s-1', { runId: 'execution-2', kept: at(6) });
    expect(await store.sessions.keep(later, [said(6, 'six')], at(5))).toEqual(at(2));
    await store.sessions.keep(later, [said(3, 'three'), said(6, 'six')], at(2));
    expect(await texts(store, later)).toEqual(['one', 'two', 'three', 'six']);
  });

  test('LL3: removal of what was judged, and a run that began meanwhile → the conversation stays, whole', async () => {
    const store = open();
    const first = runRecord('s-1', { ended: true, kept: at(1) });
    await store.sessions.keep(first, [said(1, 'one')]);
    const judged = await store.sessions.runs('s-1');
    const next = runRecord('s-1', { chain: 'next', workflowId: 's-1~2', kept: at(1) });
    await store.sessions.keep(next, [said(1, 'begins')]);
    await expect(store.sessions.remove('s-1', { judged })).rejects.toMatchObject({ code: 'conflict' });
    await store.sessions.keep({ ...next, kept: at(2) }, [said(2, 'goes on')], at(1));
    expect([await texts(store, first), await texts(store, next)]).toEqual([['one'], ['begins', 'goes on']]);
    expect(
      (await store.sessions.remove('s-1', { judged: await store.sessions.runs('s-1') })).workflowIds,
    ).toEqual(['s-1', 's-1~2']);
  });

  test('LL3: deletion beside a run that begins, again and again → what was acknowledged is kept, with its texts', async () => {
    const [a, b] = [open(), open()];
    for (let round = 1; round <= 25; round++) {
      const session = `s-${round}`;
      const first = runRecord(session, { ended: true, kept: at(1) });
      await a.sessions.keep(first, [said(1, 'one')]);
      const ref = await a.texts.put(session, 'a long text');
      const next = runRecord(session, { chain: 'next', workflowId: `${session}~2`, kept: at(1) });
      // Looking its runs up in Temporal takes a while.
      const runs = await b.sessions.runs(session);
      const judging = { texts: b.texts, sessions: { ...b.sessions, runs: async () => runs } };
      const [removed] = await Promise.allSettled([
        deleteSession(judging, session, { client: null }),
        a.sessions.keep(next, [said(1, 'begins')], at(0)),
      ]);
      expect([round, await texts(a, next)]).toEqual([round, ['begins']]);
      const isThere = (await a.texts.read(session, ref, { offset: 0, length: 99 })) !== null;
      expect([round, isThere, await texts(a, first)]).toEqual(
        removed.status === 'fulfilled' ? [round, false, []] : [round, true, ['one']],
      );
    }
  });

  test('LL3: retention, and something was said since it judged the date → the large texts stay with it', async () => {
    const store = open();
    await store.sessions.keep(runRecord('s-1', { ended: true, kept: at(1) }), [said(1, 'one')]);
    const ref = await store.texts.put('s-1', 'a long text');
    const { changedAt = 0 } = (await store.sessions.line('s-1')) ?? {};
    await deleteSession(store, 's-1', { client: null, before: changedAt });
    expect((await store.texts.read('s-1', ref, { offset: 0, length: 99 }))?.totalBytes).toBe(11);
    await deleteSession(store, 's-1', { client: null, before: changedAt + 1 });
    expect(await store.texts.read('s-1', ref, { offset: 0, length: 99 })).toBeNull();
  });
});

test.each<[string, RunRecord | null, Mark | undefined, Mark | null]>([
  ['nothing is known, and the records are the first', null, at(0), null],
  ['nothing is known, and there were records before', null, at(5), at(0)],
  ['nobody says what they follow', null, undefined, null],
  ['they follow what is known', runRecord('s', { kept: at(5) }), at(5), null],
  ['they come again', runRecord('s', { kept: at(9) }), at(5), null],
  ['what they follow is missing', runRecord('s', { kept: at(3) }), at(5), at(3)],
  [
    'less messages are known, and more events: the run was reset, and the store put back',
    runRecord('s', { kept: { id: 3, seq: 9 } }),
    { id: 5, seq: 4 },
    { id: 3, seq: 4 },
  ],
])('LL4: %s → %o after %o is missing from %o on', (_what, before, after, from) => {
  expect(missingAfter(before, after)).toEqual(from);
});

test('LL3: a process died in the midst of a removal → the conversation is there again, whole, for the next write', async () => {
  const { sessions } = openFolder(dir);
  const run = runRecord('s-1', { kept: at(1) });
  await sessions.keep(run, [said(1, 'one')]);
  const folder = join(dir, 'sessions');
  const [name = ''] = readdirSync(folder);
  renameSync(join(folder, name), join(folder, `${name}.removing`));
  // Of a moment ago: it may be going on.
  await expect(sessions.remove('s-1')).rejects.toMatchObject({ code: 'conflict' });
  vi.setSystemTime(Date.now() + 120_000);
  await sessions.keep({ ...run, kept: at(2) }, [said(2, 'two')], at(1));
  expect(await sessions.read(run, { kind: 'message', limit: ALL })).toHaveLength(2);
  expect(readdirSync(folder)).toEqual([name]);
});
