import { describe, expect, test } from 'vitest';
import { placeholdersOf } from '../../../../src/base/words/prompt.js';
import { BUILT_IN_WORDS, fill, wordsForNotes, wordsOf } from '../../../../src/base/words/words.js';

describe('words: what is built in', () => {
  test.each(Object.entries(BUILT_IN_WORDS))(
    'BUILT_IN_WORDS (%s): every key → a text, with the variables of the English one (P13, P18)',
    (_, words) => {
      expect(Object.keys(words)).toEqual(Object.keys(BUILT_IN_WORDS.en));
      for (const [key, text] of Object.entries(BUILT_IN_WORDS.en)) {
        const own = words[key as keyof typeof words];
        expect(own, key).not.toBe('');
        expect(placeholdersOf(own).sort(), key).toEqual(placeholdersOf(text).sort());
      }
    },
  );
});

describe('words: how they are filled', () => {
  test.each(['$& $1 $$', '{id}', '{{id}}', '{description}', '{ "id": {} }'])(
    'fill: the value %j → as it is, wherever the variable stands (P10)',
    value => {
      expect(fill(BUILT_IN_WORDS.en.asRole, { role: value })).toBe(`To \`${value}\`:`);
      const text: typeof BUILT_IN_WORDS.en.task = '{id}, {{id}}: {description}';
      expect(fill(text, { id: value, description: 'x' })).toBe(`${value}, ${value}: x`);
    },
  );

  test('fill: braces that are no variable of the text → as they are, so JSON needs no escaping (P18)', () => {
    const text: typeof BUILT_IN_WORDS.en.goOn =
      'Answer { "id": "{id}", "left": {left}, "todos": [{}] } {other}';
    expect(fill(text, { id: 'a', left: 2 })).toBe('Answer { "id": "a", "left": 2, "todos": [{}] } {other}');
  });
});

test.each([
  [
    'Chinese, with a text of its own',
    { language: 'zh', words: { plan: 'Los!' } },
    'Los!',
    BUILT_IN_WORDS.zh.task,
  ],
  ['another language', { language: 'fr', words: { plan: 'Allez.' } }, 'Allez.', BUILT_IN_WORDS.en.task],
  ['no words of its own', { language: 'zh' }, BUILT_IN_WORDS.zh.plan, BUILT_IN_WORDS.zh.task],
])('wordsOf: a run in %s → its own text first, then the built-in one', (_, pinned, plan, task) => {
  expect(wordsOf({ pinned })).toMatchObject({ plan, task });
});

test.each([
  ['the built-in English', { language: 'en' }, undefined],
  ['a language that says it in English', { language: 'fr' }, undefined],
  ['Chinese', { language: 'zh' }, { language: 'zh' }],
  [
    'a text of its own for a note, and one for an instruction',
    { language: 'en', words: { noteError: 'It failed.', plan: 'Plan.' } },
    { language: 'en', words: { noteError: 'It failed.' } },
  ],
])('wordsForNotes: a run in %s → what its tool calls carry', (_, run, carried) => {
  expect(wordsForNotes(run)).toEqual(carried);
});
