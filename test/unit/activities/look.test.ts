import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createLook } from '../../../src/activities/looks/look.js';
import { changesBetween } from '../../../src/activities/looks/workspace-list.js';
import type { LookFinds, LookInput } from '../../../src/activities/types.js';
import { Secrets } from '../../../src/shared/secrets.js';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'look-')));
afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const KEY = 's3cret-0123456789-abcdef';
const secrets = new Secrets();
secrets.add('TOKEN', KEY);
const STORED = `a\n[secret TOKEN]\n`;

async function diffOf(text: string, before: string | null, about: { context?: number } = {}) {
  const look = createLook({
    openWorkspace: async path => path,
    // Kept texts have no secrets.
    blobs: {
      put: async () => 'blob:old',
      read: async () => ({ data: Buffer.from(before ?? ''), totalBytes: 9 }),
    },
    redact: secret => secrets.redact(secret),
  });
  writeFileSync(join(workspace, 'f'), text);
  const files = [{ path: 'f', hash: before === null ? null : 'old', ref: 'blob:old' }];
  const input = { at: 'now' as const, workspace, files, since: 1, ...about };
  const found = (await new MockActivityEnvironment().run(look, input)) as LookFinds['now'];
  return found.files[0];
}

test('a difference: the cut goes through a key → no half of it is told', async () => {
  for (let shift = 0; shift < KEY.length; shift += 4) {
    const now = await diffOf(`${'x'.repeat(shift)}${KEY.repeat(900)}`, null);
    expect(now?.diff).toContain('[secret TOKEN]');
    expect(now?.diff).not.toMatch(/s3cre|-abc|bcdef|01234|56789/);
  }
});

test('a difference: a key that stood there before → it is no change', async () => {
  const now = await diffOf(`a\n${KEY}\nb\n`, STORED);
  expect(now?.diff?.split('\n').slice(1)).toEqual([' a', ' [secret TOKEN]', '+b']);
});

test('a difference: for a reader who has the edits → without lines around it', async () => {
  const now = await diffOf(`a\n${KEY}\nb\n`, STORED, { context: 0 });
  expect(now?.diff?.split('\n').slice(1)).toEqual(['+b']);
});

/** A folder as a goal finds it, what is done in it, and what a look says then. */
async function changesAfter(work: (at: (path: string) => string) => void, named: string[] = []) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'look-list-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const put = (path: string, text = path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of ['a.txt', 'src/b.ts', 'src/c.ts', '.github/ci.yml', '.git/config', '.git/HEAD'])
    put(path);
  for (const path of ['node_modules/x/index.js', '.env', '.git/hooks/a.sample']) put(path);
  put('.gitignore', 'node_modules\n.env\n');
  let kept = '';
  const look = createLook({
    openWorkspace: async path => path,
    blobs: {
      put: async (_run, data) => {
        kept = String(data);
        return 'blob:list';
      },
      read: async () => ({ data: Buffer.from(kept), totalBytes: kept.length }),
    },
    redact: text => text,
  });
  const run = <I extends LookInput>(input: I) => new MockActivityEnvironment().run(look, input);
  const { ref } = (await run({ at: 'start', workspace: folder })) as LookFinds['start'];
  work(path => join(folder, path));
  const files = named.map(path => ({ path, hash: null, ref: null }));
  const found = (await run({
    at: 'now',
    workspace: folder,
    files,
    since: 1,
    start: ref,
  })) as LookFinds['now'];
  return found.changes;
}

test('the workspace beside its beginning: nothing was done → no change (WK2)', async () => {
  const none = { changed: [], added: [], gone: [], more: 0, ignored: [], unseen: null };
  expect(await changesAfter(() => {})).toEqual(none);
});

test('the workspace beside its beginning: deleted, hidden, in .git/hooks, set back in time, ignored → each is told (WK2)', async () => {
  const changes = await changesAfter(at => {
    rmSync(at('a.txt'));
    rmSync(at('src/c.ts'));
    writeFileSync(at('.npmrc'), 'script-shell=/bin/true\n');
    writeFileSync(at('.github/w.yml'), 'on: push\n');
    writeFileSync(at('.git/hooks/pre-commit'), '#!/bin/sh\n');
    writeFileSync(at('.git/config'), 'hooksPath = x');
    writeFileSync(at('src/b.ts'), 'src/B.ts');
    utimesSync(at('src/b.ts'), 1, 1);
    symlinkSync('/etc', at('link'));
    writeFileSync(at('.env'), 'KEY=1');
    writeFileSync(at('node_modules/x/more.js'), '');
  });
  expect(changes).toEqual({
    changed: ['.env', '.git/config', 'src/b.ts'],
    added: ['.git/hooks/pre-commit', '.github/w.yml', '.npmrc', 'link'],
    gone: ['a.txt', 'src/c.ts'],
    more: 0,
    ignored: ['node_modules/ (1 → 2)'],
    unseen: null,
  });
});

test('the workspace beside its beginning: moved, made a program, named by a call → two are told, the last elsewhere (WK2)', async () => {
  const changes = await changesAfter(
    at => {
      renameSync(at('a.txt'), at('z.txt'));
      chmodSync(at('src/b.ts'), 0o755);
      writeFileSync(at('src/c.ts'), 'new');
    },
    ['src/c.ts'],
  );
  expect(changes).toMatchObject({ changed: ['src/b.ts'], added: ['z.txt'], gone: ['a.txt'] });
});

test('the workspace beside its beginning: that was not kept → it is not known what changed (WK2)', async () => {
  const look = createLook({
    openWorkspace: async path => path,
    blobs: { put: async () => Promise.reject(new Error('full')), read: async () => null },
    redact: text => text,
  });
  const run = <I extends LookInput>(input: I) => new MockActivityEnvironment().run(look, input);
  const { ref } = (await run({ at: 'start', workspace })) as LookFinds['start'];
  expect(ref).toBeNull();
  const found = await run({ at: 'now', workspace, files: [], since: 1, start: ref });
  expect((found as LookFinds['now']).changes?.unseen).toBe('start');
});

test('a named file: a command changed it before the first call that named it → the look says so (WK2)', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'look-named-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (path: string) => join(folder, path);
  const kept = new Map<string, Buffer>();
  const look = createLook({
    openWorkspace: async path => path,
    blobs: {
      put: async (_run, data) => {
        kept.set(`blob:${kept.size}`, Buffer.from(data));
        return `blob:${kept.size - 1}`;
      },
      read: async (_run, ref) => ({ data: kept.get(ref) ?? Buffer.from(''), totalBytes: 9 }),
    },
    redact: text => text,
  });
  const run = <I extends LookInput>(input: I) => new MockActivityEnvironment().run(look, input);
  const all = ['left.txt', 'edited.txt', 'by-command.txt', 'gone.txt', 'ignored/x', 'new.txt', 'came.txt'];
  mkdirSync(at('ignored'));
  writeFileSync(at('.gitignore'), 'ignored\n');
  for (const path of all.slice(0, 5)) writeFileSync(at(path), 'a\nb\n');
  const { ref } = (await run({ at: 'start', workspace: folder })) as LookFinds['start'];
  writeFileSync(at('by-command.txt'), 'b\na\n');
  writeFileSync(at('came.txt'), 'a\n');
  rmSync(at('gone.txt'));
  const files = (await run({ at: 'before', workspace: folder, paths: all })) as LookFinds['before'];
  for (const path of all.slice(1)) writeFileSync(at(path), 'c\n');
  const found = await run({ at: 'now', workspace: folder, files, since: 1, start: ref });
  const later = (found as LookFinds['now']).files.filter(({ isLater }) => isLater);
  expect(later.map(({ path }) => path)).toEqual(['by-command.txt', 'gone.txt', 'came.txt']);
});

test('two lists of which one is cut → only what both have is compared, and it is said (WK2)', () => {
  const list = (entries: Record<string, string>, isCut = false) => ({ entries, ignored: {}, isCut });
  const changes = changesBetween(list({ a: '1', b: '1' }, true), list({ a: '2', c: '1' }), new Set());
  expect(changes).toMatchObject({ changed: ['a'], added: [], gone: [], unseen: 'cut' });
});
