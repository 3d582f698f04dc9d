import { describe, expect, test } from 'vitest';
import { fitLine, padId, padText, widthOf, wrapText } from '../../../packages/print/layout.js';
import { markdownLines } from '../../../packages/print/markdown.js';
import { noColors } from '../../../src/shared/process/output.js';

const TEXTS = [
  'Plain words that are long enough to need more than one line in a terminal that is narrow, and some more.',
  '漁港には三隻の船があり、一番古いものは一九六一年に建造された。二番目は一九七四年、三番目は一九八八年である。',
  'Emoji 🚢 and 👩‍👩‍👧 families, flags 🇫🇷, and a_very_long_word_without_any_space_that_goes_on_and_on_and_on_and_on',
];

describe.each([40, 80, 140])('layout at %i columns', columns => {
  test.each(TEXTS)('wrapText: %s → no line is wider, nothing is lost', text => {
    const lines = wrapText(text, columns, '      ');
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
  });

  test.each(TEXTS)('fitLine: %s → one line, cut with … at the last column where it is longer', text => {
    const line = fitLine(text, columns);
    expect(widthOf(line)).toBeLessThanOrEqual(columns);
    if (widthOf(text) <= columns) expect(line).toBe(text);
    else {
      expect(line.endsWith('…')).toBe(true);
      expect(widthOf(line)).toBeGreaterThanOrEqual(columns - 6);
    }
  });

  test('markdown: heading, list, quote, code and a table with wide characters → no line of text is wider', () => {
    const text = [
      `# ${TEXTS[0]}`,
      `- **bold** ${TEXTS[0]}\n  - ${TEXTS[1]}\n- [link](http://x.y/z)`,
      `> ${TEXTS[1]}`,
      `| Boat | 説明 | Year |\n|---|---|--:|\n| Alba | ${TEXTS[1]} | 1961 |`,
    ].join('\n\n');
    const lines = markdownLines(text, { width: columns, colors: noColors });
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toContain('• bold Plain words');
    expect(lines.join('\n')).toContain('link (http://x.y/z)');
  });
});

describe('markdown', () => {
  test('a table → aligned columns under a rule', () => {
    const table = '| Boat | Year |\n|---|--:|\n| 船 | 7 |\n| Alba | 1961 |';
    expect(markdownLines(table, { width: 80, colors: noColors })).toEqual([
      'Boat  Year',
      '────  ────',
      '船       7',
      'Alba  1961',
    ]);
  });

  test('terminal codes in the text → taken out', () => {
    expect(markdownLines('a\u001b[2Jb', { width: 80, colors: noColors })).toEqual(['ab']);
  });

  test('padId: an id with a line or a direction of its own → quoted, in one line', () => {
    expect(padId('run-1', 8)).toBe('run-1   ');
    expect(padId('a\nFORGED  completed', 8)).toBe('"a\\nFORGED  completed"');
    expect(padId('a\u202eb', 8)).toBe('"a\\u202eb"');
  });

  test('padText: wide characters → filled up by columns', () => {
    expect(padText('船', 4)).toBe('船  ');
    expect(padText('7', 4, 'right')).toBe('   7');
  });
});

describe('Markdown that is made to be unreadable', () => {
  test.each([
    ['quotations', '>'.repeat(12_000)],
    ['lists', '- '.repeat(8_000)],
  ])('markdownLines: %s nested deeper than the stack → plain text, and no fault', (_, nested) => {
    const text = markdownLines(`${nested}the answer`, { width: 80, colors: noColors }).join(' ');
    expect(text).toContain('the answer');
  });
});
