import { expect, test } from 'vitest';
import { misspelt } from '../../../../packages/print/commands/refuse.js';

const VERBS = ['start', 'watch', 'show', 'list', 'doctor'];

test.each([
  ['shwo', 'show'],
  ['lst', 'list'],
  ['docter', 'doctor'],
  ['wacth', 'watch'],
  ['list', null],
  ['summarise', null],
  ['shop for boats', null],
])('goal: %s → the verb that was meant: %s', (word, verb) => {
  expect(misspelt(word, VERBS)).toBe(verb);
});
