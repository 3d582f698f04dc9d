import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { env, setVariables } from '../../../src/shared/process/env.js';

const dir = mkdtempSync(join(tmpdir(), 'steersman-test-'));
afterEach(() => {
  vi.unstubAllEnvs();
});

function fileWith(text: string): string {
  const file = join(dir, 'secret');
  writeFileSync(file, text);
  return file;
}

test('variable: not set, and NAME_FILE names a file → what stands in it, without blanks around', () => {
  vi.stubEnv('SOME_API_KEY_FILE', fileWith('sk-1\n'));
  expect(env.lookup('SOME_API_KEY')).toBe('sk-1');
  fileWith('sk-2');
  expect(env.lookup('SOME_API_KEY')).toBe('sk-2');
  vi.stubEnv('SOME_API_KEY', 'sk-own');
  expect(env.lookup('SOME_API_KEY')).toBe('sk-own');
});

test('variable: its file can not be read → an error that names both, never a missing key', () => {
  vi.stubEnv('SOME_API_KEY_FILE', join(dir, 'none'));
  expect(() => env.lookup('SOME_API_KEY')).toThrow(/SOME_API_KEY_FILE names .*none, which cannot be read/);
  rmSync(dir, { recursive: true });
});

test('variables of a folder: one that is left empty → sets nothing (FC3)', () => {
  vi.stubEnv('SOME_EMPTY_KEY', undefined);
  setVariables({ SOME_EMPTY_KEY: ' ' });
  expect(process.env.SOME_EMPTY_KEY).toBeUndefined();
});
