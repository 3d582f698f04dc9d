import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLocalBlobStore } from '../../../src/blobs/blob-store.js';
import { readResult } from '../../../src/blobs/read-result.js';
import { DEFAULT_RESULT_SIZES, keeperFor, toToolContent } from '../../../src/mcp/result-content.js';
import { Secrets } from '../../../src/shared/secrets.js';

test('a large result with a secret where the shown head ends → neither the head nor any page has a part of it (TR4)', async () => {
  const secrets = new Secrets();
  secrets.add('A_KEY', 'live-77-abcdefghijklmnop');
  const blobs = createLocalBlobStore(await mkdtemp(join(tmpdir(), 'steersman-results-')));
  const keeper = keeperFor(blobs, 'run', { clean: text => secrets.redact(text) });
  const before = 'x'.repeat(DEFAULT_RESULT_SIZES.headBytes - 10);
  const text = `${before}live-77-abcdefghijklmnop${'y'.repeat(20_000)}`;
  const [part] = await toToolContent({ content: [{ type: 'text', text }] }, keeper);
  expect(part).toMatchObject({ type: 'text', text: expect.not.stringContaining('live') });
  const ref = part?.type === 'text' ? part.ref : undefined;
  const page = await readResult(blobs, 'run', { ref, offset: before.length, length: 40 });
  expect(JSON.stringify(page.content)).toContain('[secret A_KEY]yyy');
});
