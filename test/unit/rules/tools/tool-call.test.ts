import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearestNames, nearNames } from '../../../../src/base/text/nearest-names.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { notAllowedNote } from '../../../../src/conversation/tool-notes.js';
import { decideToolCall, type ToolCallCase } from '../../../../src/rules/tools/tool-call.js';
import type { CallAnswer } from '../../../../src/run/gates/gate.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import type { ToolEnding, ToolUseBlock } from '../../../../src/run/messages/message.js';
import { emptyLedger, type Ledger, ledgerKey } from '../../../../src/run/tools/ledger.js';
import {
  DEFAULT_TOOL_POLICY,
  type ToolDefinition,
  type ToolPolicy,
  workspaceToolOf,
} from '../../../../src/run/tools/tool.js';

function tool(name: string, policy: Partial<ToolPolicy> = {}): ToolDefinition {
  return {
    name,
    serverToolName: name,
    origin: { type: 'mcp', server: 'files' },
    description: '',
    inputSchema: {},
    validation: 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, ...policy },
  };
}

const READ = tool('read_file', { readOnly: true });
const WRITE = tool('write_file');
const LIST = tool('list_folder', { readOnly: true });
const FIND = tool('find_file', { readOnly: true });
const PHOTO: ToolDefinition = { ...tool('take_photo'), origin: { type: 'client' } };
const OFFERED = [READ, WRITE, LIST, FIND, PHOTO];

function call(name: string, more: Partial<ToolUseBlock> = {}): ToolUseBlock {
  return { type: 'tool_use', id: 'c1', name, input: { path: 'a.txt' }, ...more };
}

/** A good first call of `read_file` that may run, but for what `more` says. */
function given(more: Partial<ToolCallCase> = {}): ToolCallCase {
  return {
    call: call('read_file'),
    said: null,
    index: 0,
    before: 0,
    now: 1_000,
    offered: OFFERED,
    pinned: { fallbackServer: null, dedupe: 'enforce', tools: [] },
    limits: DEFAULT_LIMITS,
    ledger: emptyLedger(),
    permission: () => 'run',
    words: BUILT_IN_WORDS.en,
    stopped: false,
    badCalls: 0,
    ...more,
  };
}

function knownCall(name: string, more: Partial<Ledger['entries'][string]> = {}): Ledger {
  const entry = {
    toolUseId: 'c0',
    tool: name,
    messageId: 'm0',
    ending: 'executed' as const,
    isError: false,
    complete: true,
    isStub: false,
    paths: null,
    ...more,
  };
  return { entries: { [ledgerKey(name, { path: 'a.txt' })]: entry } };
}

const badCall = (more: Partial<ToolUseBlock> = {}) =>
  call('read_file', { argErrors: ['path: missing'], ...more });
const twoCallsATurn = { ...DEFAULT_LIMITS, toolCallsPerTurn: 2 };

test('FC6 an unlisted call to our own server named `default` → is not one of our tools (T3)', () => {
  const origin = { type: 'mcp', server: 'default', own: true, stateful: true } as const;
  const edit = { ...tool('default__edit'), serverToolName: 'edit', origin };
  const pinned = { fallbackServer: 'default', dedupe: 'off', tools: [edit] } as const;
  const decision = decideToolCall(given({ call: call('run'), pinned: { ...pinned, tools: [edit] } }));
  expect(decision).toMatchObject({ kind: 'run', tool: { name: 'default__run', serverToolName: 'run' } });
  const called = 'tool' in decision ? decision.tool : edit;
  expect(called.origin).toEqual({ type: 'mcp', server: 'default', stateful: true });
  expect(workspaceToolOf(called)).toBeNull();
});

describe('decideToolCall: calls that do not run', () => {
  test.each<[string, Partial<ToolCallCase>, ToolEnding, RegExp]>([
    ['stopped run → cancelled (G7)', { stopped: true }, 'cancelled', /run was stopped/],
    [
      'stopped run and an unknown tool → cancelled all the same (G7)',
      { stopped: true, call: call('nix') },
      'cancelled',
      /stopped/,
    ],
    [
      'first call over toolCallsPerTurn → skipped, with the number (L19, G7)',
      { index: 2, limits: twoCallsATurn },
      'skipped',
      /at most 2 tool calls/,
    ],
    [
      'over toolCallsPerTurn with bad arguments → skipped, not counted as bad (L19)',
      { index: 9, limits: twoCallsATurn, call: badCall() },
      'skipped',
      /at most 2/,
    ],
    [
      'over callsPerTurn of its tool → skipped, with tool and number (T13)',
      { index: 2, before: 1, offered: [tool('read_file', { readOnly: true, callsPerTurn: 1 })] },
      'skipped',
      /at most 1 calls of read_file/,
    ],
    [
      'bad arguments after the corrections of its tool → told to go another way (T7)',
      { call: badCall(), badCalls: 0, offered: [tool('read_file', { corrections: 0 })] },
      'invalid',
      /do not call it again/,
    ],
    [
      'no tool of that name → unavailable, with the nearest names (T3)',
      { call: call('readfile') },
      'unavailable',
      /no tool named readfile. Nearest: read_file, /,
    ],
    [
      'a tool of the run that the role has not, though the shared prefix shows it → unavailable, said so (T3)',
      {
        call: call('write_file'),
        offered: [READ],
        pinned: { fallbackServer: null, dedupe: 'off', tools: [READ, WRITE] },
      },
      'unavailable',
      /^Not run: this role does not have write_file\./,
    ],
    [
      'a tool of the run that is denied, so not offered → denied all the same (TR7)',
      {
        call: call('write_file'),
        offered: [READ],
        pinned: { fallbackServer: 'default', dedupe: 'off', tools: [READ, WRITE] },
        permission: one => (one.name === 'write_file' ? 'deny' : 'run'),
      },
      'denied',
      /denied by the configuration/,
    ],
    [
      'a denied tool of the server `default`, by the name it has there → does not go there (T3, TR7)',
      {
        call: call('files.write'),
        offered: [READ],
        pinned: {
          fallbackServer: 'default',
          dedupe: 'off',
          tools: [READ, { ...WRITE, name: 'files_write', serverToolName: 'files.write' }],
        },
        permission: one => (one.name === 'files_write' ? 'deny' : 'run'),
      },
      'unavailable',
      /there is no tool named files\.write/,
    ],
    [
      'role without tools → unavailable, told to answer without (L9)',
      { offered: [] },
      'unavailable',
      /no tools are available here.*Answer without tools/,
    ],
    [
      'role without tools and a server `default` → unavailable still (L9, T3)',
      { offered: [], pinned: { fallbackServer: 'default', dedupe: 'off', tools: [] } },
      'unavailable',
      /no tools are available/,
    ],
    [
      'bad arguments → invalid, with every error and the wish to call again (T6, T7)',
      { call: badCall({ argErrors: ['path: missing', 'depth: not a number'] }) },
      'invalid',
      /\n- path: missing\n- depth: not a number\nCorrect the arguments and call again\.$/,
    ],
    [
      'arguments that were no JSON and do not fit → invalid, says that they could not be read (T5)',
      { call: badCall({ input: {}, argsParseFailed: true }) },
      'invalid',
      /cut off or are not readable as JSON: write all of them/,
    ],
    [
      'no JSON, of a tool whose schema takes {} → invalid: nothing stands for what nobody said (TR3)',
      { call: call('read_file', { input: {}, argsParseFailed: true }) },
      'invalid',
      /^Not run\. The arguments were cut off/,
    ],
    [
      'no JSON, of a tool that its server checks → invalid all the same (TR3)',
      { call: call('read_file', { input: {}, raw: '{"pa', argsParseFailed: true }), permission: () => 'ask' },
      'invalid',
      /Correct the arguments/,
    ],
    [
      'bad arguments once more within the limit → still asked to correct (T7)',
      { call: badCall(), badCalls: 1 },
      'invalid',
      /Correct the arguments/,
    ],
    [
      'bad arguments after argumentCorrections → told to go another way, with the count (T7)',
      { call: badCall(), badCalls: 2 },
      'invalid',
      /called wrongly 3 times: do not call it again/,
    ],
    [
      'bad arguments of a denied tool → invalid first (T7)',
      { call: badCall(), permission: () => 'deny' },
      'invalid',
      /do not fit/,
    ],
    [
      'bad arguments of a client tool → invalid: the client gets none (C4, T10)',
      { call: call('take_photo', { argErrors: ['size: missing'] }) },
      'invalid',
      /size: missing/,
    ],
    [
      'denied by the configuration → denied (C23)',
      { permission: () => 'deny' },
      'denied',
      /read_file is denied by the configuration/,
    ],
    [
      'more than can be compared with what is denied → denied, with the reason (T9)',
      { permission: () => 'too_much' },
      'denied',
      /read_file,.+too long to be compared.+several smaller calls/,
    ],
    [
      'denied client tool → denied (C23, T10)',
      { call: call('take_photo'), permission: () => 'deny' },
      'denied',
      /take_photo is denied/,
    ],
    [
      'denied though the result is known → denied (C23, D4)',
      { permission: () => 'deny', ledger: knownCall('read_file') },
      'denied',
      /denied/,
    ],
  ])('decideToolCall: %s', (_, more, ending, text) => {
    const decision = decideToolCall(given(more));
    expect(decision).toMatchObject({ kind: 'end', ending, note: expect.stringMatching(text) });
  });

  test('decideToolCall: readable, valid arguments → nothing about JSON is said of a schema error alone (T5)', () => {
    const decision = decideToolCall(given({ call: badCall() }));
    expect(decision).toMatchObject({ note: expect.not.stringContaining('readable as JSON') });
  });
});

const approval = (more: object) =>
  ({ kind: 'approval', decision: 'approve', reason: null, arguments: null, ...more }) as const;

describe('decideToolCall: calls of which something was said', () => {
  const client: CallAnswer = { kind: 'clientTool', content: [], isError: false };

  test.each<[string, Partial<ToolCallCase>, object]>([
    [
      'denied by a person, and the tool runs unasked by now → denied (PR1)',
      { said: approval({ decision: 'deny', reason: 'No.' }), permission: () => 'run' },
      { kind: 'end', ending: 'denied', note: notAllowedNote(BUILT_IN_WORDS.en, 'read_file', 'No.') },
    ],
    [
      'approved with other arguments, and the tool runs unasked by now → run with those (PR1)',
      { said: approval({ arguments: { path: 'b' } }), permission: () => 'run' },
      { kind: 'run', edited: { path: 'b' } },
    ],
    [
      'approved with arguments that are denied → denied: those that run count (T9, PR1)',
      {
        said: approval({ arguments: { path: '.env' } }),
        permission: (_, input) => (input.path === '.env' ? 'deny' : 'ask'),
      },
      { kind: 'end', ending: 'denied' },
    ],
    [
      'approved, and the same call has a result by now → run all the same (PR1)',
      { said: approval({}), ledger: knownCall('read_file') },
      { kind: 'run', edited: null },
    ],
    [
      'approved, and the run is being stopped → cancelled (PR1)',
      { said: approval({}), stopped: true },
      { kind: 'end', ending: 'cancelled' },
    ],
    [
      'result of the client, and the run is being stopped → the result (PR1)',
      { call: call('take_photo'), said: client, stopped: true },
      { kind: 'given', tool: PHOTO },
    ],
  ])('decideToolCall: %s', (_, more, decision) => {
    expect(decideToolCall(given(more))).toMatchObject(decision);
  });
});

describe('decideToolCall: calls that go on', () => {
  const NOTE = expect.stringContaining('same call with the same arguments');
  test.each<[string, Partial<ToolCallCase>, object]>([
    ['allowed → run, without a note', {}, { kind: 'run', tool: READ, note: null }],
    [
      'last call within toolCallsPerTurn → run (L19)',
      { index: 1, limits: twoCallsATurn },
      { kind: 'run', tool: READ, note: null },
    ],
    [
      'to be asked → ask (C23)',
      { call: call('write_file'), permission: () => 'ask' },
      { kind: 'ask', tool: WRITE, note: null },
    ],
    [
      'empty list of argument errors → run (C4)',
      { call: call('read_file', { argErrors: [] }) },
      { kind: 'run', tool: READ, note: null },
    ],
    ['client tool → the client runs it (T10)', { call: call('take_photo') }, { kind: 'client', tool: PHOTO }],
    [
      'client tool that a person would be asked for → the client asks its own user (T10, C23)',
      { call: call('take_photo'), permission: () => 'ask' },
      { kind: 'client', tool: PHOTO },
    ],
    [
      'known result of a read-only tool, enforce → reuse (D4)',
      { ledger: knownCall('read_file') },
      { kind: 'reuse', entry: { toolUseId: 'c0' } },
    ],
    [
      'known result, other arguments → run (D4)',
      { ledger: knownCall('read_file'), call: call('read_file', { input: { path: 'b' } }) },
      { kind: 'run', note: null },
    ],
    [
      'known result that is an error → run (D4)',
      { ledger: knownCall('read_file', { isError: true }) },
      { kind: 'run', note: null },
    ],
    [
      'known result, advise → run with a note (D4)',
      { ledger: knownCall('read_file'), pinned: { fallbackServer: null, dedupe: 'advise', tools: [] } },
      { kind: 'run', note: NOTE },
    ],
    [
      'known result of a writing tool, enforce → asks with a note, never reused (D4, C23)',
      { call: call('write_file'), ledger: knownCall('write_file'), permission: () => 'ask' },
      { kind: 'ask', tool: WRITE, note: NOTE },
    ],
    [
      'known result, off → run without a note (D4)',
      { ledger: knownCall('read_file'), pinned: { fallbackServer: null, dedupe: 'off', tools: [] } },
      { kind: 'run', note: null },
    ],
  ])('decideToolCall: %s', (_, more, decision) => {
    expect(decideToolCall(given(more))).toMatchObject(decision);
  });

  test('decideToolCall: unknown tool and a server `default` → goes there under its own name; permission is asked for `default__` and that name, so that no rule for another server counts (T3, TR7)', () => {
    const asked: ToolDefinition[] = [];
    const decision = decideToolCall(
      given({
        call: call('mystery'),
        pinned: { fallbackServer: 'default', dedupe: 'enforce', tools: [] },
        permission: wanted => {
          asked.push(wanted);
          return 'ask';
        },
      }),
    );
    const expected = {
      name: 'default__mystery',
      serverToolName: 'mystery',
      origin: { type: 'mcp', server: 'default' },
      validation: 'delegate',
      policy: { readOnly: false, idempotent: false, destructive: true },
    };
    expect(decision).toMatchObject({ kind: 'ask', tool: expected, note: null });
    expect(asked).toMatchObject([expected]);
  });

  test('decideToolCall: a tool on offer and a server `default` → the tool on offer (T3)', () => {
    const pinned = { fallbackServer: 'default', dedupe: 'enforce' as const, tools: [] };
    expect(decideToolCall(given({ pinned }))).toMatchObject({ kind: 'run', tool: READ });
  });

  test('decideToolCall: a tool of the run that the role is not offered, and a server `default` → out of reach (L9)', () => {
    const pinned = { fallbackServer: 'default', dedupe: 'enforce' as const, tools: [...OFFERED] };
    const decision = decideToolCall(given({ call: call('write_file'), offered: [READ], pinned }));
    expect(decision).toMatchObject({ kind: 'end', ending: 'unavailable' });
  });

  test('decideToolCall: any case → a decision, and nothing runs when stopped, over the cap or denied (G7)', () => {
    const cases = fc.record({
      name: fc.constantFrom('read_file', 'write_file', 'take_photo', 'nix', 'constructor', '__proto__'),
      index: fc.nat(20),
      stopped: fc.boolean(),
      permission: fc.constantFrom('run' as const, 'ask' as const, 'deny' as const),
      errors: fc.constantFrom<(string[] | undefined)[]>(undefined, [], ['bad']),
      fallbackServer: fc.constantFrom(null, 'default'),
      offered: fc.constantFrom(OFFERED, []),
    });
    fc.assert(
      fc.property(cases, ({ name, index, stopped, permission, errors, fallbackServer, offered }) => {
        const wanted = call(name, errors === undefined ? {} : { argErrors: errors });
        const pinned = { fallbackServer, dedupe: 'enforce' as const, tools: [] };
        const decision = decideToolCall(
          given({ call: wanted, index, stopped, permission: () => permission, offered, pinned }),
        );
        const closed = stopped || index >= 16 || offered.length === 0 || permission === 'deny';
        if (closed || errors?.length === 1) expect(decision.kind).toBe('end');
        if (decision.kind === 'end') expect(decision.note).toMatch(/^Not run[:.] /);
      }),
    );
  });
});

describe('WK17: a tool that is not offered → the one that does the same, or all that there are', () => {
  const offered = ['ask_person', 'delete', 'edit', 'files__read', 'recall'].map(name => tool(name));
  test.each([
    ['apply_patch', offered, /Nearest: edit\.$/],
    ['cat', offered, /Nearest: files__read\.$/],
    ['AskUserQuestion', offered, /Nearest: ask_person\.$/],
    ['bash', offered, /Nearest: ask_person, delete, edit, files__read, recall\.$/],
  ])('%s', (name, tools, note) => {
    const decision = decideToolCall(given({ call: call(name), offered: tools }));
    expect(decision).toMatchObject({ kind: 'end', ending: 'unavailable' });
    expect(decision.kind === 'end' && decision.note).toMatch(note);
  });
});

describe('nearestNames', () => {
  test.each([
    [
      'a misspelt name → the right one first (T3)',
      'raed_file',
      ['write_file', 'zip', 'read_file'],
      ['read_file', 'write_file', 'zip'],
    ],
    [
      'other case → still found (T3)',
      'READ_FILE',
      ['zip', 'tar', 'read_file', 'gz'],
      ['read_file', 'zip', 'tar'],
    ],
    [
      'two letters swapped → before a name with as many pairs (T3)',
      'modles',
      ['modes', 'models'],
      ['models', 'modes'],
    ],
    ['a letter left out → the right one first (T3)', 'limts', ['items', 'limits'], ['limits', 'items']],
    ['nothing in common → the first three in their order (T3)', 'x', ['b', 'a', 'd', 'c'], ['b', 'a', 'd']],
    ['fewer than three names → those (T3)', 'x', ['one'], ['one']],
    ['no names → none (T3)', 'x', [], []],
  ])('nearestNames: %s', (_, name, names, expected) => {
    expect(nearestNames(name, names)).toEqual(expected);
  });
});

describe('nearNames', () => {
  const ids = ['count-the-files-k3x9', 'sum-the-lines-p2m4', 'plain'];
  test.each([
    ['a slip → that one alone', 'plane', ['plain']],
    ['its beginning → that one', 'count', ['count-the-files-k3x9']],
    ['another ending → that one', 'count-the-files-aaaa', ['count-the-files-k3x9']],
    ['nothing like it → none', 'nope', []],
    ['a word that many have → none', 'write-the-report', []],
    ['one letter → none', 'x', []],
  ])('nearNames: %s', (_, name, expected) => {
    expect(nearNames(name, ids)).toEqual(expected);
  });
});

test('WK8: a question to a person in words that were answered before → asked again', () => {
  const ask: ToolDefinition = {
    ...tool('ask_person', { readOnly: true, cache: 'goal' }),
    origin: { type: 'workflow' },
  };
  const decision = decideToolCall(
    given({ call: call('ask_person'), offered: [ask], ledger: knownCall('ask_person') }),
  );
  expect(decision).toMatchObject({ kind: 'question' });
});
