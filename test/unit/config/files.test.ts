import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { configurationDigest } from '../../../src/config/digest.js';
import { displayPath, listFolder, readDotEnv, readTextIfPresent } from '../../../src/config/files/files.js';
import { eventually } from '../../support/wait.js';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
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

test.each([
  ['of this terminal', 'steersman', 'steersman.yaml'],
  [
    'of a background worker, which others read',
    'steersman-0a1b2c3d-1',
    join(process.cwd(), 'steersman.yaml'),
  ],
])('a path in a message %s → below the current folder only there', (_, taskQueue, shown) => {
  vi.stubEnv('STEERSMAN_TASK_QUEUE', taskQueue);
  const own = Object.getOwnPropertyDescriptor(process, 'send');
  Object.defineProperty(process, 'send', { value: () => true, configurable: true });
  expect(displayPath(join(process.cwd(), 'steersman.yaml'))).toBe(shown);
  Reflect.deleteProperty(process, 'send');
  if (own) Object.defineProperty(process, 'send', own);
});

test('.env: a byte order mark at its beginning, and line ends of Windows → its first variable counts too (FE10)', () => {
  const dir = folder();
  writeFileSync(join(dir, '.env'), '\uFEFFOPENAI_API_KEY=sk-1\r\nOTHER=2\r\n');
  expect(readDotEnv(dir)).toEqual({ OPENAI_API_KEY: 'sk-1', OTHER: '2' });
});

test('configuration files: unchanged for a while → not read again; changed → read anew', async () => {
  const dir = folder();
  writeFileSync(join(dir, 'planner.md'), '');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
  const listed = await listFolder(dir);
  expect(await listFolder(dir)).toBe(listed);
  await eventually(async () => {
    writeFileSync(join(dir, `${Math.random()}.md`), '');
    expect((await listFolder(dir))?.length).toBeGreaterThan(1);
  });
});

test('configuration files: a pipe, or a link to a device → an error that names the file, at once', async () => {
  const dir = folder();
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(dir, 'pipe.md')]);
  symlinkSync('/dev/zero', join(dir, 'zero.md'));
  for (const name of ['pipe.md', 'zero.md']) {
    await expect(readTextIfPresent(join(dir, name))).rejects.toThrow(
      `${name} cannot be read (not a regular file)`,
    );
  }
});

test.each<[string, boolean, (tools: string) => void]>([
  ['bytes that are no text', true, tools => writeFileSync(join(tools, 'a.node'), Buffer.from([0xfe]))],
  ['a package', false, tools => writeFileSync(join(tools, 'node_modules', 'a.js'), '2')],
  ['what is behind a link', true, tools => writeFileSync(join(tools, '..', 'shared', 'b.mjs'), '2')],
  [
    'where a link leads',
    true,
    tools => {
      rmSync(join(tools, 'z'));
      symlinkSync('two', join(tools, 'z'));
    },
  ],
])('configuration digest: changed is %s → another one: %s', (_, another, change) => {
  const dir = folder();
  const tools = join(dir, 'tools');
  for (const name of ['node_modules', 'one', 'two', '../shared'])
    mkdirSync(join(tools, name), { recursive: true });
  writeFileSync(join(tools, 'a.node'), Buffer.from([0xff]));
  for (const name of ['one', 'two', '../shared']) writeFileSync(join(tools, name, 'b.mjs'), '1');
  symlinkSync('../shared', join(tools, 'shared'));
  symlinkSync('one', join(tools, 'z'));
  symlinkSync('..', join(tools, 'one', 'up'));
  const before = configurationDigest(dir);
  change(tools);
  expect(configurationDigest(dir) !== before).toBe(another);
});
