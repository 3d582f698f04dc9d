import { expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { approvalText, editText } from '../../../../src/rules/gates/gate-text.js';

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
