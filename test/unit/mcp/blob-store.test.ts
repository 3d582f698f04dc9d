import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BlobOwner,
  createLocalBlobStore,
  pruneBlobs,
  tryBlobStore,
} from '../../../src/shared/store/blob-store.js';
import { readResult } from '../../../src/shared/store/read-result.js';
import { cutHead, cutTail } from '../../../src/shared/store/text-cut.js';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'blobs-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const textOf = (result: { content: { type: string; text?: string }[] }) => result.content[0]?.text ?? '';

/** A folder whose path has no room for a long name: nobody writes there, not even root. */
function deepestIn(parent: string): string {
  const path = join(parent, 'd'.repeat(20));
  try {
    mkdirSync(path);
  } catch {
    return parent;
  }
  return deepestIn(path);
}

describe('blob store (T17)', () => {
  it('put and read → the same bytes, in pages; the same content → the same reference', async () => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('run/1: ü', 'hello world');
    expect(ref).toMatch(/^blob:[A-Za-z0-9_-]+\/[0-9a-f]{64}$/);
    expect(await store.put('run/1: ü', 'hello world')).toBe(ref);
    const page = await store.read('run/1: ü', ref, { offset: 6, length: 3 });
    expect(page).toEqual({ data: Buffer.from('wor'), totalBytes: 11 });
    expect((await store.read('run/1: ü', ref, { offset: 99, length: 3 }))?.data).toHaveLength(0);
  });

  it('a blob and its folder → for the user of the worker only (TR10)', async () => {
    await createLocalBlobStore(join(dir, 'store')).put('run', 'the whole conversation');
    const modes = readdirSync(dir, { recursive: true, encoding: 'utf8' }).map(
      name => statSync(join(dir, name)).mode & 0o077,
    );
    expect(modes).toEqual([0, 0, 0]);
  });

  it.each([
    ['cut short', (path: string) => truncateSync(path, 4)],
    ['empty', (path: string) => truncateSync(path, 0)],
    ['another text', (path: string) => writeFileSync(path, 'hello_world')],
    ['gone', (path: string) => rmSync(path)],
  ])('a blob that is %s → is not given as if it were the whole; stored again, it is', async (_, damage) => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('run', 'hello world');
    damage(join(dir, ref.replace('blob:', '')));
    expect(await store.read('run', ref, { offset: 0, length: 99 })).toBeNull();
    expect((await readResult(store, 'run', { ref })).note).toContain('no longer there');
    expect(await store.put('run', 'hello world')).toBe(ref);
    expect((await store.read('run', ref, { offset: 0, length: 99 }))?.data.toString()).toBe('hello world');
  });

  it('a blob that can not be written → nothing of it is left', async () => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('run', 'hello world');
    const path = join(dir, ref.replace('blob:', ''));
    rmSync(path);
    // In its place a folder, which no file can be renamed to.
    mkdirSync(path);
    await expect(store.put('run', 'hello world')).rejects.toThrow();
    expect(readdirSync(dirname(path))).toEqual([basename(path)]);
  });

  it('another run, also one with a similar id → can not read it', async () => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('run/1', 'secret');
    for (const other of ['run_1', 'run/2', ''])
      expect(await store.read(other, ref, { offset: 0, length: 9 })).toBeNull();
  });

  it.each([
    '',
    'blob:',
    '../../etc/passwd',
    'blob:../x',
    `blob:${'../'.repeat(4)}etc/passwd`,
    `blob:run-1/${'0'.repeat(64)}`,
    '/etc/passwd',
  ])('reference %j → nothing, whatever it points at', async ref => {
    expect(await createLocalBlobStore(dir).read('run-1', ref, { offset: 0, length: 10 })).toBeNull();
  });

  it('run ids that are paths → stay in the folder', async () => {
    const store = createLocalBlobStore(join(dir, 'blobs'));
    for (const id of ['..', '../..', '/abs', '.', 'con', 'a'.repeat(500)]) await store.put(id, 'x');
    expect(readdirSync(dir)).toEqual(['blobs']);
    expect(readdirSync(join(dir, 'blobs'))).toHaveLength(6);
  });

  it('a blob that can not be read → an error that says why, not that there is none', async () => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('run', 'hello world');
    const path = join(dir, ref.replace('blob:', ''));
    rmSync(path);
    mkdirSync(path);
    await expect(store.read('run', ref, { offset: 0, length: 9 })).rejects.toThrow(/cannot be read: EISDIR/);
    expect((await readResult(store, 'run', { ref })).note).toContain('another worker may read it');
  });

  it('a folder that takes nothing → trying it says so', async () => {
    writeFileSync(join(dir, 'file'), '');
    await expect(tryBlobStore(join(dir, 'file', 'blobs'))).rejects.toThrow(/cannot be written \(ENOTDIR/);
    await tryBlobStore(join(dir, 'blobs'));
    expect(readdirSync(join(dir, 'blobs'))).toEqual([]);
  });

  it('a folder that is there and takes no file → trying it says so', async () => {
    const deepest = deepestIn(dir);
    await expect(tryBlobStore(deepest)).rejects.toThrow(/cannot be written \(ENAMETOOLONG/);
  });

  it('a folder with texts of another user → trying it says whose they are to be', async () => {
    await createLocalBlobStore(dir).put('run', 'text');
    const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const access = vi.spyOn(fs, 'access').mockRejectedValue(refused);
    syncBuiltinESMExports();
    try {
      await expect(tryBlobStore(dir)).rejects.toThrow(/has texts that this user may not read \(EACCES/);
    } finally {
      access.mockRestore();
      syncBuiltinESMExports();
    }
  });
});

describe('pruning', () => {
  const DAY_MS = 86_400_000;
  const isOpen = async () => false;
  const isOver = async () => true;
  const thirtyDaysAgo = () => new Date(Date.now() - 30 * DAY_MS);

  /** Stored for this run so many days ago. */
  async function stored(runId: string, days: number, namespaceId: string | null = 'ns'): Promise<string> {
    const ref = await createLocalBlobStore(dir, async () => namespaceId).put(runId, 'text');
    const at = new Date(Date.now() - days * DAY_MS);
    const folder = dirname(join(dir, ref.replace('blob:', '')));
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), at, at);
    return ref;
  }

  it.each<[string, number, string | null, Parameters<typeof pruneBlobs>[2], boolean]>([
    ['ended by then', 40, 'ns', isOver, false],
    ['is open, or ended later', 40, 'ns', isOpen, true],
    ['cannot be looked up', 40, 'ns', () => Promise.reject(new Error('Temporal is away')), true],
    ['is unknown: nothing says whose the texts are', 40, null, isOver, true],
    ['stored something lately', 20, 'ns', isOver, true],
  ])(
    'a run that %s → its texts go only where it ended long ago',
    async (_, days, namespaceId, look, kept) => {
      const ref = await stored('run/1', days, namespaceId);
      expect(await pruneBlobs(dir, thirtyDaysAgo(), look)).toBe(kept ? 0 : 1);
      expect((await createLocalBlobStore(dir).read('run/1', ref, { offset: 0, length: 9 })) !== null).toBe(
        kept,
      );
      expect(readdirSync(dir)).toHaveLength(kept ? 1 : 0);
    },
  );

  it('what is looked up → the run that stored it, by its namespace and id, as of so many days ago', async () => {
    await stored('run/1', 40);
    const asked: [BlobOwner, Date][] = [];
    await pruneBlobs(dir, thirtyDaysAgo(), async (...look) => asked.push(look) === 0);
    expect(asked).toEqual([[{ namespaceId: 'ns', workflowId: 'run/1' }, expect.any(Date)]]);
    expect(Math.round((Date.now() - (asked[0]?.[1].getTime() ?? 0)) / DAY_MS)).toBe(30);
  });

  it('stray files and a folder that is missing → are no error', async () => {
    writeFileSync(join(dir, 'stray-file'), '');
    mkdirSync(join(dir, 'empty'));
    expect(await pruneBlobs(dir, thirtyDaysAgo(), isOver)).toBe(0);
    expect(readdirSync(dir)).toEqual(['stray-file']);
    expect(await pruneBlobs(join(dir, 'missing'), thirtyDaysAgo(), isOver)).toBe(0);
  });
});

describe('read_result (T17)', () => {
  it('paging from offset to offset → the whole text, no character split', async () => {
    const store = createLocalBlobStore(dir);
    const whole = Array.from({ length: 3_000 }, (_, i) => `${i} größe 漢字 🙂`).join(' ');
    const ref = await store.put('r', whole);
    let offset: number | null = 0;
    let read = '';
    while (offset !== null) {
      const page = await readResult(store, 'r', { ref, offset, length: 1_000 });
      read += textOf(page);
      const next: string | undefined = /Go on with offset (\d+)\.$/.exec(page.note)?.[1];
      expect(next === undefined).toBe(page.note.endsWith('This is the end.'));
      offset = next === undefined ? null : Number(next);
    }
    expect(read).toBe(whole);
  });

  it.each([
    ['unknown reference', { ref: 'blob:nope' }, 'no stored result'],
    ['offset behind the end', { offset: 10_000 }, 'ends at byte'],
  ])('%s → an error that says so', async (_name, args, says) => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('r', 'text');
    const result = await readResult(store, 'r', { ref, ...args });
    expect(result.isError).toBe(true);
    expect(result.note).toContain(says);
  });

  it('binary content → an error that says so', async () => {
    const store = createLocalBlobStore(dir);
    const ref = await store.put('r', Buffer.from([0x89, 0x50, 0xff, 0xfe]));
    expect((await readResult(store, 'r', { ref })).note).toContain('binary');
  });
});

describe('cuts', () => {
  it('any text and limit → valid UTF-8 within the limit, a prefix and a suffix', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.integer({ min: 4, max: 300 }),
        (text, limit) => {
          const bytes = Buffer.from(text);
          for (const cut of [cutHead(bytes, limit), cutTail(bytes, limit)]) {
            expect(cut.length).toBeLessThanOrEqual(Math.max(limit, 0));
            expect(Buffer.from(cut.toString('utf8')).equals(cut)).toBe(true);
          }
          expect(bytes.subarray(0, cutHead(bytes, limit).length).equals(cutHead(bytes, limit))).toBe(true);
          expect(text.endsWith(cutTail(bytes, limit).toString('utf8'))).toBe(true);
        },
      ),
    );
  });

  it('a line end near the cut → whole lines', () => {
    const bytes = Buffer.from('first line\nsecond line\nthird line');
    expect(cutHead(bytes, 26).toString()).toBe('first line\nsecond line\n');
    expect(cutTail(bytes, 14).toString()).toBe('third line');
  });
});
