/** Texts that take `marked` very long are never given to it. */
import * as marked from 'marked';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { noColors } from '../../../src/shared/output.js';

const lexer = vi.fn(marked.lexer);
let markdownLines: typeof import('../../../src/cli/print/markdown.js').markdownLines;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('marked', () => ({ ...marked, lexer }));
  ({ markdownLines } = await import('../../../src/cli/print/markdown.js'));
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
});
