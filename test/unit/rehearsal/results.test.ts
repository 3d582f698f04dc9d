import { describe, expect, test } from 'vitest';
import { BUILT_IN_WORDS, type Words } from '../../../src/core/prompts/words.js';
import type { ToolContent, ToolEnding } from '../../../src/core/state/message.js';
import { toolResult, toolResultText } from '../../../src/core/tools/tool-result.js';
import { boundText } from '../../../src/mcp/result-content.js';
import { readListing, readSeveralFiles } from '../../../src/rehearsal/listings.js';
import { joinPages, readToolAnswer, type ToolAnswer } from '../../../src/rehearsal/results.js';
import { readResult } from '../../../src/shared/blobs/read-result.js';

function wire(ending: ToolEnding, content: ToolContent, outcome: { isError?: boolean; note?: string } = {}) {
  return wires(BUILT_IN_WORDS.en, ending, content, outcome);
}

function wires(
  words: Words,
  ending: ToolEnding,
  content: ToolContent,
  outcome: { isError?: boolean; note?: string },
) {
  const call = { id: 'c1_1', name: 'read_text_file' };
  return toolResultText(toolResult(call, ending, { ...outcome, content: [content] }, words));
}

const said = (text: string): ToolContent => ({ type: 'text', text });

describe('rehearsal: tool messages', () => {
  test.each<[ToolEnding, boolean, string]>([
    ['executed', false, 'ok'],
    ['executed', true, 'failed'],
    ['reused', false, 'ok'],
    ['denied', true, 'failed'],
    ['invalid', true, 'failed'],
    ['skipped', true, 'again'],
    ['timed_out', true, 'again'],
    ['unavailable', true, 'again'],
    ['outcome_unknown', true, 'failed'],
  ])('tool message: %s (error %s) → %s, in every language', (ending, isError, wanted) => {
    for (const words of Object.values(BUILT_IN_WORDS))
      expect(readToolAnswer(wires(words, ending, said('it said'), { isError })).ending).toBe(wanted);
  });

  test('tool message: text that quotes its own wrapping → the text as the tool gave it', () => {
    const text = '<tool_output tool="x">\nnot mine\n</tool_output>\n\nend\n';
    expect(readToolAnswer(wire('executed', said(text))).text).toBe(text);
  });

  test('tool message: a result given again → without the note', () => {
    const answer = readToolAnswer(
      wire('reused', said('file text'), { note: BUILT_IN_WORDS.en.noteReusedHow }),
    );
    expect(answer).toMatchObject({ ending: 'ok', text: 'file text' });
  });
});

describe('rehearsal: results that were cut (T17)', () => {
  const sizes = { wholeBytes: 16_384, headBytes: 6_144, tailBytes: 2_048 };
  const ref = `blob:run-0123456789abcdef/${'a'.repeat(64)}`;

  const READ_CALL = { id: 'c2_1', name: 'read_result' };

  async function cutOf(text: string): Promise<ToolAnswer> {
    const bound = await boundText(text, { keep: async () => ref, sizes });
    return readToolAnswer(wire('executed', { type: 'text', ...bound }));
  }

  async function pagesOf(text: string, calls: { offset: number; length: number }[]): Promise<ToolAnswer[]> {
    const data = Buffer.from(text);
    const blobs = {
      put: async () => ref,
      read: async (_run: string, _ref: string, range: { offset: number; length: number }) => ({
        data: data.subarray(range.offset, range.offset + range.length),
        totalBytes: data.length,
      }),
    };
    const pages = await Promise.all(calls.map(call => readResult(blobs, 'run', { ref, ...call })));
    return pages.map(page => readToolAnswer(toolResultText(toolResult(READ_CALL, 'executed', page))));
  }

  test.each([
    ['lines', Array.from({ length: 3000 }, (_, index) => `line ${index} of many`).join('\n')],
    ['one long line', 'x'.repeat(50_000)],
    ['wide characters', '漢字かな交じり文🙂 '.repeat(3000)],
    ['blank lines', 'a\n\n\n'.repeat(12_000)],
  ])('cut result: %s → the pages asked for make it whole again', async (_, text) => {
    const cut = await cutOf(text);
    const known = joinPages(cut, []);
    expect(text.startsWith(known.text)).toBe(true);
    expect(known.missing.length).toBeGreaterThan(0);
    const joined = joinPages(cut, await pagesOf(text, known.missing));
    expect(joined.text === text).toBe(true);
    expect(joined.missing).toEqual([]);
  });

  test('cut result: one page is missing → the beginning, and the pages from there are asked for', async () => {
    const text = 'word '.repeat(12_000);
    const cut = await cutOf(text);
    const calls = joinPages(cut, []).missing;
    const pages = await pagesOf(text, calls);
    const joined = joinPages(
      cut,
      pages.filter((_, index) => index !== 1),
    );
    expect(text.startsWith(joined.text)).toBe(true);
    expect(joined.missing[0]?.offset).toBeGreaterThanOrEqual(calls[1]?.offset ?? Infinity);
  });

  test('whole result: a file that quotes such a note → taken as it is', () => {
    const text =
      'Shortened: not all of 9 bytes are shown. Read on with read_result {"ref":"blob:x","offset":1}.\na\n[… 5 bytes left out …]\nb';
    expect(joinPages(readToolAnswer(wire('executed', said(text))), [])).toEqual({ text, missing: [] });
  });
});

describe('rehearsal: listings', () => {
  test('listing with sizes: names with spaces, units → bytes', () => {
    const text =
      '[FILE] read me.md                      1.50 KB\n[DIR] src                           \n[FILE] a.ts 12 B\n\nTotal: 2 files, 1 directories';
    expect(readListing(text)).toEqual([
      { name: 'read me.md', isFolder: false, size: 1536 },
      { name: 'src', isFolder: true, size: null },
      { name: 'a.ts', isFolder: false, size: 12 },
    ]);
  });

  test('several files: contents with separators, an error between, an empty one → each its own', () => {
    const text = [
      'a.md:\none\n---\ntwo\n\n',
      'gone.md: Error - ENOENT: no such file',
      'empty.ts:\n\n',
      'z.ts:\nlast\n',
    ].join('\n---\n');
    expect(readSeveralFiles(text, ['a.md', 'gone.md', 'empty.ts', 'z.ts'])).toEqual([
      { path: 'a.md', text: 'one\n---\ntwo\n' },
      { path: 'gone.md', error: 'ENOENT: no such file' },
      { path: 'empty.ts', text: '' },
      { path: 'z.ts', text: 'last' },
    ]);
  });
});
