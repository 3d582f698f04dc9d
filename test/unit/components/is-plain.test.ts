/** Which texts are drawn without what reads Markdown: it would show each of them as it stands. */
import fc from 'fast-check';
import { marked } from 'marked';
import { expect, test } from 'vitest';
import { isPlain } from '../../../packages/components/text/is-plain.js';
import { propertyRuns } from '../../support/property-runs.js';

test.each([
  ['Alba and Brise.', true],
  ['Two lines\nof one text.\n\nAnd another (in brackets), 5 % of it: "quoted"!', true],
  ['阿尔巴号建于1961年。', true],
  ['It **stands** here.', false],
  ['one_two_', false],
  ['`code`', false],
  ['# Title', false],
  ['Title\n=====', false],
  ['Title\n---', false],
  ['- item', false],
  ['  2) item', false],
  ['    code', false],
  ['  \tcode', false],
  ['> quoted', false],
  ['| a | b |', false],
  ['[here](https://example.com)', false],
  ['see https://example.com', false],
  ['see www.example.com', false],
  ['a@example.com', false],
  ['1 &lt; 2', false],
  ['\\* no item', false],
  ['~~gone~~', false],
  ['<b>', false],
])('isPlain: %j → %s', (text, plain) => {
  expect(isPlain(text)).toBe(plain);
});

test('isPlain: whatever it calls plain → Markdown makes paragraphs of it, and nothing else', () => {
  const piece = fc.constantFrom(
    ...[
      'word',
      ' ',
      '\n',
      '\n\n',
      '-',
      '+',
      '*',
      '_',
      '#',
      '1.',
      '2)',
      '=',
      '    ',
      '\t',
      '`',
      '[',
      ']',
      '(',
      ')',
    ],
    ...['!', '|', ':', '<', '>', '&amp;', '~', '\\', 'http://a.b', 'www.a.b', 'a@b.c', '"', "'", '。', '…'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
      const text = pieces.join('');
      if (!isPlain(text)) return;
      const html = marked.parse(text, { gfm: true, breaks: true, async: false });
      expect(html).toMatch(/^(?:<p>[^<]*(?:<br>[^<]*)*<\/p>\n?)*$/);
    }),
    { numRuns: propertyRuns(5_000) },
  );
});
