/** Texts of tools and models as the page shows them: none takes much more room than it has. */
import { expect, test } from 'vitest';

// What is drawn is not compiled here.
const plain = '../../../src/cli/console/page/parts/text/plain.js';
const diff = '../../../src/cli/console/page/parts/text/diff.js';
const { pretty } = await import(plain);
const { changeOf } = await import(diff);

test('JSON → one value a line; with what is not seen escaped', () => {
  expect(pretty('{"a":[1,"\u202e"]}')).toBe('{\n  "a": [\n    1,\n    "\\u202e"\n  ]\n}');
});

test.each([
  ['lists in lists', `${'['.repeat(4_000)}${']'.repeat(4_000)}`],
  ['records in records', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
  ['many values far within', `${'['.repeat(60)}${'1,'.repeat(50_000)}1${']'.repeat(60)}`],
])('JSON whose lines would be all indent, %s → as it is', (_what, json) => {
  // What differs of so much is long in the telling.
  expect(pretty(json) === json).toBe(true);
});

test('a call that writes a large file → the beginning of its change', () => {
  expect(changeOf({ path: 'a', content: 'x\n'.repeat(200_000) })?.length).toBeLessThan(5_000);
});
