import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { projectFingerprint, settingsFingerprint } from '../../../../src/config/trust/settings.js';
import { isManagedQueue, newQueue } from '../../../../src/shared/local/queues.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-settings-'));
  mkdirSync(join(dir, 'prompts'));
  writeFileSync(
    join(dir, 'steersman.yaml'),
    'models: { endpoints: { a: { baseUrl: "http://a/v1", keyVariable: LLM_WORD } } }\n',
  );
  writeFileSync(join(dir, '.mcp.json'), `{"headers": {"a": "\${MY_TOKEN}", "x": "\${OTHER:-default}"}}`);
  writeFileSync(join(dir, 'prompts', 'planner.md'), 'Plan.');
  vi.stubEnv('OPENAI_API_KEY', 'sk-one');
  vi.stubEnv('MY_TOKEN', 'token-one');
  vi.stubEnv('OTHER', undefined);
  vi.stubEnv('LLM_WORD', 'word-one');
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true, force: true });
});

test('fingerprint: nothing changed → the same', () => {
  expect(projectFingerprint(dir)).toBe(projectFingerprint(dir));
  expect(projectFingerprint(dir)).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[string, () => void]>([
  ['a configuration file', () => writeFileSync(join(dir, 'steersman.yaml'), 'models: { default: a/b }\n')],
  ['a prompt', () => writeFileSync(join(dir, 'prompts', 'planner.md'), 'Plan well.')],
  ['a prompt that is new', () => writeFileSync(join(dir, 'prompts', 'new.md'), '')],
  ['the key of a model', () => vi.stubEnv('OPENAI_API_KEY', 'sk-two')],
  ['a key that is no longer set', () => vi.stubEnv('OPENAI_API_KEY', undefined)],
  ['a variable that .mcp.json names', () => vi.stubEnv('MY_TOKEN', 'token-two')],
  ['a variable that an endpoint names', () => vi.stubEnv('LLM_WORD', 'word-two')],
  ['a variable with a default', () => vi.stubEnv('OTHER', 'set')],
])('fingerprint: changed is %s → another one', (_title, change) => {
  const before = projectFingerprint(dir);
  change();
  expect(projectFingerprint(dir)).not.toBe(before);
});

test.each(['HOME', 'TERM', 'STEERSMAN_HOME', 'STEERSMAN_TASK_QUEUE'])(
  'fingerprint: changed is the variable %s, which no worker depends on → the same',
  name => {
    const before = projectFingerprint(dir);
    vi.stubEnv(name, 'something else');
    expect(projectFingerprint(dir)).toBe(before);
  },
);

test('fingerprint: what the caller adds counts; the order of values does not', () => {
  expect(projectFingerprint(dir, { demo: '1' })).not.toBe(projectFingerprint(dir));
  const of = (values: Record<string, string>) => settingsFingerprint({ files: [], folders: [], values });
  expect(of({ a: '1', b: '2' })).toBe(of({ b: '2', a: '1' }));
  expect(of({ a: '1', b: '2' })).not.toBe(of({ a: '12', b: '' }));
});

test('task queue: made of a fingerprint → never the same twice, and known as a background worker’s', () => {
  expect(newQueue('0123456789abcdef')).toMatch(/^steersman-01234567-\d+$/);
  expect(newQueue('0123456789abcdef')).not.toBe(newQueue('0123456789abcdef'));
  expect(isManagedQueue(newQueue(projectFingerprint(dir)))).toBe(true);
  expect(isManagedQueue('steersman')).toBe(false);
  expect(isManagedQueue('steersman-team-a-1')).toBe(false);
});
