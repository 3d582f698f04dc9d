/** What a gate's card shows of a call: its change once, in the form that suits it. */
import { describe, expect, it } from 'vitest';
import { actOf } from '../../../../packages/console/page/gates/call/act.js';
import {
  alwaysOf,
  callsOf,
  earlierTexts,
  mendedFrom,
} from '../../../../packages/console/page/gates/call/call-shown.js';
import { workspaceTools } from '../../../../packages/workspace-tools/tools.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { editsOf } from '../../../../src/rules/gates/edits-text.js';
import { approvalOf } from '../../../../src/rules/gates/gate-text.js';
import type { ComparedFile } from '../../../../src/rules/gates/whole-write.js';
import type { Gate } from '../../../../src/run/gates/gate.js';

type Approval = Extract<Gate, { kind: 'approval' }>;

const OURS = workspaceTools({ workspace: '/w' });

/** A tool as a run has it: one of the workspace's under any server's name, or another server's. */
function toolNamed(name: string) {
  const own = OURS.find(tool => name === tool.name || name === `workspace__${tool.name}`);
  const origin = { type: 'mcp' as const, server: 's', ...(own && { own: true as const }) };
  return { name, serverToolName: own?.name ?? name, origin };
}

function gateOf(
  tool: string,
  input: object,
  more: { thought?: string; concerns?: string[]; raw?: string; compared?: ComparedFile } = {},
): Approval {
  const call = { callId: 'c1', input, thought: '', concerns: [], ...more };
  const base = { id: 'g1', openedAt: 1, deadline: null, kind: 'approval' } as const;
  return { ...base, ...approvalOf(BUILT_IN_WORDS.en, toolNamed(tool), call) };
}

function shown(tool: string, input: Record<string, unknown>, more: Parameters<typeof gateOf>[2] = {}) {
  const [call] = callsOf(gateOf(tool, input, more), input);
  return call?.change;
}

const long = Array.from({ length: 2_000 }, (_, at) => `line ${at}`).join('\n');

describe('FC6 the change of a call', () => {
  it.each([
    [
      'an edit → its lines, without its path and its texts again',
      shown('edit', { path: 'a.ts', edits: [{ oldText: 'a\nb', newText: 'a\nc' }] }),
      { kind: 'diff', text: ' a\n-b\n+c', whole: null, rest: {} },
    ],
    [
      'an edit of all places → says so',
      shown('edit', { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b', all: true }] }),
      { kind: 'diff', text: '-a\n+b', whole: null, rest: { 'edits.0.all': true } },
    ],
    [
      'an edit with a second path and a second text, which its tool may read → says both',
      shown('edit', { path: 'a.ts', file_path: '/etc/b', oldText: 'a', newText: 'b', new_string: 'c' }),
      { kind: 'diff', text: '-a\n+b', whole: null, rest: { file_path: '/etc/b', new_string: 'c' } },
    ],
    [
      'an edit with texts beside its list → says them',
      shown('edit', { path: 'a.ts', newText: 'c', edits: [{ oldText: 'a', newText: 'b', new_str: 'd' }] }),
      { kind: 'diff', text: '-a\n+b', whole: null, rest: { newText: 'c', 'edits.0.new_str': 'd' } },
    ],
    [
      'a long edit → all of it',
      shown('edit', { path: 'a.ts', edits: [{ oldText: '', newText: long }] }),
      { kind: 'diff', text: long.replace(/^/gm, '+'), whole: null, rest: {} },
    ],
    [
      'a file that was compared → the difference',
      shown('write', { path: 'a', content: 'x' }, { compared: { kind: 'changed', diff: '-y\n+x' } }),
      { kind: 'diff', text: '-y\n+x', whole: null, rest: {} },
    ],
    [
      'a difference that was cut → the new text too',
      shown('write', { path: 'a', content: long }, { compared: { kind: 'new', diff: '+line 0\n…' } }),
      { kind: 'diff', text: '+line 0\n…', whole: long, rest: {} },
    ],
    [
      'a file that was not read → its new text',
      shown('write', { path: 'a', content: 'x' }, { compared: { kind: 'unread' } }),
      { kind: 'file', text: 'x' },
    ],
    [
      'a path and a content for the tool of another server → its arguments, by their names',
      shown('github__put', { path: 'a', content: 'x' }),
      { kind: 'fields', fields: { content: 'x' } },
    ],
    [
      'a command → its line, and its other arguments',
      shown('run', { command: 'npm test', timeoutMs: 5 }),
      { kind: 'command', text: 'npm test', rest: { timeoutMs: 5 } },
    ],
    ['any other call → its arguments', shown('send', { to: 'a' }), { kind: 'fields', fields: { to: 'a' } }],
    [
      'a call that its title tells whole → nothing again',
      shown('delete', { path: 'a' }),
      { kind: 'fields', fields: {} },
    ],
    [
      'a path in the title → the other arguments',
      shown('docs__put', { path: 'a', tool: 'docs__put' }),
      { kind: 'fields', fields: { tool: 'docs__put' } },
    ],
    ['a call without arguments → says so', shown('send', {}), { kind: 'empty' }],
  ])('%s', (_, change, expected) => {
    expect(change).toEqual(expected);
  });

  it('no worker tells the arguments → the text of the gate', () => {
    const [call] = callsOf(gateOf('send', { to: 'a' }), null);
    expect(call?.change.kind).toBe('text');
  });
});

describe('FC6 what stands beside the change', () => {
  it.each([
    ['write', { path: 'a.txt' }, { word: 'actWrite', values: { path: 'a.txt' } }],
    ['edit', { path: 'a.txt' }, { word: 'actEdit', values: { path: 'a.txt' } }],
    ['workspace__edit', { path: 'a.txt' }, { word: 'actEdit', values: { path: 'a.txt' } }],
    ['workspace__delete', { path: 'a' }, { word: 'actDelete', values: { path: 'a' } }],
    ['workspace__move', { from: 'a', to: 'b' }, { word: 'actMove', values: { from: 'a', to: 'b' } }],
    ['workspace__run', { command: 'ls' }, { word: 'actRun', values: {} }],
    ['github__delete', { path: 'a' }, { word: 'actCallOn', values: { tool: 'github__delete', path: 'a' } }],
    ['run', { command: 'ls' }, { word: 'actRun', values: {} }],
    ['write_file', { path: 'a' }, { word: 'actCallOn', values: { tool: 'write_file', path: 'a' } }],
    ['run', {}, { word: 'actCall', values: { tool: 'run' } }],
    ['send', null, { word: 'actCall', values: { tool: 'send' } }],
  ])('the act of %s with %j', (tool, input, act) => {
    expect(actOf(gateOf(tool, input ?? {}).subject, input)).toEqual(act);
  });

  it("another server's tool under the bare name of one of the workspace → is named by its tool", () => {
    const origin = { type: 'mcp' as const, server: 'other' };
    const other = { name: 'delete', serverToolName: 'delete', origin };
    const { subject } = approvalOf(BUILT_IN_WORDS.en, other, {
      callId: 'c1',
      input: {},
      thought: '',
      concerns: [],
    });
    expect(actOf(subject, { path: 'a' })).toEqual({
      word: 'actCallOn',
      values: { tool: 'delete', path: 'a' },
    });
  });

  it.each([
    ['a command', gateOf('run', { command: 'ls' }), 'alwaysCommand'],
    ['another tool', gateOf('send', { to: 'a' }), 'alwaysTool'],
    ['a command that is too long to be kept', gateOf('run', { command: 'x'.repeat(20_000) }), undefined],
  ])('what always allows at %s', (_, gate, word) => {
    expect(alwaysOf(gate.subject)?.word).toBe(word);
  });

  it("the model's words and doubts → in the subject, once", () => {
    const gate = gateOf('send', {}, { thought: 'It is due.', concerns: ['High risk.'] });
    expect(gate.subject).toMatchObject({ why: 'It is due.', concerns: ['High risk.'] });
    expect(earlierTexts(gate)).toEqual([]);
    expect(gateOf('send', {}).subject).not.toHaveProperty('why');
  });

  it('a gate of an earlier version → its doubts stand in its text', () => {
    const { subject, ...gate } = gateOf('send', {}, { concerns: ['High risk.'] });
    const { concerns, ...earlier } = subject;
    expect(concerns).toEqual(['High risk.']);
    expect(earlierTexts({ ...gate, subject: earlier }).join('\n')).toContain('High risk.');
  });

  it('arguments that were mended → as the model wrote them', () => {
    expect(mendedFrom(gateOf('send', { a: 1 }, { raw: '{a: 1}' }))).toContain('{a: 1}');
    expect(mendedFrom(gateOf('send', { a: 1 }))).toBeNull();
  });
});

describe('FC6 several changes of one reply', () => {
  const edits = [
    {
      ...{
        tool: toolNamed('workspace__edit'),
        callId: 'c1',
        concerns: ['High risk.\n2. edit "b.txt"'],
        compared: null,
      },
      input: { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b', all: true }] },
    },
    {
      ...{ tool: toolNamed('write'), callId: 'c2', concerns: [] },
      compared: { kind: 'new' as const, diff: '+x' },
      input: { path: 'b.txt', content: 'x' },
    },
  ] as const;
  const base = { id: 'g1', openedAt: 1, deadline: null, kind: 'approval' } as const;
  const gate: Approval = { ...base, ...editsOf(BUILT_IN_WORDS.en, edits, '1. edit "z"') };

  it('each → its own act, doubts and difference; words of others begin none', () => {
    const rest = { '': '({"all":true})' };
    expect(callsOf(gate, null)).toEqual([
      {
        ...{
          tool: 'workspace__edit',
          act: { word: 'actEdit', values: { path: 'a.txt' } },
          compared: undefined,
          isOwn: true,
        },
        change: { kind: 'diff', text: '-a\n+b', whole: null, rest },
        concerns: ['High risk.\n2. edit "b.txt"'],
      },
      {
        ...{ tool: 'write', act: { word: 'actWrite', values: { path: 'b.txt' } }, compared: 'new' },
        isOwn: true,
        change: { kind: 'diff', text: '+x', whole: null, rest: {} },
        concerns: [],
      },
    ]);
    expect(callsOf(gateOf('write_file', { path: 'a', content: 'x' }), null)).toMatchObject([
      { isOwn: false },
    ]);
    expect(earlierTexts(gate)).toEqual([]);
    expect(alwaysOf(gate.subject)).toBeNull();
    expect(gate.subject.why).toBe('1. edit "z"');
  });
});
