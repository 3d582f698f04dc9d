import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinCut, lastWords, upToWord } from '../../../src/conversation/cut-text.js';

test.each([
  ['in a word', 'The total is 4', '42 files.', 'The total is 42 files.'],
  ['in a word, and goes on without a space', 'The total is', '  is 42.', 'The total is 42.'],
  ['in Chinese, without spaces', `总数${'为'.repeat(41)}`, '四十二。', `总数${'为'.repeat(41)}四十二。`],
  ['at the end of a line of code', 'if (a) {\n', '  return 1;\n}', 'if (a) {\n  return 1;\n}'],
  [
    'and repeats its last words',
    'One file.\nThe total is 4',
    'The total is 42.',
    'One file.\nThe total is 42.',
  ],
  ['between paragraphs', 'One.\n\n', '\nTwo.', 'One.\n\n\nTwo.'],
])('text: cut %s → one text (M13)', (_, first, second, whole) => {
  expect(joinCut(upToWord(first), second)).toBe(whole);
});

test('text: cut anywhere, and goes on after the words that are named → the text as it was (M13)', () => {
  const text = 'The first file says 42, which was to be found.\n\n- The second: **43**\n  with a note';
  fc.assert(
    fc.property(fc.integer({ min: 1, max: text.length }), at => {
      const first = upToWord(text.slice(0, at));
      expect(joinCut(first, text.slice(first.length))).toBe(text);
      expect(first.trimEnd().endsWith(lastWords(first))).toBe(true);
    }),
  );
});
