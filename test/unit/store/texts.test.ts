/** What every store of texts does, in a table of stores; and where texts wait while theirs is away. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFolder } from '../../../packages/store/folder.js';
import { SpooledTexts } from '../../../packages/store/spool.js';
import type { BlobOwner } from '../../../src/shared/store/blob-store.js';
import type { TextStore } from '../../../src/shared/store/store.js';
import { postgresStores } from '../../support/postgres.js';

const ALL = { offset: 0, length: 1_000_000 };
/** Of tomorrow all that is stored is old, of yesterday nothing. */
const DAY_MS = 86_400_000;
const tomorrow = () => new Date(Date.now() + DAY_MS);
const yesterday = () => new Date(Date.now() - DAY_MS);

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'texts-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

type Open = (namespaceId?: string | null) => TextStore;
const STORES: Record<string, Open> = {
  'a folder': namespaceId => openFolder(dir, async () => namespaceId ?? null).texts,
  ...Object.fromEntries(
    Object.entries(postgresStores()).map(([name, open]): [string, Open] => [
      name,
      namespaceId => open(async () => namespaceId ?? null).texts,
    ]),
  ),
};

const textOf = async (texts: TextStore, run: string, ref: string) =>
  (await texts.read(run, ref, ALL))?.data.toString('utf8') ?? null;

describe.each(Object.entries(STORES))('a store of texts: %s', (_name, open) => {
  test('put and read: by two workers → one reference for one content of a run, read by the other, and by no other run', async () => {
    const [one, other] = [open('ns'), open('ns')];
    const ref = await one.put('run/1', 'größe 帆');
    expect(await other.put('run/1', 'größe 帆')).toBe(ref);
    expect(await textOf(other, 'run/1', ref)).toBe('größe 帆');
    expect(await textOf(other, 'run/2', ref)).toBeNull();
    expect(
      await textOf(
        other,
        'run/1',
        ref.replace(/.$/, x => (x === '0' ? '1' : '0')),
      ),
    ).toBeNull();
    const page = await other.read('run/1', ref, { offset: 2, length: 3 });
    expect([page?.data.toString('hex'), page?.totalBytes]).toEqual([
      Buffer.from('größe 帆').subarray(2, 5).toString('hex'),
      11,
    ]);
  });

  test('prune: runs that had ended by then, and others → only texts of those go', async () => {
    const texts = open('ns');
    const ids = ['over', 'open', 'unknown'];
    const refs = await Promise.all(ids.map(id => texts.put(id, `text of ${id}`)));
    const nobodys = await open(null).put('nobody', 'text of nobody');
    const asked: BlobOwner[] = [];
    const isOver = async (owner: BlobOwner) => {
      asked.push(owner);
      if (owner.workflowId === 'unknown') throw new Error('Temporal is away');
      return owner.workflowId === 'over';
    };
    // What was stored since is not even looked up.
    expect([await texts.prune(yesterday(), isOver), asked]).toEqual([0, []]);
    expect(await texts.prune(tomorrow(), isOver)).toBe(1);
    expect(asked.map(({ workflowId }) => workflowId).sort()).toEqual(['open', 'over', 'unknown']);
    expect(asked.every(({ namespaceId }) => namespaceId === 'ns')).toBe(true);
    const left = await Promise.all(ids.map((id, at) => textOf(texts, id, refs[at] ?? '')));
    expect(left).toEqual([null, 'text of open', 'text of unknown']);
    expect(await textOf(texts, 'nobody', nobodys)).toBe('text of nobody');
  });

  test('prune: runs of one id in two namespaces → the text that both have stays until both are over', async () => {
    const [here, there] = [open('here'), open('there')];
    const ref = await here.put('same', 'said in both');
    await there.put('same', 'said in both');
    await here.prune(tomorrow(), async ({ namespaceId }) => namespaceId === 'here');
    expect(await textOf(there, 'same', ref)).toBe('said in both');
    await there.prune(tomorrow(), async () => true);
    expect(await textOf(there, 'same', ref)).toBeNull();
  });
});

describe('a store that is away', () => {
  /** A folder that takes and gives nothing while it is away. */
  function setUp(namespaceId = 'ns') {
    const state = { away: false, asked: 0 };
    const folder = openFolder(join(dir, 'store'), async () => namespaceId).texts;
    const lines: string[] = [];
    const asked = (): TextStore => {
      state.asked += 1;
      if (state.away) throw new Error('connect ECONNREFUSED');
      return folder;
    };
    const store: TextStore = {
      ...folder,
      put: async (...what) => asked().put(...what),
      read: async (...what) => asked().read(...what),
    };
    const open = (mostBytes = 10_000, of = namespaceId) =>
      new SpooledTexts(store, {
        dir: join(dir, 'spool'),
        namespaceId: async () => of,
        report: line => lines.push(line),
        mostBytes,
      });
    return { state, store, folder, lines, open, texts: open() };
  }
  const waiting = () => readdirSync(join(dir, 'spool'));

  test('texts meanwhile → the same references, read where they wait; told once, and not asked for each', async () => {
    const { state, texts, lines, folder } = setUp();
    state.away = true;
    const refs = [await texts.put('run', 'one'), await texts.put('run', 'two 帆')];
    expect(refs).toEqual([await folder.put('run', 'one'), await folder.put('run', 'two 帆')]);
    expect(await Promise.all(refs.map(ref => textOf(texts, 'run', ref)))).toEqual(['one', 'two 帆']);
    expect(await textOf(texts, 'run', refs[0] ?? '')).toBe('one');
    await expect(texts.read('other', await folder.put('other', 'x'), ALL)).rejects.toThrow('ECONNREFUSED');
    expect(lines).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect([state.asked, waiting()]).toEqual([2, [expect.any(String), expect.any(String)]]);
  });

  test('it answers again, and the worker is another one → it has all of them, and that is told', async () => {
    const { state, texts, lines, folder, open } = setUp();
    state.away = true;
    const refs = await Promise.all(['one', 'two', 'three'].map(text => texts.put('run/1', text)));
    await expect(texts.catchUp()).rejects.toThrow('ECONNREFUSED');
    state.away = false;
    const next = open();
    await Promise.all([next.catchUp(), next.catchUp()]);
    expect(await Promise.all(refs.map(ref => textOf(folder, 'run/1', ref)))).toEqual(['one', 'two', 'three']);
    expect(waiting()).toEqual([]);
    expect(lines).toEqual([
      expect.stringContaining('takes no large texts'),
      expect.stringContaining('has 3 texts that waited'),
    ]);
    await next.catchUp();
    expect(lines).toHaveLength(2);
  });

  test('it fails in the midst of catching up → nothing is lost, the rest goes the next time', async () => {
    const { state, texts, folder, store, open } = setUp();
    state.away = true;
    const refs = await Promise.all(['one', 'two', 'three'].map(text => texts.put('run', text)));
    state.away = false;
    const { put } = store;
    store.put = async (...asked) => {
      const ref = await put(...asked);
      state.away = true;
      return ref;
    };
    const next = open();
    await expect(next.catchUp()).rejects.toThrow('ECONNREFUSED');
    expect(waiting()).toHaveLength(2);
    for (const ref of refs)
      expect(await textOf(folder, 'run', ref).then(text => text ?? textOf(next, 'run', ref))).not.toBeNull();
    store.put = put;
    state.away = false;
    await next.catchUp();
    expect(await Promise.all(refs.map(ref => textOf(folder, 'run', ref)))).toEqual(['one', 'two', 'three']);
  });

  test('no room where they wait → what the store says counts, and what waits stays within its bound', async () => {
    const { state, open } = setUp();
    const texts = open(3_000);
    state.away = true;
    await texts.put('run', 'x'.repeat(2_000));
    await expect(texts.put('run', 'y'.repeat(2_000))).rejects.toThrow('ECONNREFUSED');
    expect(waiting()).toHaveLength(1);
    state.away = false;
    // The store may be back before it is asked again: it is asked where there is no other place.
    await texts.put('run', 'z'.repeat(2_000));
  });

  test('the worker of another namespace, on this machine → leaves them to the one whose they are', async () => {
    const { state, texts, open, folder } = setUp();
    state.away = true;
    const ref = await texts.put('run', 'of ns');
    state.away = false;
    await open(10_000, 'another').catchUp();
    expect([waiting().length, await textOf(folder, 'run', ref)]).toEqual([1, null]);
  });

  test('a file that was torn by a power cut → is no text, and goes', async () => {
    const { state, texts, open } = setUp();
    state.away = true;
    const ref = await texts.put('run', 'whole');
    writeFileSync(join(dir, 'spool', waiting()[0] ?? ''), '{"runId":"run","namespaceId":"ns"}\nwho');
    state.away = false;
    expect(await textOf(texts, 'run', ref)).toBeNull();
    await open().catchUp();
    expect(waiting()).toEqual([]);
  });

  test('LL2: a text that can not be read for a while → it stays, the others go, it is told once; readable again, it goes', async () => {
    const { state, texts, folder, lines, open } = setUp();
    state.away = true;
    const ref = await texts.put('run', 'the only copy');
    const other = await texts.put('other', 'another');
    const [path = ''] = waiting().flatMap(name =>
      name.startsWith('run-') ? [join(dir, 'spool', name)] : [],
    );
    const whole = readFileSync(path);
    state.away = false;
    // As EACCES and EIO, whoever runs the test.
    rmSync(path);
    symlinkSync(path, path);
    const next = open();
    for (const _time of [1, 2]) await next.catchUp();
    expect([waiting().length, await textOf(folder, 'other', other)]).toEqual([1, 'another']);
    expect(lines.filter(line => line.includes('ELOOP'))).toHaveLength(1);
    // It may be there: nobody is told that there is none.
    await expect(next.read('run', ref, ALL)).rejects.toThrow('ELOOP');
    rmSync(path);
    writeFileSync(path, whole);
    await next.catchUp();
    expect([waiting(), await textOf(folder, 'run', ref)]).toEqual([[], 'the only copy']);
  });

  test('LL7: texts that are always refused → all others go, each refused one is told once and stays, and new ones do not wait', async () => {
    const { state, texts, folder, store, lines, open } = setUp();
    state.away = true;
    const said = Array.from({ length: 12 }, (_, at) => `text ${at}`);
    const refs = await Promise.all(said.map((text, at) => texts.put(`run-${at}`, text)));
    state.away = false;
    const { put } = store;
    store.put = async (runId, data) => {
      if (Number(runId.slice(4)) % 2 === 0) throw new Error('value too long');
      return put(runId, data);
    };
    const next = open();
    for (const _time of [1, 2]) await next.catchUp();
    const moved = await Promise.all(refs.map((ref, at) => textOf(folder, `run-${at}`, ref)));
    expect(moved).toEqual(said.map((text, at) => (at % 2 === 0 ? null : text)));
    expect([waiting().length, await textOf(next, 'run-2', refs[2] ?? '')]).toEqual([6, 'text 2']);
    expect(lines.filter(line => line.includes('value too long'))).toHaveLength(6);
    const ref = await next.put('run-21', 'new');
    expect([waiting().length, await textOf(folder, 'run-21', ref)]).toEqual([6, 'new']);
    store.put = put;
    await next.catchUp();
    expect(waiting()).toEqual([]);
  });

  test('LL9: drafts that a killed worker left, of yesterday and of now → those of yesterday go', async () => {
    const { texts, folder } = setUp();
    await folder.put('run', 'whole');
    const run = join(dir, 'store', 'texts', readdirSync(join(dir, 'store', 'texts'))[0] ?? '');
    const id = '1b4e28ba-2fa1-11d2-883f-0016d3cca42';
    mkdirSync(join(dir, 'spool'));
    const draftOf = (folder: string, name: string) => join(folder, `.${name}`);
    const drafts = ['7', '8'].flatMap(end => [
      draftOf(run, `${'a'.repeat(64)}.${id}${end}`),
      draftOf(join(dir, 'store', 'texts'), `probe-${id}${end}`),
      draftOf(join(dir, 'spool'), `${id}${end}`),
    ]);
    for (const path of drafts) writeFileSync(path, 'half');
    for (const path of drafts.slice(0, 3)) utimesSync(path, yesterday(), yesterday());
    await texts.catchUp();
    await texts.prune(yesterday(), async () => false);
    expect(drafts.filter(path => existsSync(path))).toEqual(drafts.slice(3));
  });

  test('a folder where texts wait → passed over, and nobody is told of it again and again', async () => {
    const { texts, lines } = setUp();
    mkdirSync(join(dir, 'spool', 'folder'), { recursive: true });
    for (const _time of [1, 2]) await texts.catchUp();
    expect(lines).toEqual([]);
  });

  test('a conversation is removed meanwhile → its texts go from where they wait, and no other', async () => {
    const { state, texts } = setUp();
    state.away = true;
    const [ref, other] = [await texts.put('run', 'one'), await texts.put('run-2', 'two')];
    state.away = false;
    expect(await texts.removeOf(['run'])).toBe(1);
    expect([await textOf(texts, 'run', ref), await textOf(texts, 'run-2', other)]).toEqual([null, 'two']);
  });
});
