/** Texts of tools and models as the page shows them: none takes much more room than it has. */
import { expect, test } from 'vitest';
import { linesOf, paragraphsOf } from '../../../../packages/components/text/is-plain.js';

// What is drawn is not compiled here.
const plain = '../../../../packages/components/text/plain.js';
const diff = '../../../../packages/console/page/parts/text/diff.js';
const compare = '../../../../packages/console/page/parts/text/compared.js';
const { pretty } = await import(plain);
const { changeOf } = await import(diff);
const { compared } = await import(compare);

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

test('a call that writes whole lines → no empty line after them', () => {
  expect(changeOf({ path: 'a', content: 'x\ny\n' })).toBe('+x\n+y');
});

test('a call that writes a large file → the beginning of its change', () => {
  expect(changeOf({ path: 'a', content: 'x\n'.repeat(200_000) })?.length).toBeLessThan(5_000);
});

test('WB2 a text of a hundred thousand paragraphs, or lines that differ → a bound of elements, and all of the text', () => {
  expect(paragraphsOf('\n\na\n\nb\n\n')).toEqual(['a', 'b']);
  const paragraphs: string[] = paragraphsOf('a\n\n'.repeat(100_000));
  expect(paragraphs.length).toBeLessThanOrEqual(1_000);
  expect(paragraphs.join('\n\n').match(/a/g)).toHaveLength(100_000);
  const lines: string[] = linesOf('+a\n'.repeat(100_000));
  expect(lines.length).toBeLessThanOrEqual(2_000);
  expect(lines.join('\n').match(/a/g)).toHaveLength(100_000);
});

test('WB2 two texts that share nothing → compared without a search for what they share', () => {
  const [before, after] = [1, 2].map(each =>
    Array.from({ length: 5_000 }, (_, at) => `${each} ${at * each}`).join('\n'),
  );
  const shown: string = compared(before, after);
  expect(shown.split('\n').filter(line => line.startsWith('-'))).toHaveLength(5_000);
  expect(shown.split('\n').filter(line => line.startsWith('+'))).toHaveLength(5_000);
});

test('WB7 what an edit changes → shows what hides in it', () => {
  expect(pretty('{"a":"b\\u202ec\\u00a0d"}')).toBe('{\n  "a": "b\\u202ec\\u00a0d"\n}');
});
