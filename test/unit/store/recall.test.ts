/** What a model reads of its conversation by the tool `recall` (X7), in each store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { contentText } from '../../../src/conversation/tool-result.js';
import { type Message, NO_USAGE } from '../../../src/run/messages/message.js';
import type { RunRecord, StoredLine } from '../../../src/run/state/stored-line.js';
import { recall } from '../../../src/shared/store/recall.js';
import { lineageOf, type Store } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'recall-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const STORES: Record<string, () => Store> = { 'a folder': () => openFolder(dir), ...postgresStores() };

function run(session: string, more: Partial<RunRecord> = {}): RunRecord {
  return {
    ...{ v: 1, chain: `chain-of-${more.workflowId ?? session}`, session, workflowId: session },
    ...{
      runId: 'execution-1',
      namespaceId: 'namespace-1',
      goal: 'A goal',
      mode: 'react',
      workspace: '/work',
    },
    ...{ number: 1, startedAt: 1_000, changedAt: 2_000, outcome: null, cause: null, answer: null },
    ...{ ended: false, usage: NO_USAGE, kept: { id: 99, seq: 0 }, ...more },
  };
}

function said(number: number, text: string): StoredLine {
  const content = [{ type: 'text' as const, text }];
  return {
    kind: 'message',
    thread: 'main',
    message: { id: `m${number}`, at: number, kind: 'user', purpose: 'steer', content },
  };
}

/** A call that read a file, and its result. */
function readsFile(number: number, path: string, text: string): StoredLine[] {
  const block = { type: 'tool_result' as const, toolUseId: `c${number}`, toolName: 'read', note: '' };
  const result: Message = {
    ...{ id: `m${number + 1}`, at: 1_000, kind: 'tool_result' },
    content: [
      { ...block, ending: 'executed', content: [{ type: 'text', text }], isError: false, durationMs: 1 },
    ],
  };
  const call: Message = {
    ...{ id: `m${number}`, at: 900, kind: 'assistant', role: 'executor', action: 'calling_tool' },
    ...{ model: 'p/a', usage: NO_USAGE, stopReason: 'tool_use' },
    content: [{ type: 'tool_use', id: `c${number}`, name: 'read', input: { path } }],
  };
  return [call, result].map(message => ({ kind: 'message', thread: 'main', message }));
}

function recalled(number: number, text: string): StoredLine {
  const block = {
    type: 'tool_result' as const,
    toolUseId: 'c1',
    toolName: 'recall',
    ending: 'executed' as const,
  };
  const content: [Extract<Message, { kind: 'tool_result' }>['content'][0]] = [
    { ...block, note: '', content: [{ type: 'text', text }], isError: false, durationMs: 1 },
  ];
  return {
    kind: 'message',
    thread: 'main',
    message: { id: `m${number}`, at: number, kind: 'tool_result', content },
  };
}

const ME = { workflowId: 'pool', namespaceId: 'namespace-1' };

describe.each(Object.entries(STORES))('recall in %s', (_name, open) => {
  const ask = async (args: Parameters<typeof recall>[2], asker = ME) => {
    const { note, content, isError } = await recall(open().sessions, asker, args);
    return { note, text: contentText(content), isError };
  };

  test('X7: words → messages that have most of them first, newest of these first, and nothing that was recalled before', async () => {
    const { sessions } = open();
    await sessions.keep(run('pool'), [
      said(1, 'The pool is 7 m long.'),
      said(2, 'The garden is green.'),
      said(3, 'The Pool is 7 m LONG, again.'),
      said(4, 'A pool, of another kind.'),
      recalled(5, 'm1: The pool is 7 m long.'),
    ]);
    const found = await ask({ query: 'pool long' });
    expect(found.text.split('\n').map(line => line.split(':')[0])).toEqual(['pool/m3', 'pool/m1', 'pool/m4']);
    expect(found.text).toContain('pool/m1: The pool is 7 m long.');
    expect(await ask({ query: 'desert' })).toMatchObject({ isError: true, text: '' });
  });

  test('X7: what was summarised → the message that said it, not the request, the reply and the summary', async () => {
    const { sessions } = open();
    const user = (number: number, purpose: 'compact' | 'summary'): StoredLine => {
      const kept = said(number, 'The pool is long, says a summary.');
      if (kept.kind !== 'message' || kept.message.kind !== 'user') return kept;
      return { ...kept, message: { ...kept.message, purpose } };
    };
    const content = [{ type: 'text' as const, text: '{"facts":[{"fact":"The pool is long"}]}' }];
    const compactor: Message = {
      ...{ id: 'm3', at: 3, kind: 'assistant', role: 'compactor', model: 'a/b', usage: NO_USAGE },
      ...{ stopReason: 'end_turn', action: 'answering', content },
    };
    await sessions.keep(run('pool'), [
      said(1, 'The pool is 7 m long.'),
      user(2, 'compact'),
      { kind: 'message', thread: 'main', message: compactor },
      user(4, 'summary'),
    ]);
    expect((await ask({ query: 'pool long' })).text).toBe('pool/m1: The pool is 7 m long.');
  });

  test('X7: more hits than are shown → the offset of the next, up to the last of them', async () => {
    await open().sessions.keep(
      run('pool'),
      Array.from({ length: 23 }, (_, at) => said(at + 1, `Pool ${at + 1}`)),
    );
    const ids = async (offset: number) => {
      const { note, text } = await ask({ query: 'pool', offset });
      return { note, ids: text.split('\n').map(line => Number(/m(\d+):/.exec(line)?.[1])) };
    };
    const [first, last] = [await ids(0), await ids(20)];
    expect([first.ids[0], first.ids.length, last.ids]).toEqual([23, 10, [3, 2, 1]]);
    expect(first.note).toContain('Of 23 hits these are 1 to 10: go on with offset 10.');
    expect(last.note).not.toContain('go on');
    expect(await ask({ query: 'pool', offset: 23 })).toMatchObject({ isError: true });
    expect((await ask({ query: 'pool', offset: 5_000 })).note).toContain('At most 1000 hits');
  });

  test('X7: an id → the message, a page at a time, with the place where it goes on', async () => {
    const text = `${'x'.repeat(12_000)} and its end`;
    await open().sessions.keep(run('pool'), [said(1, text)]);
    const first = await ask({ id: 'm1' });
    expect(first).toMatchObject({
      isError: false,
      note: expect.stringContaining('Go on with offset 12000.'),
    });
    expect(await ask({ id: 'm1', offset: 12_000 })).toMatchObject({ text: ' and its end', isError: false });
    expect(await ask({ id: 'm1', offset: 99_999 })).toMatchObject({ isError: true });
  });

  test.each([{ id: 'm9' }, { id: '../m1' }, { id: 'other/m1' }, {}, { query: ' ' }])(
    'X7: %o → an error that says what to do',
    async args => {
      await open().sessions.keep(run('pool'), [said(1, 'Here.')]);
      await open().sessions.keep(run('other'), [said(1, 'A secret of another conversation.')]);
      expect(await ask(args)).toMatchObject({
        isError: true,
        note: expect.stringMatching(/Use an id|Give "query"/),
      });
      expect((await ask({ query: 'secret' })).text).toBe('');
    },
  );

  test('X7: a later run of the conversation → reads the earlier one by its name; another namespace is another run', async () => {
    const { sessions } = open();
    await sessions.keep(run('pool'), [said(1, 'The pool is 7 m long.')]);
    await sessions.keep(run('pool', { workflowId: 'pool~2', startedAt: 3_000 }), [said(1, 'Twice that?')]);
    const later = { workflowId: 'pool~2', namespaceId: 'namespace-1' };
    expect((await ask({ query: 'long' }, later)).text).toBe('pool/m1: The pool is 7 m long.');
    expect((await ask({ id: 'pool/m1' }, later)).text).toBe('The pool is 7 m long.');
    expect((await ask({ id: 'm1' }, later)).text).toBe('Twice that?');
    expect(await ask({ id: 'm1' }, { ...later, namespaceId: 'another' })).toMatchObject({ isError: true });
  });

  test('X7: a sub-agent → reads what it said itself, not what its caller did', async () => {
    const { sessions } = open();
    await sessions.keep(run('pool'), [said(1, 'The pool is 7 m long.')]);
    const agent = run('pool', { workflowId: 'pool/search/1', parent: 'pool' });
    await sessions.keep(agent, [said(1, 'Look for the garden.')]);
    const asker = { workflowId: 'pool/search/1', namespaceId: 'namespace-1' };
    expect((await ask({ query: 'the' }, asker)).text).toBe('pool/search/1/m1: Look for the garden.');
    expect(await ask({ id: 'pool/m1' }, asker)).toMatchObject({ isError: true });
  });

  test('X7: very many words → the first twenty are looked for', async () => {
    await open().sessions.keep(run('pool'), [said(1, 'The fox.')]);
    const words = (count: number) => [...Array.from({ length: count }, (_, at) => `w${at}`), 'fox'].join(' ');
    expect(await ask({ query: words(19) })).toMatchObject({ isError: false });
    expect(await ask({ query: words(20) })).toMatchObject({ isError: true });
    expect(await ask({ query: `${'x'.repeat(500)} fox` })).toMatchObject({ isError: true });
  });

  test('X7: a run of another workspace in the conversation → nothing of it is read', async () => {
    const { sessions } = open();
    await sessions.keep(run('pool', { workspace: '/other' }), [said(1, 'The pool is 7 m long.')]);
    await sessions.keep(run('pool', { workflowId: 'pool~2', startedAt: 3_000 }), [said(1, 'Twice that?')]);
    const later = { workflowId: 'pool~2', namespaceId: 'namespace-1' };
    expect(await ask({ query: 'long' }, later)).toMatchObject({ isError: true });
    expect(await ask({ id: 'pool/m1' }, later)).toMatchObject({ isError: true });
  });
});

test('X7: a conversation that branched from one that branched from it → told once, and it ends', async () => {
  const parents: Record<string, string> = { a: 'b', b: 'a' };
  const sessions = {
    runs: async (session: string) => [run(session)],
    line: async (id: string) => {
      const parent = parents[id] ?? '';
      const at = { session: parent, chain: `chain-of-${parent}`, message: 'm1' };
      return { id, title: id, workspace: '/work', startedAt: 1, changedAt: 1, parent: at };
    },
  };
  expect((await lineageOf(sessions, 'a')).map(each => each.run.session)).toEqual(['b', 'a']);
});

test('X7: a long conversation → others of the worker get their turn while it is looked through, and that has an end', async () => {
  const records = Array.from({ length: 500 }, (_, at) => said(at + 1, `${'the fox '.repeat(500)}${at}`));
  let runsRead = 0;
  const sessions = {
    find: async () => [run('pool')],
    runs: async () => Array.from({ length: 50 }, (_, at) => run('pool', { workflowId: `pool~${at}` })),
    line: async () => null,
    read: async () => [],
    readEach: async () =>
      (async function* () {
        for (;;) {
          runsRead += 1;
          yield { chain: '', records };
        }
      })(),
  };
  let turns = 0;
  let ended = false;
  const turn = () => {
    turns += 1;
    if (!ended) setImmediate(turn);
  };
  setImmediate(turn);
  const { note } = await recall(sessions, ME, { query: 'fox' });
  ended = true;
  expect(turns).toBeGreaterThan(50);
  // 32 million characters, of 2 million in each.
  expect(runsRead).toBeLessThan(20);
  expect(note).toContain('Older ones were not looked through');
});

test.each([
  { time: 999, told: false },
  { time: 1_001, told: true },
  { time: 'gone' as const, told: true },
  { time: null, told: false },
])(
  'SE4: a result of a file that was last changed at $time, read again → said to be old: $told',
  async ({ time, told }) => {
    const { sessions } = openFolder(dir);
    await sessions.keep(run('s1'), [...readsFile(3, 'src/a.ts', 'total 5')]);
    const me = { workflowId: 's1', namespaceId: 'namespace-1' };
    const { note } = await recall(sessions, me, { id: 'm4' }, async () => time);
    expect(note).toContain('Result of read src/a.ts.');
    expect(note.includes('Changed since then: src/a.ts. Read it again.')).toBe(told);
  },
);

test('SE4: hits among results → each names its tool and path', async () => {
  const { sessions } = openFolder(dir);
  await sessions.keep(run('s1'), [...readsFile(3, 'src/a.ts', 'total 5')]);
  const me = { workflowId: 's1', namespaceId: 'namespace-1' };
  const { content } = await recall(sessions, me, { query: 'total' });
  expect(contentText(content)).toBe('s1/m4 (read src/a.ts): total 5');
});
