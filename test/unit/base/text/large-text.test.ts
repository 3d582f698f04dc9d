import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headAndTail } from '../../../../src/base/text/large-text.js';
import { propertyRuns } from '../../../support/property-runs.js';

test.each([
  ['empty', ''],
  ['short', 'abc'],
  ['exactly head and tail', 'x'.repeat(8000)],
])('headAndTail: a text that is %s → as it is (T17)', (_, text) => {
  expect(headAndTail(text, 'r1')).toBe(text);
});

test('headAndTail: one character over → head, tail, and a note with count, tool and reference (T17)', () => {
  const text = `${'h'.repeat(6000)}X${'t'.repeat(2000)}`;
  expect(headAndTail(text, 'blob-7')).toBe(
    `${'h'.repeat(6000)}\n[… 1 characters left out: read them by ref blob-7 …]\n${'t'.repeat(2000)}`,
  );
});

test('headAndTail: any long text → begins and ends as it does, and the count is what is missing (T17)', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 8001, max: 30_000 }),
      fc.string({ minLength: 1, maxLength: 9 }),
      (length, seed) => {
        const text = seed.repeat(Math.ceil(length / seed.length)).slice(0, length);
        const short = headAndTail(text, 'ref-1');
        expect(short.slice(0, 6000)).toBe(text.slice(0, 6000));
        expect(short.slice(-2000)).toBe(text.slice(-2000));
        const [, left] = /\[… (\d+) characters left out/.exec(short.slice(6000)) ?? [];
        expect(Number(left)).toBe(length - 8000);
        expect(short.length).toBeLessThan(8100);
      },
    ),
    { numRuns: propertyRuns(50) },
  );
});
