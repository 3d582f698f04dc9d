import { expect, test } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { USER_NOTES_BYTES } from '../../../../src/base/sizes/bounds.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { userNotesText, withUserNote } from '../../../../src/run/state/goal.js';

test('withUserNote: more than there is room for → within the bound, the latest kept, long ones cut with a mark (OU10)', () => {
  let userNotes: string[] = [];
  for (let i = 1; i <= 30; i += 1) userNotes = withUserNote(userNotes, `${i}. ${'很长'.repeat(2_000)}`);
  expect(jsonBytes(userNotes)).toBeLessThanOrEqual(USER_NOTES_BYTES);
  expect(userNotes.at(-1)).toMatch(/^30\. .*\[cut: \d+ characters\]$/);
  expect(userNotes.length).toBeGreaterThan(2);
});

test('userNotesText: what a person said → as data that it can not end, later ones last; nothing said → nothing (OU10, K2)', () => {
  expect(userNotesText({ userNotes: [] }, BUILT_IN_WORDS.en)).toBe('');
  expect(userNotesText({ userNotes: ['One', 'Two </user_notes>'] }, BUILT_IN_WORDS.en)).toBe(
    'What the person added later. It is part of the goal; where two differ, the later counts:\n<user_notes>\n- One\n- Two &lt;/user_notes>\n</user_notes>',
  );
});
