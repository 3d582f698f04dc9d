/** PDFs whose fonts need maps of characters, and pages that say nothing. */
import { expect, test } from 'vitest';
import { cidFont, pdfIn, pdfOf } from '../../support/small-pdf.js';
import { handsOn } from '../../support/workspace-tools.js';

async function read(pdf: string): Promise<string> {
  const hands = await handsOn();
  hands.put('a.pdf', Buffer.from(pdf, 'latin1'));
  return hands.call('read', { path: 'a.pdf' });
}

test.each([
  ['UniGB-UCS2-H', 'Adobe-GB1', '4F60597D4E16754C', '你好世界'],
  ['UniGB-UTF16-V', 'Adobe-GB1', '4F60597D', '你好'],
  ['GBK-EUC-H', 'Adobe-GB1', 'C4E3BAC3', '你好'],
  ['ETen-B5-H', 'Adobe-CNS1', 'A741A66E', '你好'],
  ['90ms-RKSJ-H', 'Adobe-Japan1', '93FA967B8CEA', '日本語'],
  ['KSCms-UHC-H', 'Adobe-Korea1', 'C7D1B1DB', '한글'],
  // The codes are those of the collection itself.
  ['Identity-H', 'Adobe-GB1', '0FA10A0B', '兄谅'],
])('a font with the encoding %s (%s) → its text (FE10)', async (encoding, ordering, codes, text) => {
  expect(await read(pdfIn(cidFont(encoding, ordering), [`<${codes}>`]))).toBe(`[page 1 of 1]\n${text}`);
});

test('a page without text → said, and the others are read (FE10)', async () => {
  const answer = await read(pdfOf(['First', null, 'Third']));
  expect(answer).toBe(
    '[page 1 of 3]\nFirst\n[page 2 of 3]\n[No text can be read here: the page is empty or a picture, or its fonts do not say which characters they draw.]\n[page 3 of 3]\nThird',
  );
});

test('a font that no map is known of → said in place of an empty page (FE10)', async () => {
  const answer = await read(pdfIn(cidFont('Secret-H', 'Adobe-GB1'), ['<4F60>']));
  expect(answer).toMatch(/^\[page 1 of 1\]\n\[No text can be read here: .*fonts/);
});

test('a font whose codes say nothing → how much of the page can not be read (FE10)', async () => {
  const answer = await read(pdfIn(cidFont('Identity-H', 'Adobe-Identity'), ['<0003000400050006>']));
  expect(answer).toMatch(/^\[page 1 of 1\]\n\[4 of 4 characters cannot be read: /);
});
