import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dotEnvHint } from '../../../src/config/files/dot-env-hint.js';

function folder(dotEnv?: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-env-'));
  if (dotEnv !== undefined) writeFileSync(join(dir, '.env'), dotEnv);
  return dir;
}

test('FC3: a .env where no configuration is → told as not read, with what has it read', () => {
  const here = folder('OPENAI_API_KEY=sk-1\n');
  const hint = dotEnvHint(folder(), here);
  expect(hint).toContain(`${join(here, '.env')} is not read`);
  expect(hint).not.toContain('sk-1');
  expect(dotEnvHint(folder(), folder())).toBe('');
});

test.each([
  ['a misspelt name', 'OPENAI_KEY=sk-1\nOPENAI_API_KEY=\n', 'sets OPENAI_KEY.'],
  ['no equals sign', 'OPENAI_API_KEY: sk-1\n', 'sets nothing.'],
  ['empty values, as in .env.example', 'OPENAI_API_KEY=\n# OPENAI_BASE_URL=http://a/v1\n', 'sets nothing.'],
  ['more names than a line has room for', 'A=1\nB=1\nC=1\nD=1\nE=1\nF=1\n', 'sets A, B, C, D, E and 1 more.'],
])('FC3: the .env of the configuration has %s → what it sets is told, and no value', (_, dotEnv, told) => {
  const dir = folder(dotEnv);
  expect(dotEnvHint(dir, dir)).toBe(` ${join(dir, '.env')} ${told}`);
});
