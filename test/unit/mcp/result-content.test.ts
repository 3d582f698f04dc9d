import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  DEFAULT_RESULT_SIZES,
  resultStoreFor,
  storedContent,
  toToolContent,
} from '../../../src/mcp/tools/result-content.js';
import { Secrets } from '../../../src/shared/secrets.js';
import { createLocalBlobStore } from '../../../src/shared/store/blob-store.js';
import { readResult } from '../../../src/shared/store/read-result.js';

test('a large result with a secret where the shown head ends → neither the head nor any page has a part of it (TR4)', async () => {
  const secrets = new Secrets();
  secrets.add('A_KEY', 'live-77-abcdefghijklmnop');
  const blobs = createLocalBlobStore(await mkdtemp(join(tmpdir(), 'steersman-results-')));
  const keeper = resultStoreFor(blobs, 'run', { clean: text => secrets.redact(text) });
  const before = 'x'.repeat(DEFAULT_RESULT_SIZES.headBytes - 10);
  const text = `${before}live-77-abcdefghijklmnop${'y'.repeat(20_000)}`;
  const [part] = await toToolContent({ content: [{ type: 'text', text }] }, keeper);
  expect(part).toMatchObject({ type: 'text', text: expect.not.stringContaining('live') });
  const ref = part?.type === 'text' ? part.ref : undefined;
  const page = await readResult(blobs, 'run', { ref, offset: before.length, length: 40 });
  expect(JSON.stringify(page.content)).toContain('[secret A_KEY]yyy');
});

test('a large result on a full disk → its beginning without secrets, and why there is no more', async () => {
  const secrets = new Secrets();
  secrets.add('A_KEY', 'live-77-abcdefghijklmnop');
  const full = () => Promise.reject(new Error('ENOSPC: no space left on device, write'));
  const clean = (text: string) => secrets.redact(text);
  const keeper = resultStoreFor({ put: full, read: full }, 'run', { clean });
  const text = `live-77-abcdefghijklmnop ${'y'.repeat(20_000)}`;
  const { content, storeFault } = await storedContent({ content: [{ type: 'text', text }] }, keeper);
  expect(content).toMatchObject([{ type: 'text', text: expect.stringMatching(/^\[secret A_KEY\] y+$/) }]);
  expect(storeFault).toBe('ENOSPC: no space left on device, write');
});

const texts = (...all: string[]) => all.map(text => ({ type: 'text' as const, text }));
test.each<[string, string[], unknown, boolean]>([
  ['a number', ['5'], { result: 5 }, true],
  ['a text', ['five'], { result: 'five' }, true],
  ['a text that is JSON itself', ['{"a":1}'], { result: '{"a":1}' }, true],
  ['true', ['true'], { result: true }, true],
  ['nothing', ['null'], { result: null }, true],
  ['a list, as JSON', ['[\n  1,\n  2\n]'], { result: [1, 2] }, true],
  ['a list of objects, a text for each', ['{"a":1}', '{"a":2}'], { result: [{ a: 1 }, { a: 2 }] }, true],
  ['a list of texts, a text for each', ['one', 'two'], { result: ['one', 'two'] }, true],
  ['an object, as JSON', ['{"a":{"b":1}}'], { a: { b: 1 } }, true],
  ['an object under another name', ['{"b":1}'], { a: { b: 1 } }, true],
  ['a text that says less', ['2 orders'], { result: [1, 2] }, false],
  ['a list of which one item is told', ['1'], { result: [1, 2] }, false],
  ['another value beside it', ['5'], { result: 5, unit: 'm' }, false],
  ['no text', [], { result: [] }, false],
])(
  'structured content: %s beside its text → told once where the text says it',
  async (_, said, structured, once) => {
    const keeper = resultStoreFor(createLocalBlobStore('/unused'), 'run');
    const content = await toToolContent({ content: texts(...said), structuredContent: structured }, keeper);
    expect(content.filter(({ type }) => type === 'json')).toHaveLength(once ? 0 : 1);
  },
);
