import { expect, test } from 'vitest';
import type { CompareFileInput } from '../../../../../src/activities/types.js';
import type { RunSettings } from '../../../../../src/run/agents/run-config.js';
import { requestPause } from '../../../../../src/workflows/inbox/inbox-handlers.js';
import type { Run } from '../../../../../src/workflows/run/run.js';
import { runNextCalls } from '../../../../../src/workflows/turn/tools/run-tools.js';
import { pinnedRun } from '../../../../support/core-values.js';
import { answer, fileTool, runAtCalls } from '../../../../support/small-run.js';
import { eventually } from '../../../../support/wait.js';

const WRITE = { name: 'put', input: { path: 'a', content: 'new' } };

const OWN = { type: 'mcp' as const, server: 'files', own: true as const };
/** Our tool that writes a whole file, under the name that this run gives it. */
const PUT = { ...fileTool('put'), serverToolName: 'write', origin: OWN };
const TOOLS = [PUT, fileTool('read', { readOnly: true })];

/** A run that is about to write; the file is looked at when the test lets it. */
function aboutToWrite(settings: Partial<RunSettings> = {}) {
  const looked: CompareFileInput[] = [];
  let look = () => {};
  const may = new Promise<void>(resolve => {
    look = resolve;
  });
  const compareFile = async (input: CompareFileInput) => {
    looked.push(input);
    await may;
    return { ok: true as const, value: { kind: 'changed' as const, diff: '-old\n+new' } };
  };
  const small = runAtCalls([WRITE, { name: 'put', input: { path: 'b' } }], {
    settings,
    pinned: { tools: TOOLS },
    ports: { compareFile },
  });
  return { ...small, looked, look, turning: next(small.run) };
}

function next(run: Run): Promise<void> {
  const { batch } = run.state.cursor.position.turns;
  return runNextCalls(run, batch as NonNullable<typeof batch>);
}

const gates = (run: Run) => run.state.people.gates.map(({ gate }) => gate);

test('gate of a write: opened when the file was looked at, with the others; looked at once (PR8)', async () => {
  const { run, looked, look, turning, ran } = aboutToWrite();
  expect(gates(run)).toEqual([]);
  look();
  await eventually(() => expect(gates(run)).toHaveLength(2));
  expect(gates(run)[0]?.body).toContain('-old\n+new');
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve' });
  await turning;
  expect(ran).toHaveLength(1);
  expect(looked).toEqual([{ callId: 't1', workspace: '/w', arguments: WRITE.input }]);
});

test('gate of a write: a stop while the file is looked at → no gate is opened (PR8)', async () => {
  const { run, look, turning } = aboutToWrite();
  run.state.people.stop = { reason: 'enough', at: 0 };
  look();
  await turning;
  expect(gates(run)).toEqual([]);
});

test('gate of a write by the tool of another server → the file is not looked at, and nothing is said of it; earlier runs do so (PR8)', async () => {
  const atOther = async (behaviour?: number) => {
    const looked: CompareFileInput[] = [];
    const compareFile = async (input: CompareFileInput) => {
      looked.push(input);
      return { ok: true as const, value: { kind: 'same' as const } };
    };
    const pinned = { tools: [fileTool('put')], ...(behaviour && { behaviour }) };
    const { run } = runAtCalls([WRITE], { pinned, ports: { compareFile } });
    void next(run);
    await eventually(() => expect(gates(run)).toHaveLength(1));
    return { looked: looked.length, body: gates(run)[0]?.body ?? '' };
  };
  const now = await atOther();
  expect(now.looked).toBe(0);
  expect(now.body).not.toContain('Nothing changes');
  expect(now.body).toContain('"content": "new"');
  expect((await atOther(4)).looked).toBe(1);
});

test('gate of a write: nobody attends → the file is not looked at (PR8)', async () => {
  const { looked, turning, look } = aboutToWrite({ attended: false });
  look();
  await turning;
  expect(looked).toEqual([]);
});

test('a pause while a file is looked at → its gate is open, and the call before it does not run (L10)', async () => {
  const small = runAtCalls([{ name: 'read', input: {} }, WRITE], {
    pinned: { tools: TOOLS },
    ports: {
      compareFile: async () => {
        requestPause(small.run, null);
        return { ok: true, value: { kind: 'unread' } };
      },
    },
  });
  await next(small.run);
  expect(gates(small.run)).toHaveLength(1);
  expect(small.ran).toEqual([]);
});

const EDIT = {
  ...fileTool('edit'),
  origin: OWN,
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, edits: { type: 'array' } },
    additionalProperties: false,
  },
};

test('SE9: an edit that can not be applied, beside one that can → a gate for the other alone; its result says why', async () => {
  const edit = (path: string) => ({ name: 'edit', input: { path, edits: [{ oldText: 'x', newText: 'y' }] } });
  const compareFile = async ({ arguments: given }: CompareFileInput) => ({
    ok: true as const,
    value:
      given?.path === 'a'
        ? { kind: 'fails' as const, why: 'Nothing was changed.' }
        : { kind: 'unread' as const },
  });
  const pinned = { tools: [EDIT] };
  const { run, results, ran } = runAtCalls([edit('a'), edit('b')], { pinned, ports: { compareFile } });
  await next(run);
  expect(gates(run)).toHaveLength(1);
  expect(results()).toMatchObject([
    { ending: 'invalid', note: expect.stringContaining('Nothing was changed.') },
  ]);
  const second = next(run);
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve' });
  await second;
  expect(ran).toHaveLength(1);
});

test('SE9: an edit by a copy of the workspace’s tool, and by runs that know only its schema → only the latter is tried', async () => {
  const looked: CompareFileInput[] = [];
  const compareFile = async (input: CompareFileInput) => {
    looked.push(input);
    return { ok: true as const, value: { kind: 'fails' as const, why: 'Nothing was changed.' } };
  };
  const copy = { ...EDIT, origin: { type: 'mcp' as const, server: 'copy' } };
  const atCopy = async (behaviour?: number) => {
    const pinned = { tools: [copy], ...(behaviour && { behaviour }) };
    const { run } = runAtCalls([editOf('a')], { pinned, ports: { compareFile } });
    void next(run);
    await eventually(() => expect(gates(run).length + looked.length).toBe(1));
    return gates(run).length;
  };
  expect(await atCopy()).toBe(1);
  expect(looked).toEqual([]);
  expect(await atCopy(4)).toBe(0);
});

const editOf = (path: string, more: object = {}) => ({
  name: 'edit',
  input: { path, edits: [{ oldText: `old ${path}`, newText: `new ${path}`, ...more }] },
});

/** A run whose executor asks for edits; the files are as the edits want them. */
function atEdits(calls: { name: string; input: Record<string, unknown>; raw?: string }[], pinned = {}) {
  return runAtCalls(calls, { pinned: { tools: [EDIT, fileTool('put')], ...pinned } });
}

async function turnAll(run: Run) {
  while (run.state.cursor.position.turns.batch) await next(run);
}

test('SE9: edits of one reply → one gate with each change; its answer decides all, in their order', async () => {
  const { run, results, ran } = atEdits([editOf('a'), editOf('b', { all: true }), editOf('c')]);
  const turning = turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(1));
  const [gate] = gates(run);
  expect(gate).toMatchObject({
    kind: 'approval',
    title: 'Make these 3 changes?',
    subject: { tool: 'edit', callId: 't1', calls: [{ path: 'a' }, { path: 'b' }, { path: 'c' }] },
  });
  for (const text of ['1. edit "a"', '-old a\n+new a', '2. edit "b" ({"all":true})', '+new c'])
    expect(gate?.body).toContain(text);
  answer(run, { gateId: gate?.id, decision: 'approve' });
  await turning;
  expect(gates(run)).toEqual([]);
  expect(ran.map(({ arguments: given }) => given?.path)).toEqual(['a', 'b', 'c']);
  expect(results().map(({ ending }) => ending)).toEqual(['executed', 'executed', 'executed']);
});

test('SE9: an answer that leaves one edit out with a reason → the others are made, and its result has the reason', async () => {
  const { run, results, ran } = atEdits([editOf('a'), editOf('b'), editOf('c')]);
  const turning = turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(1));
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve', except: { 2: 'b is generated' } });
  await turning;
  expect(ran).toHaveLength(2);
  expect(results()[1]).toMatchObject({ ending: 'denied', note: expect.stringContaining('b is generated') });
});

test('SE9: a no → all are denied, with its reason; a call of another kind beside them has its own gate', async () => {
  const { run, results, ran } = atEdits([editOf('a'), { name: 'put', input: { path: 'x' } }, editOf('b')]);
  const turning = turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(2));
  for (const { id } of gates(run)) answer(run, { gateId: id, decision: 'deny', reason: 'not today' });
  await turning;
  expect(ran).toEqual([]);
  expect(results().map(({ note }) => note.includes('not today'))).toEqual([true, true, true]);
});

test('SE9: a change that is too long to be shown, and runs that began earlier → gates of their own', async () => {
  const long = editOf('long');
  long.input.edits = [{ oldText: 'x'.repeat(5_000), newText: 'y' }];
  const { run } = atEdits([editOf('a'), long, editOf('c')]);
  void turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(2));
  const old = atEdits([editOf('a'), editOf('b')], { behaviour: 2 });
  void turnAll(old.run);
  await eventually(() => expect(gates(old.run)).toHaveLength(2));
});

test.each([
  [{ 4: 'no' }, 'changes 1 to 2'],
  [{ 1: ' ' }, 'each with a reason'],
  ['1', 'each with a reason'],
])('SE9: an answer with except %j → refused', async (except, why) => {
  const { run } = atEdits([editOf('a'), editOf('b')]);
  void turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(1));
  expect(() => answer(run, { gateId: gates(run)[0]?.id, decision: 'approve', except })).toThrow(why);
});

const SMUGGLED: [string, Record<string, unknown>, string][] = [
  [
    'a path under another name',
    { path: 'a', file_path: '/etc/hidden', oldText: 'x', newText: 'y' },
    'hidden',
  ],
  ['a text under another name', { path: 'a', oldText: 'x', newText: 'y', new_string: 'hidden' }, 'hidden'],
  [
    'a text beside its edits',
    { path: 'a', newText: 'hidden', edits: [{ oldText: 'x', newText: 'y' }] },
    'hidden',
  ],
  [
    'a path in an edit',
    { path: 'a', edits: [{ path: '/etc/hidden', oldText: 'x', newText: 'y' }] },
    'hidden',
  ],
];

test.each(SMUGGLED)(
  'SE9: edits of one reply, one with %s → the gate shows it',
  async (_what, input, hidden) => {
    const { run } = atEdits([{ name: 'edit', input }, editOf('b')]);
    void turnAll(run);
    await eventually(() => expect(gates(run)).toHaveLength(1));
    expect(gates(run)[0]?.body).toContain(hidden);
  },
);

test('SE9: edits beside large calls that take up the room → no change that a gate asks about is cut off', async () => {
  const put = (path: string) => ({ name: 'put', input: { path, text: '字'.repeat(4_000) } });
  const long = (path: string) => editOf(path, { note: 'n'.repeat(3_000) });
  const { run } = atEdits([put('x'), put('y'), put('z'), long('a'), long('b'), long('c')]);
  void turnAll(run);
  await eventually(() => expect(gates(run).length).toBeGreaterThan(3));
  expect(gates(run).some(({ subject }) => 'calls' in subject)).toBe(false);
  for (const gate of gates(run))
    for (const { path } of (gate.kind === 'approval' && gate.subject.calls) || [])
      expect(gate.body).toContain(`+new ${path}`);
});

test('SE9: a file that an earlier change of the reply writes → asked about in its turn, against what that one left', async () => {
  const put = (path: string, content: string) => ({ name: 'put', input: { path, content } });
  const contents = new Map([['/w/a', 'one']]);
  const compareFile = async ({ arguments: given }: CompareFileInput) => {
    const old = contents.get('/w/a');
    if (given?.content === old) return { ok: true as const, value: { kind: 'same' as const } };
    const diff = `-${old}\n+${String(given?.content)}`;
    return { ok: true as const, value: { kind: 'changed' as const, diff } };
  };
  const { run } = runAtCalls([put('a', 'two'), editOf('b'), put('./a', 'one')], {
    pinned: { tools: [EDIT, PUT] },
    ports: {
      compareFile,
      callTool: async ({ arguments: given }) => {
        if (given?.content) contents.set('/w/a', String(given.content));
        return { ok: true, value: { ending: 'executed', content: [], isError: false, durationMs: 1 } };
      },
    },
  });
  const turning = turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(1));
  expect(gates(run)[0]).toMatchObject({ subject: { calls: [{ path: 'a' }, { path: 'b' }] } });
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve' });
  await eventually(() => expect(gates(run)[0]?.body).toContain('-two\n+one'));
  answer(run, { gateId: gates(run)[0]?.id, decision: 'approve' });
  await turning;
  expect(contents.get('/w/a')).toBe('one');
});

test('SE9: an edit whose arguments were mended → a gate of its own, with what the model wrote', async () => {
  const raw = '{"path": "b", "edits": [{"oldText": "old b", newText: "new b"}]}';
  const { run } = atEdits([editOf('a'), { ...editOf('b'), raw }, editOf('c')]);
  void turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(2));
  expect(gates(run).map(({ subject }) => ('calls' in subject ? subject.calls?.length : 1))).toEqual([2, 1]);
  expect(gates(run)[1]?.body).toContain('newText: \\"new b\\"');
});

test('SE9: a no with a long reason to 48 edits → all are denied, and none is asked about again', async () => {
  const edits = Array.from({ length: 48 }, (_, index) => editOf(`f${index}`));
  const { run, results } = atEdits(edits, { limits: { ...pinnedRun().limits, toolCallsPerTurn: 64 } });
  const turning = turnAll(run);
  await eventually(() => expect(gates(run)).toHaveLength(1));
  answer(run, {
    gateId: gates(run)[0]?.id,
    decision: 'deny',
    reason: 'These files are generated. '.repeat(9),
  });
  for (let index = 0; index < 48; index += 1) await new Promise(setImmediate);
  expect(gates(run)).toEqual([]);
  await turning;
  expect(results().map(({ ending }) => ending)).toEqual(edits.map(() => 'denied'));
});
