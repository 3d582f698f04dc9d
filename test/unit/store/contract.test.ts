/** What every store of sessions does, in a table of stores. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { filesWith } from '../../../packages/store/folder-search.js';
import { type Message, NO_USAGE } from '../../../src/run/messages/message.js';
import type { JournalEvent } from '../../../src/run/state/journal.js';
import type { RunRecord, StoredLine } from '../../../src/run/state/stored-line.js';
import type { Store } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';
import { runRecord, said } from '../../support/records.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'store-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const STORES: Record<string, () => Store> = {
  'a folder': () => openFolder(dir),
  ...postgresStores(),
};

function happened(seq: number, text = `event ${seq}`): StoredLine {
  return { kind: 'event', event: { seq, at: seq, type: 'warning', text } as JournalEvent };
}

const ALL = 1_000;

describe.each(Object.entries(STORES))('a store of sessions: %s', (_name, open) => {
  test('keep: records in several writes → read by kind in order, with what is kept of the run as it last stood', async () => {
    const { sessions } = open();
    const run = runRecord('s-1');
    await sessions.keep({ ...run, kept: { id: 3, seq: 1 } }, [
      said(1, 'one'),
      said(3, 'three', 'planner'),
      happened(1),
    ]);
    const last = {
      ...run,
      outcome: 'completed' as const,
      answer: 'It is so.',
      kept: { id: 5, seq: 3 },
    };
    await sessions.keep(last, [said(5, 'five'), happened(2), happened(3)]);
    expect(await sessions.read(run, { kind: 'message', limit: ALL })).toEqual([
      said(1, 'one'),
      said(3, 'three', 'planner'),
      said(5, 'five'),
    ]);
    expect(await sessions.read(run, { kind: 'event', after: 1, limit: 1 })).toEqual([happened(2)]);
    expect(await sessions.runs('s-1')).toEqual([last]);
    expect(await sessions.runs('s-2')).toEqual([]);
  });

  test('keep: the same twice, as a retry does → each once, as it was first said', async () => {
    const { sessions } = open();
    const run = runRecord('s-1');
    await sessions.keep(run, [said(1, 'whole'), happened(1)]);
    await sessions.keep(run, [said(1, 'cut'), happened(1, 'other')]);
    const all = async (kind: StoredLine['kind']) => sessions.read(run, { kind, limit: ALL });
    expect([await all('message'), await all('event')]).toEqual([[said(1, 'whole')], [happened(1)]]);
  });

  test('keep: a run that was reset → what it says anew stands in the place of what it said, and nothing of that comes behind it', async () => {
    const { sessions } = open();
    const other = runRecord('s-1', { chain: 'other' });
    const run = runRecord('s-1', { kept: { id: 9, seq: 5 } });
    const all = async (kind: StoredLine['kind']) => sessions.read(run, { kind, limit: ALL });
    await sessions.keep(run, [
      said(1, 'goal'),
      said(4, 'old four'),
      said(9, 'old nine'),
      ...[1, 2, 5].map(seq => happened(seq)),
    ]);
    // Long enough that the run's own last word stands far before the end.
    for (let number = 1; number <= 30; number++)
      await sessions.keep({ ...other, kept: { id: number, seq: 0 } }, [said(number, 'x'.repeat(5_000))]);
    const anew = { ...run, runId: 'execution-2', changedAt: 3_000, kept: { id: 4, seq: 3 } };
    for (const _attempt of [1, 2])
      await sessions.keep(anew, [said(4, 'new four'), happened(3, 'new')], { id: 1, seq: 2 });
    expect([await all('message'), await all('event')]).toEqual([
      [said(1, 'goal'), said(4, 'new four')],
      [happened(1), happened(2), happened(3, 'new')],
    ]);
    const found = async (text: string) => (await sessions.search({ text, limit: ALL })).length;
    expect([await found('old four'), await found('old nine'), await found('new four')]).toEqual([0, 0, 1]);
    // It goes on as another execution: what was kept is not said again.
    const later = { ...anew, runId: 'execution-3', kept: { id: 6, seq: 3 } };
    await sessions.keep(later, [said(6, 'six')], anew.kept);
    expect(await all('message')).toEqual([said(1, 'goal'), said(4, 'new four'), said(6, 'six')]);
    expect(await sessions.read(other, { kind: 'message', limit: ALL })).toHaveLength(30);
  });

  test('keep: a clock that steps back in mid-run → every record is kept, and the run stands as its last word says', async () => {
    const { sessions } = open();
    const at = (changedAt: number, id: number, more: Partial<RunRecord> = {}) =>
      runRecord('s-1', { changedAt, kept: { id, seq: 0 }, ...more });
    const mark = (id: number) => ({ id, seq: 0 });
    await sessions.keep(at(10_000, 1), [said(1, 'one')]);
    await sessions.keep(at(9_990, 2), [said(2, 'two')], mark(1));
    expect(await sessions.runs('s-1')).toMatchObject([{ changedAt: 9_990, kept: mark(2) }]);
    // It goes on as another execution, on a server whose clock is behind further.
    const next = { runId: 'execution-2' };
    await sessions.keep(at(9_000, 3, next), [said(3, 'three')], mark(2));
    await sessions.keep(at(8_999, 3, { ...next, ended: true }), [], mark(3));
    const read = () => sessions.read(runRecord('s-1'), { kind: 'message', limit: ALL });
    expect(await read()).toEqual([said(1, 'one'), said(2, 'two'), said(3, 'three')]);
    expect(await sessions.runs('s-1')).toMatchObject([{ ended: true, changedAt: 8_999 }]);
    // Attempts of the execution before, and of this one, which nobody waits for.
    await sessions.keep(at(20_000, 2), [said(2, 'old')], mark(1));
    await sessions.keep(at(20_000, 2, next), [said(2, 'old')], mark(1));
    expect(await read()).toHaveLength(3);
    expect(await sessions.runs('s-1')).toMatchObject([{ ended: true, changedAt: 8_999 }]);
  });

  test('runs: a workflow id that is used again, later runs and sub-agents of a conversation → each by itself, found by its id', async () => {
    const { sessions } = open();
    const first = runRecord('s-1');
    const again = runRecord('s-1', { chain: 'chain-2', startedAt: 5_000 });
    const later = runRecord('s-1', { chain: 'chain-3', workflowId: 's-1~2', startedAt: 6_000 });
    const agent = { chain: 'chain-4', workflowId: 's-1~2/search/1', parent: 's-1~2', startedAt: 7_000 };
    for (const run of [first, again, later, runRecord('s-1', agent)])
      await sessions.keep(run, [said(1, run.chain)]);
    const chains = async (id: string) => (await sessions.find(id)).map(({ chain }) => chain);
    expect(await chains('s-1')).toEqual(['chain-2', first.chain]);
    expect(await chains('s-1~2')).toEqual(['chain-3']);
    expect(await chains('s-1~2/search/1')).toEqual(['chain-4']);
    expect(await chains('s-2')).toEqual([]);
    expect((await sessions.runs('s-1')).map(({ chain }) => chain)).toEqual([
      first.chain,
      'chain-2',
      'chain-3',
      'chain-4',
    ]);
    expect(await sessions.read(again, { kind: 'message', limit: ALL })).toEqual([said(1, 'chain-2')]);
  });

  test('keep: writers at the same time → every record of each', async () => {
    const [a, b] = [open(), open()];
    const runs = Array.from({ length: 10 }, (_, at) => runRecord('s-1', { chain: `chain-${at}` }));
    const text = 'x'.repeat(10_000);
    // A run writes in turn: a record that is older than the run's last one counts as written.
    await Promise.all(
      runs.map(async (run, of) => {
        for (let at = 1; at <= 3; at++)
          await (of % 2 ? a : b).sessions.keep({ ...run, kept: { id: at, seq: 0 } }, [said(at, text)]);
      }),
    );
    for (const run of runs)
      expect(await a.sessions.read(run, { kind: 'message', limit: ALL })).toHaveLength(3);
  });

  test('list and search: words in any case, Chinese, quotes → those conversations, the last changed first', async () => {
    const { sessions } = open();
    for (const [id, text] of [
      ['s-1', 'The pool has SIZE 7'],
      ['s-2', '连接池的大小是七'],
      ['s-3', 'She said "pool\\size"'],
    ] as const)
      await sessions.keep(runRecord(id, { workspace: `/${id}` }), [said(1, text)]);
    const ids = async (ask: Parameters<typeof sessions.list>[0]) =>
      (await sessions.list(ask)).map(({ id }) => id);
    expect((await ids({ limit: 9 })).sort()).toEqual(['s-1', 's-2', 's-3']);
    expect(await ids({ limit: 9, text: 'GOAL s-2' })).toEqual(['s-2']);
    expect(await ids({ limit: 9, workspaces: ['/s-3'] })).toEqual(['s-3']);
    expect(await ids({ limit: 2 })).toHaveLength(2);
    const hits = async (text: string) =>
      (await sessions.search({ text, limit: 9 })).map(({ session }) => session);
    expect(await hits('size pool')).toEqual(expect.arrayContaining(['s-1', 's-3']));
    expect(await hits('大小')).toEqual(['s-2']);
    expect(await hits('"pool\\size"')).toEqual(['s-3']);
    expect(await hits('nowhere')).toEqual([]);
    expect(await sessions.search({ text: 'pool 7', limit: 1 })).toMatchObject([
      { session: 's-1', message: 'm1', workflowId: 's-1', text: 'The pool has SIZE 7' },
    ]);
  });

  test('readEach: runs that wrote by turns, one of them reset → each whole, in the order asked, and no more than is waited for', async () => {
    const { sessions } = open();
    const [a, b] = ['a', 'b"\\'].map(chain => runRecord('s-1', { chain, kept: { id: 3, seq: 1 } }));
    if (!a || !b) throw new Error('there are two');
    for (const number of [1, 2, 3])
      for (const run of [a, b])
        await sessions.keep({ ...run, kept: { id: number, seq: 0 } }, [
          said(number, `${run.chain} ${number} ${'x'.repeat(5_000)}`),
        ]);
    const anew = { ...a, runId: 'execution-2', kept: { id: 2, seq: 1 } };
    await sessions.keep(anew, [said(2, 'a anew'), happened(1)], { id: 1, seq: 0 });
    const chains = [b.chain, 'unknown', a.chain];
    const found: [string, string[]][] = [];
    for await (const { chain, records } of await sessions.readEach('s-1', { kind: 'message', chains }))
      found.push([chain, records.map(each => JSON.stringify(each).slice(0, 200))]);
    expect(found.map(([chain, records]) => [chain, records.length])).toEqual([
      [b.chain, 3],
      ['unknown', 0],
      [a.chain, 2],
    ]);
    expect(found[2]?.[1][1]).toContain('a anew');
    for await (const { chain } of await sessions.readEach('s-1', { kind: 'message', chains })) {
      expect(chain).toBe(b.chain);
      break;
    }
    for await (const { records } of await sessions.readEach('s-9', { kind: 'message', chains }))
      expect(records).toEqual([]);
  });

  test('branch, remove: at the same moment, again and again → a branch is there and shares what is there, or it is not made', async () => {
    const [one, other] = [open().sessions, open().sessions];
    for (let times = 0; times < 10; times++) {
      const session = `s-${times}`;
      const run = runRecord(session);
      await one.keep(run, [said(1, 'one')]);
      const parent = { session, chain: run.chain, message: 'm1' };
      const [made, removed] = await Promise.allSettled([
        one.branch(parent, `b-${times}`),
        other.remove(session),
      ]);
      const isThere = (await one.line(session)) !== null;
      expect([made.status === 'fulfilled', (await one.line(`b-${times}`)) !== null]).toEqual([
        made.status === 'fulfilled',
        made.status === 'fulfilled',
      ]);
      if (made.status === 'fulfilled') expect([isThere, removed.status]).toEqual([true, 'rejected']);
      // Each may see the other and give way: then the conversation is as it was.
      if (!isThere) await expect(one.branch(parent, 'late')).rejects.toThrow(/no conversation/);
      else if (made.status === 'rejected') await other.remove(session);
      else await expect(other.remove(session)).rejects.toThrow(/has branches/);
    }
  });

  test('search: words that overlap, stand in each other or in the arguments of a call → found as they were said', async () => {
    const { sessions } = open();
    const call: StoredLine = {
      kind: 'message',
      thread: 'main',
      message: {
        ...{
          id: 'm2',
          at: 2,
          kind: 'assistant',
          role: 'react',
          model: 'a/b',
          stopReason: 'tool_use',
          usage: NO_USAGE,
        },
        content: [{ type: 'tool_use', id: 'c1', name: 'read', input: { path: 'Über (1).txt' } }],
      } as unknown as Message,
    };
    await sessions.keep(runRecord('s-1'), [said(1, 'the poolsize, x/y'), call]);
    const found = async (text: string) =>
      (await sessions.search({ text, limit: 9 })).map(({ message }) => message);
    for (const text of ['pool poolsize', 'poolsi lsize', 'size pool', 'x/y', 'the size', 'y'])
      expect([text, await found(text)]).toEqual([text, ['m1']]);
    for (const text of ['{"path":"ÜBER', '(1).txt über', 'read "path"'])
      expect([text, await found(text)]).toEqual([text, ['m2']]);
    for (const text of ['poolsize read', 'pool.*', 'completed', 's-1'])
      expect([text, await found(text)]).toEqual([text, []]);
  });

  test('search: a word of more messages than are asked for → the newest conversations, and no more', async () => {
    const { sessions } = open();
    for (let number = 1; number <= 30; number += 1) {
      const all = Array.from({ length: 20 }, (_, at) => said(at + 1, `everywhere ${number}`));
      await sessions.keep(runRecord(`s-${number}`, { changedAt: 1_000 * number }), all);
    }
    const hits = await sessions.search({ text: 'everywhere', limit: 25 });
    expect(hits).toHaveLength(25);
    expect([...new Set(hits.map(({ session }) => session))]).toEqual(['s-30', 's-29']);
    expect(await sessions.search({ text: 'everywhere', limit: ALL })).toHaveLength(600);
  });

  test('search: words of a role’s prompt, which nobody said → not found; what was said is (FC11)', async () => {
    const { sessions } = open();
    const prompt = said(1, 'You are a lighthouse keeper.');
    if (prompt.kind === 'message' && prompt.message.kind === 'user') prompt.message.purpose = 'role';
    await sessions.keep(runRecord('s-1'), [prompt, said(2, 'Is the keeper there?')]);
    const hits = await sessions.search({ text: 'keeper', limit: ALL });
    expect(hits.map(({ message }) => message)).toEqual(['m2']);
    expect(await sessions.search({ text: 'lighthouse', limit: ALL })).toEqual([]);
  });

  test('remove: a conversation and the texts of its runs → gone, and no other', async () => {
    const { sessions, texts } = open();
    for (const id of ['s-1', 's-2']) await sessions.keep(runRecord(id), [said(1, id)]);
    const [ref, other] = [await texts.put('s-1', 'long'), await texts.put('s-2', 'long')];
    const { workflowIds } = await sessions.remove('s-1');
    expect([workflowIds, await texts.removeOf(workflowIds)]).toEqual([['s-1'], 1]);
    const range = { offset: 0, length: 9 };
    expect([
      await texts.read('s-1', ref, range),
      (await texts.read('s-2', other, range))?.totalBytes,
    ]).toEqual([null, 4]);
    expect([await sessions.runs('s-1'), (await sessions.runs('s-2')).length]).toEqual([[], 1]);
  });

  test('remove: while a run of it is open → what that says from then on is kept nowhere; another run of the name is', async () => {
    const { sessions } = open();
    const ended = runRecord('s-1', { chain: 'ended', ended: true });
    const run = runRecord('s-1', { chain: 'open', kept: { id: 1, seq: 0 } });
    await sessions.keep(ended, [said(1, 'said before')]);
    await sessions.keep(run, [said(1, 'one')]);
    await sessions.remove('s-1');
    await sessions.keep({ ...run, changedAt: 3_000 }, [said(2, 'two')], run.kept);
    expect([await sessions.runs('s-1'), await sessions.line('s-1')]).toEqual([[], null]);
    expect(await sessions.list({ limit: ALL })).toEqual([]);
    const next = runRecord('s-1', { chain: 'next' });
    await sessions.keep(next, [said(1, 'anew')]);
    await sessions.keep({ ...run, changedAt: 4_000 }, [said(3, 'three')], run.kept);
    expect((await sessions.runs('s-1')).map(({ chain }) => chain)).toEqual(['next']);
    expect(await sessions.search({ text: 'three', limit: ALL })).toEqual([]);
  });

  test('remove: a writer at the same time → the conversation is whole, or gone, and never begins in the middle', async () => {
    const [a, b] = [open(), open()];
    for (let round = 1; round <= 10; round++) {
      const session = `s-${round}`;
      const run = (id: number) => runRecord(session, { changedAt: id, kept: { id, seq: 0 } });
      await a.sessions.keep(run(1), [said(1, 'one')]);
      const writing = (async () => {
        for (let id = 2; id <= 6; id++)
          await a.sessions.keep(run(id), [said(id, 'more')], { id: id - 1, seq: 0 });
      })();
      await Promise.all([writing, b.sessions.remove(session)]);
      expect(await b.sessions.runs(session)).toEqual([]);
    }
  });

  test('remove: only where nothing was added since → stays where something was', async () => {
    const { sessions } = open();
    await sessions.keep(runRecord('s-1'), [said(1, 'one')]);
    const { changedAt = 0 } = (await sessions.line('s-1')) ?? {};
    expect(await sessions.remove('s-1', { before: changedAt })).toEqual({ workflowIds: [] });
    expect(await sessions.runs('s-1')).toHaveLength(1);
    expect(await sessions.remove('s-1', { before: changedAt + 1 })).toEqual({ workflowIds: ['s-1'] });
    expect(await sessions.runs('s-1')).toEqual([]);
  });
});

/** As after a power cut: each line ends in its midst. */
function tearTitles(path: string): void {
  const folder = dirname(path);
  const lines = readdirSync(folder).map(name => {
    const [line = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
    return `${statSync(join(folder, name)).ino} ${name}\0${line.slice(0, 30)}\n`;
  });
  writeFileSync(path, lines.join(''));
}

describe('the folder', () => {
  const fileIn = () => join(dir, 'sessions', readdirSync(join(dir, 'sessions'))[0] ?? '');

  test('a write that was cut in mid-line → readers pass over it, the next write loses nothing', async () => {
    const { sessions } = openFolder(dir);
    const run = runRecord('s-1');
    await sessions.keep(run, [said(1, 'one')]);
    const whole = readFileSync(fileIn());
    // Wherever the crash cut the second write.
    await sessions.keep(run, [said(2, 'two 帆')]);
    const longer = readFileSync(fileIn());
    for (let end = whole.length; end <= longer.length; end += 7) {
      writeFileSync(fileIn(), longer.subarray(0, end));
      expect((await sessions.read(run, { kind: 'message', limit: ALL }))[0]).toEqual(said(1, 'one'));
      await sessions.keep({ ...run, changedAt: 2_000 + end }, [said(2, 'two 帆'), said(3, 'three')]);
      expect(await sessions.read(run, { kind: 'message', limit: ALL })).toEqual([
        said(1, 'one'),
        said(2, 'two 帆'),
        said(3, 'three'),
      ]);
      expect((await sessions.runs('s-1')).map(({ changedAt }) => changedAt)).toEqual([2_000 + end]);
    }
  });

  test('two readers while it is written → each sees a whole beginning of it, never half a line', async () => {
    const { sessions } = openFolder(dir);
    const run = runRecord('s-1');
    const writing = (async () => {
      for (let at = 1; at <= 60; at += 1) await sessions.keep(run, [said(at, `${at} `.repeat(2_000))]);
    })();
    let ended = false;
    void writing.then(() => {
      ended = true;
    });
    const reads = async () => {
      for (let last = 0; !ended; ) {
        const seen = await openFolder(dir).sessions.read(run, { kind: 'message', limit: ALL });
        expect(seen).toEqual(seen.map((_, index) => said(index + 1, `${index + 1} `.repeat(2_000))));
        expect(seen.length).toBeGreaterThanOrEqual(last);
        last = seen.length;
      }
    };
    await Promise.all([writing, reads(), reads()]);
  });

  test('an attempt whose end was not heard of → the file has each line once, for jq', async () => {
    const { sessions } = openFolder(dir);
    const run = { ...runRecord('s-1'), kept: { id: 2, seq: 1 } };
    for (const _attempt of [1, 2]) await sessions.keep(run, [said(1, 'one'), said(2, 'two'), happened(1)]);
    const kinds = readFileSync(fileIn(), 'utf8')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).k);
    expect(kinds).toEqual(['session', 'message', 'message', 'event', 'run', 'run']);
  });

  test('an attempt of long ago ends after a later one → the run stays as it became', async () => {
    const { sessions } = openFolder(dir);
    const ended = runRecord('s-1', { outcome: 'completed', answer: '42', changedAt: 50 });
    await sessions.keep(ended, [said(1, 'one'), said(2, 'two')]);
    await sessions.keep(runRecord('s-1', { changedAt: 20 }), [said(1, 'one')]);
    expect(await sessions.runs('s-1')).toEqual([ended]);
  });

  test('the first line is torn → the next write names the conversation, and it is listed', async () => {
    const { sessions } = openFolder(dir);
    await sessions.keep(runRecord('s-1'), []);
    writeFileSync(fileIn(), '{"k":"session","v":1,"id":"s-');
    await sessions.keep(runRecord('s-1'), [said(1, 'one')]);
    expect(await sessions.list({ limit: ALL })).toMatchObject([{ id: 's-1', title: 'Goal of s-1' }]);
  });

  test('LL9: any byte of the first lines of a branch is damaged → it keeps its parent, and its parent its branch', async () => {
    const { sessions } = openFolder(dir);
    await sessions.keep(runRecord('s-1'), [said(1, 'one')]);
    const path = fileIn();
    const parent = { session: 's-1', chain: runRecord('s-1').chain, message: 'm1' };
    await sessions.branch(parent, 'branch');
    const names = readdirSync(join(dir, 'sessions')).map(name => join(dir, 'sessions', name));
    const file = names.find(each => each.endsWith('.jsonl') && each !== path) ?? '';
    const whole = readFileSync(file);
    // The first line with its end, and the beginning of the next one.
    for (let at = 0; at <= whole.indexOf(10) + 20; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      rmSync(join(dir, 'sessions', '.titles'), { force: true });
      expect([at, (await sessions.line('branch'))?.parent]).toEqual([at, parent]);
      expect([at, await sessions.branches('s-1')]).toEqual([at, ['branch']]);
    }
    await sessions.keep(runRecord('branch'), [said(1, 'two')]);
    expect((await sessions.line('branch'))?.parent).toEqual(parent);
  });

  test('LL9: quotes and backslashes that only the form of the lines has → such files are not read for them', async () => {
    const { sessions } = openFolder(dir);
    for (let number = 1; number <= 20; number += 1)
      await sessions.keep(runRecord(`s-${number}`), [said(1, `two\nlines ${number}`)]);
    await sessions.keep(runRecord('quoted'), [said(1, 'He said "no\\yes".')]);
    for (const text of ['"', '\\', '"no', 'he "no', 'said no\\yes']) {
      const hits = await sessions.search({ text, limit: ALL });
      expect([text, hits.map(({ session }) => session)]).toEqual([text, ['quoted']]);
      const read: string[] = [];
      for await (const path of filesWith(join(dir, 'sessions'), text.split(' '))) read.push(path);
      expect([text, read.length]).toEqual([text, 1]);
    }
  });

  test('a folder, a link and a broken line among the files → the others are listed and searched', async () => {
    const { sessions } = openFolder(dir);
    await sessions.keep(runRecord('s-1'), [said(1, 'one')]);
    const folder = join(dir, 'sessions');
    mkdirSync(join(folder, 'bad.jsonl'));
    symlinkSync(join(folder, 'loop.jsonl'), join(folder, 'loop.jsonl'));
    writeFileSync(join(folder, 'form.jsonl'), '{"k":"session","id":7}\n{"k":"message","chain":"c"}\n');
    expect((await sessions.list({ limit: ALL })).map(({ id }) => id)).toEqual(['s-1']);
    expect(await sessions.search({ text: 'one', limit: ALL })).toHaveLength(1);
  });

  test('many conversations: one is removed, and another has its name → what it was called stands nowhere, the other is found', async () => {
    const { sessions } = openFolder(dir);
    for (let number = 1; number <= 102; number += 1) await sessions.keep(runRecord(`s-${number}`), []);
    const ids = async (text: string) => (await sessions.list({ limit: ALL, text })).map(({ id }) => id);
    expect([await ids('goal of s-77'), (await ids('goal')).length]).toEqual([['s-77'], 102]);
    const inFolder = () => {
      const folder = join(dir, 'sessions');
      return readdirSync(folder).filter(name =>
        readFileSync(join(folder, name), 'utf8').includes('Goal of s-77'),
      );
    };
    expect(inFolder()).toContain('.titles');
    await sessions.remove('s-77');
    expect([await ids('goal of s-77'), inFolder()]).toEqual([[], []]);
    await sessions.keep(runRecord('s-77', { goal: 'Other', chain: 'chain-2' }), []);
    await sessions.keep(runRecord('s-103', { goal: 'Other' }), []);
    expect((await ids('other')).sort()).toEqual(['s-103', 's-77']);
  });

  test('many conversations, one with a branch → it is found, also before its name is in the list of titles', async () => {
    const { sessions } = openFolder(dir);
    for (let number = 1; number <= 102; number += 1) await sessions.keep(runRecord(`s-${number}`), []);
    await sessions.list({ limit: ALL, text: 'goal' });
    const parent = { session: 's-77', chain: runRecord('s-77').chain, message: 'm1' };
    await sessions.branch(parent, 'branch');
    expect([await sessions.branches('s-77'), await sessions.branches('s-7')]).toEqual([['branch'], []]);
    await expect(sessions.remove('s-77')).rejects.toThrow(/has branches/);
    await sessions.remove('branch');
    expect(await sessions.branches('s-77')).toEqual([]);
  });

  test.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => execFileSync('sh', ['-c', 'mkfifo "$0"', path])],
    ['a file that was torn', tearTitles],
  ])(
    '%s in the place of the first lines of all → the conversations are listed, and one is removed',
    async (_what, spoil) => {
      const { sessions } = openFolder(dir);
      for (const id of ['s-1', 's-2']) await sessions.keep(runRecord(id), []);
      spoil(join(dir, 'sessions', '.titles'));
      const ids = async () =>
        (await sessions.list({ limit: ALL, text: 'goal of' })).map(({ id }) => id).sort();
      expect(await ids()).toEqual(['s-1', 's-2']);
      await sessions.remove('s-2');
      expect(await ids()).toEqual(['s-1']);
      const left = readdirSync(join(dir, 'sessions')).filter(name => name.startsWith('.'));
      for (const name of left)
        expect(readFileSync(join(dir, 'sessions', name), 'utf8')).not.toContain('Goal of s-2');
    },
  );

  test('a process is killed while it writes the first lines of all → a removal leaves nothing of that', async () => {
    const { sessions } = openFolder(dir);
    await sessions.keep(runRecord('s-1'), []);
    writeFileSync(join(dir, 'sessions', '.titles.1b4e28ba-2fa1-11d2-883f-0016d3cca427'), 'Goal of s-1');
    await sessions.remove('s-1');
    expect(readdirSync(join(dir, 'sessions'))).toEqual([]);
  });

  test('a link in the place of the file → refused, and nothing is written where it leads', async () => {
    const { sessions } = openFolder(dir);
    await sessions.keep(runRecord('s-1'), []);
    const elsewhere = join(dir, 'elsewhere');
    writeFileSync(elsewhere, '');
    const path = fileIn();
    rmSync(path);
    symlinkSync(elsewhere, path);
    await expect(sessions.keep(runRecord('s-1'), [said(1, 'one')])).rejects.toThrow(/ELOOP/);
    expect(readFileSync(elsewhere, 'utf8')).toBe('');
  });

  test.each([
    '{"id":"m2","kind":"assistant","at":2}',
    '{"id":"m2","kind":"user","at":2,"purpose":"goal","content":[null]}',
    '{"id":"m2","kind":"tool_result","at":2,"content":[{"type":"tool_result","content":"x"}]}',
    '{"id":2,"kind":"user","at":2,"purpose":"goal","content":[]}',
  ])('a message of another form: %s → passed over, wherever it is read', async message => {
    const { sessions } = openFolder(dir);
    const run = runRecord('s-1');
    await sessions.keep(run, [said(1, 'one')]);
    const lines = ['{"k":"run","chain":"zz","run":{}}', '{"k":"event","chain":"chain-of-s-1","event":{}}'];
    lines.push(`{"k":"message","chain":"chain-of-s-1","thread":"main","message":${message}}`);
    appendFileSync(fileIn(), `${lines.join('\n')}\n`);
    expect(await sessions.read(run, { kind: 'message', limit: ALL })).toEqual([said(1, 'one')]);
    expect(await sessions.read(run, { kind: 'event', limit: ALL })).toEqual([]);
    expect(await sessions.search({ text: 'one', limit: ALL })).toHaveLength(1);
    expect(await sessions.runs('s-1')).toEqual([run]);
  });

  test('a pipe in the place of the file → an error at once, for readers and writers', async () => {
    const { sessions } = openFolder(dir);
    const run = runRecord('s-1');
    await sessions.keep(run, [said(1, 'one')]);
    const path = fileIn();
    rmSync(path);
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    await expect(sessions.runs('s-1')).rejects.toThrow(/is not a regular file/);
    await expect(sessions.keep(run, [said(1, 'one')])).rejects.toThrow(/is not a regular file/);
    expect(await sessions.search({ text: 'one', limit: ALL })).toEqual([]);
  });

  test('lines of a form that is not known → passed over; the file → for its user alone', async () => {
    const { sessions } = openFolder(dir);
    const run = runRecord('s-1');
    await sessions.keep(run, [said(1, 'one')]);
    appendFileSync(fileIn(), '{"k":"later","v":9}\nnull\n[]\n{"k":"message","chain":7}\n');
    await sessions.keep(run, [said(2, 'two')]);
    expect(await sessions.read(run, { kind: 'message', limit: ALL })).toHaveLength(2);
    expect(statSync(fileIn()).mode & 0o077).toBe(0);
  });
});
