import { expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { editsOf, isShownWhole } from '../../../../src/rules/gates/edits-text.js';
import { approvalText, editText } from '../../../../src/rules/gates/gate-text.js';
import type { ComparedFile } from '../../../../src/rules/gates/whole-write.js';

test.each<[string, unknown, string | null]>([
  [
    'edits of several places → what goes, comes and stays, each apart',
    {
      path: 'a',
      edits: [
        { oldText: 'one\ntwo\nthree', newText: 'one\n2\nthree' },
        { oldText: '', newText: 'four' },
      ],
    },
    ' one\n-two\n+2\n three\n@@\n+four',
  ],
  ['a single replacement, in other names → the same', { old_string: 'a', new_string: '' }, '-a'],
  ['a line repeated → it comes once more', { oldText: 'a', newText: 'a\na' }, ' a\n+a'],
  [
    'whole lines, with their ends → no empty line after them',
    { oldText: 'a\nb\n', newText: 'a\nB\n' },
    ' a\n-b\n+B',
  ],
  ['whole lines that go → no empty line after them', { oldText: 'a\n', newText: '' }, '-a'],
  [
    'the end of a line goes → shown, because it joins the next line',
    { oldText: 'a\n', newText: 'a' },
    ' a\n-',
  ],
  ['an empty line that comes → shown', { oldText: 'a\n', newText: 'a\n\n' }, ' a\n+'],
  ['an empty line after an empty line → shown', { oldText: '\n', newText: '\n\n' }, ' \n+'],
  ['one edit without its new text → nothing is claimed', { edits: [{ oldText: 'a' }] }, null],
  ['a whole file → nothing: what it replaces is not known', { path: 'a', content: 'b' }, null],
  ['no edits → nothing', { edits: [] }, null],
])('editText: %s (PR8)', (_, input, expected) => {
  expect(editText(input)).toBe(expected);
});

test('approvalText: a change with fences in it, longer than is shown → one block that they do not close, cut (PR8)', () => {
  const input = { path: 'a', edits: [{ oldText: '```', newText: 'x'.repeat(9_000) }] };
  const given = { tool: 'edit_file', callId: 'c', input, thought: '', concerns: [] };
  const { body } = approvalText(BUILT_IN_WORDS.en, given);
  expect(body).toMatch(/^````diff\n-```\n\+x{3990,4000}\n…\n````\n\n/);
});

const WRITE = { path: 'a', content: 'b' };
const LONG = 'x'.repeat(4_001);

test.each<[string, Record<string, unknown>, ComparedFile | null, boolean]>([
  ['an edit', { path: 'a', oldText: 'a', newText: 'b' }, null, true],
  ['a long edit', { path: 'a', oldText: '', newText: LONG }, null, false],
  ['an edit of no file', { oldText: 'a', newText: 'b' }, null, false],
  ['a file that nothing was compared with', WRITE, null, false],
  ['a file that could not be read', WRITE, { kind: 'unread' }, false],
  ['a file that stays the same', WRITE, { kind: 'same' }, true],
  ['a file that changes', WRITE, { kind: 'changed', diff: '+b' }, true],
  ['a file that changes much', WRITE, { kind: 'changed', diff: LONG }, false],
])('isShownWhole: %s (PR8)', (_, input, compared, expected) => {
  expect(isShownWhole({ input, compared })).toBe(expected);
});

const tool = (name: string) => {
  return { name, serverToolName: name, origin: { type: 'mcp' as const, server: 's' }, digest: `of ${name}` };
};
const change = (name: string, path: string, concerns: string[] = []) => {
  const input = { path, oldText: 'a', newText: 'b', all: true };
  return { tool: tool(name), callId: `of ${path}`, input, concerns, compared: null };
};

test('editsOf: two changes by one tool → each by its number with what its diff does not show and its concerns; "always" is for the tool (PR8)', () => {
  const { title, body, subject } = editsOf(
    BUILT_IN_WORDS.en,
    [change('edit', 'a.ts'), change('edit', 'b.ts', ['No test.'])],
    '',
  );
  expect(title).toBe('Make these 2 changes?');
  expect(body.split('\n\n').slice(-5)).toEqual([
    '1. edit "a.ts" ({"all":true})',
    '```diff\n-a\n+b\n```',
    '2. edit "b.ts" ({"all":true})',
    '- No test.',
    '```diff\n-a\n+b\n```',
  ]);
  expect(subject).toEqual({
    ...{ tool: 'edit', callId: 'of a.ts', digest: 'of edit', arguments: expect.stringContaining('a.ts') },
    calls: [
      { tool: 'edit', callId: 'of a.ts', path: 'a.ts' },
      { tool: 'edit', callId: 'of b.ts', path: 'b.ts', concerns: ['No test.'] },
    ],
  });
});

test('editsOf: two changes by two tools → "always" is for these calls alone, and why they are made is told (PR8)', () => {
  const { body, subject } = editsOf(
    BUILT_IN_WORDS.en,
    [change('edit', 'a.ts'), change('patch', 'b.ts')],
    'It is old.',
  );
  expect(body).toMatch(/^“Always” allows only these calls\.\n\n.*\n\nWhy: It is old\.\n\n1\. edit/);
  expect(subject).toMatchObject({ always: null, why: 'It is old.' });
  expect(subject).not.toHaveProperty('digest');
});
