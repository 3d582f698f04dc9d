/** Texts that take `marked` very long are never given to it. */
import fc from 'fast-check';
import * as marked from 'marked';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { elementsOf, isCostly, MOST_ELEMENTS } from '../../../packages/view/markdown-cost.js';
import { noColors } from '../../../src/shared/process/output.js';

const lexer = vi.fn(marked.lexer);
let markdownLines: typeof import('../../../packages/print/markdown.js').markdownLines;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('marked', () => ({ ...marked, lexer }));
  ({ markdownLines } = await import('../../../packages/print/markdown.js'));
});
afterAll(() => {
  vi.doUnmock('marked');
  vi.resetModules();
});

const page = { width: 80, colors: noColors };

/** `text` again and again, so many KB of it. */
function much(text: string, kb: number): string {
  return text.repeat(Math.ceil((kb * 1_000) / text.length));
}

describe('Markdown for terminals', () => {
  beforeEach(() => {
    lexer.mockClear();
  });

  it.each<[number, string]>([
    [100, '*a_'],
    [20, '[a*_b'],
    [20, '> *a_\n'],
    [20, `${'*a_'.repeat(600)}\n\n`],
  ])('%i KB of %j → shown as it is, without a look for Markdown', (kb, text) => {
    const lines = markdownLines(much(text, kb), page);
    expect(lexer).not.toHaveBeenCalled();
    expect(lines.join('').replace(/\s/g, '')).toBe(much(text, kb).replace(/\s/g, ''));
  });

  it.each([
    ['paragraphs', 'Some **bold** words, `code` and a [link](https://a.example/).\n\n'],
    ['a list', '- **`src/some_file.ts`**: it does *this* and that\n'],
  ])('30 KB of %s → read as Markdown', (_what, text) => {
    expect(markdownLines(much(text, 30), page).join('\n')).not.toContain('**');
    expect(lexer).toHaveBeenCalledOnce();
  });

  /** Columns of a head, over rows of one cell: `marked` fills each up to the columns. */
  const table = (columns: number, rows: number) =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`;

  it.each<[string, string]>([
    ['5 KB of a table with a wide head and short rows', table(1_000, 900)],
    ['such a table in a quotation', table(1_000, 900).replace(/^/gm, '> ')],
    ['such a table behind a smaller one', `${table(2, 2)}\n${table(900, 900)}`],
    ['hundreds of quotations in each other', `${'> '.repeat(400)}a`],
    ['lists in lists on one line', `${'- '.repeat(400)}a`],
    [
      'lists in lists, each further in',
      Array.from({ length: 90 }, (_, at) => `${'  '.repeat(at)}- a`).join('\n'),
    ],
    ['figures of lists in each other', `${'1. '.repeat(200)}a`],
    ['a hundred thousand items', '- a\n'.repeat(90_000)],
    ['a hundred thousand links', 'a@b.co '.repeat(50_000)],
  ])('WB2 %s → shown as it is, without a look for Markdown', (_what, text) => {
    markdownLines(text, page);
    expect(lexer).not.toHaveBeenCalled();
  });

  const HARMLESS = [
    table(12, 60).replaceAll('|\n', '| a | b |\n'),
    '- **`src/some_file.ts`**: it does *this* and that\n'.repeat(400),
    'Some **bold** words, `code` and a [link](https://a.example/), a@b.co.\n\n'.repeat(300),
    '> quoted\n> > twice\n\n1. a\n   - b\n     - c\n\n'.repeat(100),
    `${'-'.repeat(200)}\n\n# A\n\n${'line\n'.repeat(500)}`,
  ];

  it.each(HARMLESS)(
    'WB2 ordinary text %# → read as Markdown, and makes no more elements than were counted',
    text => {
      const html = new marked.Marked({ gfm: true, breaks: true }).parse(text, { async: false });
      const made = html.match(/<[a-z]/g)?.length ?? 0;
      expect(made).toBeGreaterThan(50);
      expect(made).toBeLessThanOrEqual(elementsOf(text));
      expect(isCostly(text)).toBe(false);
    },
  );

  it('WB2 no text that is read as Markdown makes more than its bound of elements', () => {
    const part = fc.constantFrom(
      '|a',
      '|-',
      '|',
      '\n',
      '> ',
      '- ',
      '1. ',
      '*a* ',
      '`b` ',
      'a@b.co ',
      'x ',
      '\n\n',
      '~~d~~',
      '[e](f) ',
    );
    const text = fc.array(fc.tuple(part, fc.integer({ min: 1, max: 40 })), { maxLength: 30 });
    fc.assert(
      fc.property(text, parts => {
        const given = parts.map(([each, times]) => each.repeat(times)).join('');
        if (isCostly(given)) return;
        const html = new marked.Marked({ gfm: true, breaks: true }).parse(given, { async: false });
        expect(html.match(/<[a-z]/g)?.length ?? 0).toBeLessThanOrEqual(MOST_ELEMENTS);
      }),
      { numRuns: 300 },
    );
  });
});
