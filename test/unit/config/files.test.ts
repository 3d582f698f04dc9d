import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { listFolder, readTextIfPresent } from '../../../src/config/files.js';

afterEach(() => {
  vi.useRealTimers();
});

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'config-files-'));
}

test('configuration files: written again at once, as many bytes as before → read anew', async () => {
  const file = join(folder(), 'steersman.yaml');
  for (const text of ['limits: 1', 'limits: 2', 'limits: 3']) {
    writeFileSync(file, text);
    expect(await readTextIfPresent(file)).toBe(text);
  }
});

test('configuration files: unchanged for a while → not read again; changed → read anew', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'planner.md'), '');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  const listed = await listFolder(dir);
  expect(await listFolder(dir)).toBe(listed);
  await vi.waitFor(async () => {
    writeFileSync(join(dir, `${Math.random()}.md`), '');
    expect((await listFolder(dir))?.length).toBeGreaterThan(1);
  });
});
