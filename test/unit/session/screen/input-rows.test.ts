import { describe, expect, test } from 'vitest';
import { widthOf } from '../../../../packages/print/layout.js';
import { inputRows } from '../../../../packages/session/screen/input-rows.js';

const rows = (text: string, cursor: number, width = 20, most = 6) =>
  inputRows({ text, cursor }, width, most).map(row =>
    row.replace('\u001b[7m', '[').replace('\u001b[27m', ']'),
  );

describe('rows of what is typed', () => {
  test.each([
    ['nothing', '', 0, ['> [ ]']],
    ['the cursor on a character', 'abc', 1, ['> a[b]c']],
    ['the cursor at the end', 'abc', 3, ['> abc[ ]']],
    ['the cursor on a newline', 'ab\ncd', 2, ['> ab[ ]', '  cd']],
    ['the cursor at the start of a line', 'ab\ncd', 3, ['> ab', '  [c]d']],
    ['a text that is broken at the last column', 'x'.repeat(20), 20, [`> ${'x'.repeat(17)}`, '  xxx[ ]']],
  ])('input: %s → as it stands', (_name, text, cursor, shown) => {
    expect(rows(text, cursor)).toEqual(shown);
  });

  test('input: more lines than there is room for (TE5) → the cursor is among them, with marks for the rest', () => {
    const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n');
    for (let cursor = 0; cursor <= text.length; cursor += 1) {
      const shown = rows(text, cursor);
      expect(shown).toHaveLength(6);
      expect(shown.filter(row => row.includes('['))).toHaveLength(1);
    }
    expect(rows(text, text.length)[0]).toBe('↑ line 24');
    expect(rows(text, 0).at(-1)).toBe('↓ line 5');
  });

  test('input: wide characters → no row is too wide, nothing is lost', () => {
    const text = '三隻の船👩‍👩‍👧 and words '.repeat(9);
    const shown = inputRows({ text, cursor: text.length }, 20, 100);
    for (const row of shown) expect(widthOf(row)).toBeLessThanOrEqual(20);
    expect(
      rows(text, text.length, 20, 100)
        .map(row => row.slice(2))
        .join(''),
    ).toBe(`${text}[ ]`);
  });
});
