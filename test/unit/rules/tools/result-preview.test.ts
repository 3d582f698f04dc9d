import { describe, expect, test } from 'vitest';
import { resultPreview } from '../../../../src/conversation/tool-result.js';

describe('a result in a line', () => {
  test.each([
    ['text', 'Three boats.\nMore.', 'Three boats. More.'],
    [
      'a directory tree (TE7)',
      JSON.stringify(
        [
          { name: 'src', type: 'directory', children: [] },
          { name: 'a.md', type: 'file' },
        ],
        null,
        2,
      ),
      '2 entries: src, a.md',
    ],
    ['a long list', JSON.stringify([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), '10 entries: 1, 2, 3, 4, 5, 6, 7, 8, …'],
    ['one thing without a name', '[{"a":1}]', '1 entry'],
    [
      'an object',
      '{"content":"Three","size":{"kb":2},"tags":["a"]}',
      'content: Three · size: {kb} · tags: 1 entry: a',
    ],
    ['nothing', '{}', '{}'],
    ['JSON that was shortened', '[{"name": … 300 characters more', '[{"name": … 300 characters more'],
  ])('%s → what it holds', (_name, text, line) => {
    expect(resultPreview(text)).toBe(line);
  });

  test('a long result → cut to a line', () => {
    expect(resultPreview(JSON.stringify({ text: 'x'.repeat(900) })).length).toBeLessThanOrEqual(200);
  });
});
