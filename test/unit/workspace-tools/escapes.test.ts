/** Ways out of the workspace: none leads out, and none tells what is there. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Hands, handsOn } from '../../support/workspace-tools.js';

const SECRET = 'what nobody may read';
let outside: string;
let hands: Hands;
let socket: ReturnType<typeof createServer>;

beforeAll(async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escapes-')));
  outside = join(root, 'outside');
  const workspace = join(root, 'work');
  mkdirSync(outside);
  mkdirSync(join(root, 'work-other'));
  mkdirSync(workspace);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  writeFileSync(join(root, 'work-other', 'secret.txt'), SECRET);
  symlinkSync(outside, join(workspace, 'folder-link'));
  symlinkSync(join(outside, 'secret.txt'), join(workspace, 'file-link'));
  symlinkSync('../outside/secret.txt', join(workspace, 'relative-link'));
  symlinkSync(join(outside, 'new.txt'), join(workspace, 'dangling'));
  symlinkSync(join(outside, 'nowhere'), join(workspace, 'dangling-folder'));
  symlinkSync('folder-link', join(workspace, 'chain'));
  symlinkSync('circle', join(workspace, 'circle'));
  symlinkSync('/proc/self', join(workspace, 'proc'));
  symlinkSync('/dev/zero', join(workspace, 'zero'));
  symlinkSync('/', join(workspace, 'slash'));
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(workspace, 'pipe')]);
  hands = await handsOn({ workspace });
  hands.put('inside.txt', 'inside');
  socket = createServer().listen(join(workspace, 'socket'));
  await new Promise(resolve => socket.once('listening', resolve));
});

afterAll(() => {
  socket.close();
});

const PATHS = [
  '../outside/secret.txt',
  'a/../../outside/secret.txt',
  './.././outside/secret.txt',
  '../work-other/secret.txt',
  'folder-link/secret.txt',
  'folder-link/deeper/../secret.txt',
  'chain/secret.txt',
  'file-link',
  'relative-link',
  'slash/etc/passwd',
  'proc/environ',
  'proc/cwd/package.json',
  'proc/root/etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '/dev/stdin',
  '/dev/zero',
  'zero',
  'pipe',
  'socket',
  '~',
  '~/secret.txt',
  '~root/secret.txt',
  'inside.txt\0.png',
  'inside.txt/../../outside/secret.txt',
  'circle',
  'dangling',
  'dangling-folder/x',
  'x'.repeat(5_000),
  '..',
  '',
];

describe.each(PATHS)('%j', path => {
  test('read, list, grep, find → refused, or nothing of what is outside', async () => {
    const here = { path };
    const said = [
      await hands.call('read', here),
      await hands.call('grep', { pattern: 'nobody|root:|PATH=', ...here }),
      await hands.call('find', { pattern: '*secret*', ...here }),
      await hands.call('list', here),
    ];
    expect(said.join('\n')).not.toMatch(/what nobody may read|root:x|PATH=.*\//);
    expect(said[0]).toMatch(/^failed: /);
    if (path !== '') for (const text of said.slice(1)) expect(text).toMatch(/^failed: /);
  });

  test('write, edit, move there, delete → nothing outside is changed', async () => {
    const edits = [{ oldText: 'nobody', newText: 'everybody' }];
    const said = [
      await hands.call('edit', { path, edits }),
      await hands.call('move', { from: 'inside.txt', to: path }),
      await hands.call('write', { path, content: 'written' }),
      await hands.call('write', { path: `${path}/new/file.txt`, content: 'written' }),
    ];
    for (const text of said) expect(text).toMatch(/^failed: /);
    expect(hands.get('inside.txt')).toBe('inside');
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
    expect(readdirSync(outside)).toEqual(['secret.txt']);
  });
});

test.each(['../outside', 'folder-link'])('outside, by %s: there or not → the same words', async folder => {
  const words = async (name: string) =>
    (await hands.call('read', { path: `${folder}/${name}` })).replace(name, '');
  expect(await words('secret.txt')).toBe(await words('missing.txt'));
  expect(await words('secret.txt')).toBe(await words('secret.txt/below'));
});

test('deleting a folder with links → the links go, what they lead to stays', async () => {
  const { workspace } = hands;
  mkdirSync(join(workspace, 'gone'));
  symlinkSync(outside, join(workspace, 'gone/link'));
  expect(await hands.call('delete', { path: 'gone', recursive: true })).toBe('Deleted gone (a folder).');
  expect(existsSync(join(outside, 'secret.txt'))).toBe(true);
  expect(await hands.call('delete', { path: 'folder-link/secret.txt' })).toMatch(/^failed: .*outside/);
});

test('globs and patterns that look like options or paths → nothing of what is outside', async () => {
  for (const pattern of ['../outside/*', '/etc/*', '--files', '-f/etc/passwd', '!x']) {
    expect(await hands.call('find', { pattern })).not.toMatch(/secret|passwd/);
    expect(await hands.call('grep', { pattern, glob: '../**' })).not.toMatch(/root:|nobody/);
  }
  expect(await hands.call('grep', { pattern: 'nobody' })).not.toContain('nobody may');
});

test('a folder that becomes a link again and again → reads and writes never reach what it leads to', async () => {
  const { workspace } = hands;
  const folder = join(workspace, 'swap');
  const pause = () => new Promise(resolve => setImmediate(resolve));
  // A write may have made the folder anew in between: then a step has nothing to do.
  const step = (work: () => void) => {
    try {
      work();
    } catch {}
  };
  let isOver = false;
  let swaps = 0;
  const swapping = (async () => {
    for (; !isOver; swaps += 1) {
      step(() => mkdirSync(folder));
      step(() => writeFileSync(join(folder, 'secret.txt'), 'inside'));
      await pause();
      step(() => renameSync(folder, join(workspace, `parked-${swaps}`)));
      step(() => symlinkSync(outside, folder));
      await pause();
      step(() => unlinkSync(folder));
    }
  })();
  for (let round = 0; round < 150; round += 1) {
    expect(await hands.call('read', { path: 'swap/secret.txt' })).not.toContain(SECRET);
    await hands.call('write', { path: 'swap/secret.txt', content: 'inside' });
    await hands.call('write', { path: `swap/new-${round}/file.txt`, content: 'inside' });
  }
  isOver = true;
  await swapping;
  expect(swaps).toBeGreaterThan(10);
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe(SECRET);
  expect(readdirSync(outside)).toEqual(['secret.txt']);
});

test('the folder in which conversations are kept, in the workspace → no tool reads, finds, lists, changes or removes it', async () => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'checkout-')));
  const home = join(workspace, 'a [b]', '.steersman');
  const own = await handsOn({ workspace, home });
  own.put('a [b]/.steersman/store/said.jsonl', SECRET);
  own.put('a [b]/b.txt', 'beside it');
  symlinkSync(home, join(workspace, 'link'));
  const before = readdirSync(join(home, 'store'));
  const said = 'a [b]/.steersman/store/said.jsonl';
  const calls: [string, Record<string, unknown>][] = [
    ['read', { path: said }],
    ['read', { path: 'link/store/said.jsonl' }],
    ['write', { path: `${said}.new`, content: 'x' }],
    ['edit', { path: said, edits: [{ oldText: 'what', newText: 'who' }] }],
    ['list', { path: 'a [b]/.steersman' }],
    ['grep', { pattern: 'nobody', path: said }],
    ['grep', { pattern: 'nobody', path: 'link' }],
    ['find', { pattern: '*', path: 'link/store' }],
    ['delete', { path: said }],
    ['delete', { path: 'a [b]/.steersman', recursive: true }],
    ['delete', { path: 'a [b]', recursive: true }],
    ['move', { from: 'a [b]', to: 'c' }],
    ['move', { from: said, to: 'out.txt' }],
  ];
  for (const [name, args] of calls)
    expect(await own.call(name, args)).toMatch(/^failed: .*no tool may read or change it/);
  expect(await own.call('grep', { pattern: 'nobody|beside' })).toBe('a [b]/b.txt:1: beside it');
  for (const pattern of ['**/*', '*.jsonl'])
    expect(await own.call('find', { pattern })).not.toContain('said');
  expect(await own.call('list', { all: true })).not.toContain('said');
  expect([readdirSync(join(home, 'store')), own.get(said)]).toEqual([before, SECRET]);
});

test('a workspace in that folder → its tools work', async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'home-')));
  mkdirSync(join(home, 'work'));
  const own = await handsOn({ workspace: join(home, 'work'), home });
  own.put('a.txt', 'inside');
  expect(await own.call('read', { path: 'a.txt' })).toBe('inside');
});
