/** What is shown of a long output of `run`, and what is kept of it. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runTool } from '../../../packages/workspace-tools/run.js';
import { Parts, type ToolContext } from '../../../src/mcp/tools/code-tools.js';
import { resultStoreFor, toToolContent } from '../../../src/mcp/tools/result-content.js';
import { createLocalBlobStore } from '../../../src/shared/store/blob-store.js';
import { commandExcerpt } from '../../../src/shared/store/command-excerpt.js';

const workspace = mkdtempSync(join(tmpdir(), 'output-'));

async function run(output: string, runId: string): Promise<unknown> {
  writeFileSync(join(workspace, 'out.txt'), output);
  const context = { signal: new AbortController().signal, progress: () => {}, runId };
  return runTool({ workspace }).run({ command: 'cat out.txt; exit 1' }, context as unknown as ToolContext);
}

const passes = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `✓ test ${from + at} handles an error without a word more`);
const FAILURE = [
  '▶ adds',
  '  AssertionError: expected 3 to be 4',
  '    at sum.test.ts:12',
  '    at run',
  '    at end',
];
const LONG = [...passes(0, 900), ...FAILURE, ...passes(900, 1_800), '1 failed, 1800 passed'].join('\n');

test('SE5: a long output that fails in its middle → its beginning, that failure with its neighbours, its end', async () => {
  const answer = await run(LONG, 'r');
  if (!(answer instanceof Parts)) throw new Error('no parts');
  const blobs = createLocalBlobStore(mkdtempSync(join(tmpdir(), 'output-kept-')));
  const [part] = await toToolContent({ content: answer.content as never }, resultStoreFor(blobs, 'r'));
  if (part?.type !== 'text' || part.ref === undefined) throw new Error('nothing is kept');
  expect(part.text).toMatch(/^exit code 1 \(.* s\)\n✓ test 0 /);
  expect(part.text).toContain(`\n${FAILURE.join('\n')}\n[… `);
  expect(part.text).toMatch(/1 failed, 1800 passed$/);
  expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(16_384);
  const kept = await blobs.read('r', part.ref, { offset: 0, length: 1 << 20 });
  expect(kept?.data.toString()).toMatch(/^exit code 1/);
  expect(kept?.data.toString().endsWith(LONG)).toBe(true);
  expect(kept?.data.subarray(0, part.headBytes).toString().trimEnd()).toBe(
    part.text.slice(0, part.text.indexOf('\n[… ')),
  );
});

test('SE5: a client that keeps nothing → the same, within what it can take; a short output is whole', async () => {
  const text = String(await run(LONG, ''));
  expect(text).toContain(FAILURE.join('\n'));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
  expect(await run('a\nb', 'r')).toMatch(/^exit code 1 .*\na\nb$/);
});

test('SE5: an output of one line → within its bounds, and the line is said to be cut', () => {
  const { text } = commandExcerpt(Buffer.from('error '.repeat(10_000)), 16_384);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
  expect(text).toContain('error …\n');
});

test.each([
  ['fails everywhere', 'Error: no\n'.repeat(5_000)],
  ['fails nowhere', `${'a line\n'.repeat(10_000)}0 errors, failures: 0, see errors.log\n`.repeat(2)],
])('SE5: an output that %s → within its bounds, and each gap says its size', (_, output) => {
  const { text } = commandExcerpt(Buffer.from(output), 16_384);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16_384);
  const left = [...text.matchAll(/^\[… (\d+) bytes left out …\]$/gm)].map(([, bytes]) => Number(bytes));
  const marks = text.match(/^\[… \d+ bytes left out …\]\n?/gm)?.join('').length ?? 0;
  const lines = Math.abs(text.length - marks + left.reduce((sum, bytes) => sum + bytes, 0) - output.length);
  expect(lines).toBeLessThanOrEqual(4);
});
