/** What a start of the local stack does before there is a server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const PACKAGE = '../../../src/shared/process/package.js';
const FETCH = '../../../packages/stack/download/temporal-fetch.js';
const home = mkdtempSync(join(tmpdir(), 'unbuilt-'));

beforeEach(() => vi.resetModules());

afterEach(() => {
  vi.doUnmock(PACKAGE);
  vi.doUnmock(FETCH);
  vi.resetModules();
  rmSync(home, { recursive: true, force: true });
});

test('stack: a checkout that is not built → says so, and fetches nothing first', async () => {
  const temporalBinary = vi.fn(async () => ({ path: '/nowhere/temporal' }));
  vi.doMock(FETCH, () => ({ temporalBinary }));
  vi.doMock(PACKAGE, async original => ({
    ...(await original<object>()),
    builtBeside: (_module: string, name: string) => join(home, 'dist', name),
  }));
  const { ensureServer } = await import('../../../packages/stack/local-stack.js');
  await expect(ensureServer(home, { report: () => undefined })).rejects.toThrow(
    'A part of the build is missing',
  );
  expect(temporalBinary).not.toHaveBeenCalled();
});
