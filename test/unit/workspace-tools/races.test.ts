/** Files that others change meanwhile, and files of others: nothing is lost, and nothing of theirs is touched. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import { builtScript } from '../../../src/shared/process/package.js';
import { type Hands, handsOn } from '../../support/workspace-tools.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
let hands: Hands;
let at: (path: string) => string;

beforeEach(async () => {
  hands = await handsOn();
  at = path => join(hands.workspace, path);
});

const change = (path: string, oldText: string, newText: string) =>
  hands.call('edit', { path, edits: [{ oldText, newText }] });

describe('at the same time', () => {
  test('edits of one file, one by a link → all are in it', async () => {
    hands.put('f.txt', 'a\nb\nc\n');
    symlinkSync('f.txt', at('link'));
    await Promise.all([change('f.txt', 'a', 'A'), change('link', 'b', 'B'), change('./f.txt', 'c', 'C')]);
    expect(hands.get('f.txt')).toBe('A\nB\nC\n');
  });

  test('moves to one place → one is done, and no file is lost', async () => {
    hands.put('a', 'of a');
    hands.put('b', 'of b');
    const said = await Promise.all(['a', 'b'].map(from => hands.call('move', { from, to: 'c' })));
    expect(said.filter(line => line.startsWith('failed: '))).toHaveLength(1);
    expect(readdirSync(hands.workspace)).toHaveLength(2);
  });

  test('an edit, and somebody else writes before it is done → theirs stays, and it is said', async () => {
    hands.put('f.txt', `old\n${'x'.repeat(8_000_000)}`);
    const watched = watch(hands.workspace, () => {
      watched.close();
      writeFileSync(at('f.txt'), 'theirs');
    });
    expect(await change('f.txt', 'old', 'new')).toMatch(/^failed: f\.txt was changed by somebody else/);
    expect(hands.get('f.txt')).toBe('theirs');
    expect(readdirSync(hands.workspace)).toEqual(['f.txt']);
  });

  test('deleting a folder, and one in it becomes a link → nothing of what it leads to is deleted', async () => {
    const other = await handsOn();
    const names = Array.from({ length: 2_000 }, (_, index) => `f-${index}`);
    mkdirSync(at('d/sub'), { recursive: true });
    for (const name of names) {
      hands.put(`d/sub/${name}`, '');
      other.put(name, '');
    }
    const watched = watch(at('d/sub'), () => {
      watched.close();
      renameSync(at('d/sub'), at('away'));
      symlinkSync(other.workspace, at('d/sub'));
    });
    await hands.call('delete', { path: 'd', recursive: true });
    expect(lstatSync(at('away')).isDirectory()).toBe(true);
    expect(readdirSync(other.workspace)).toHaveLength(names.length);
  });
});

describe('whose a file is', () => {
  test('a file with another name outside of the workspace → replaced, that stays as it is, and it is said', async () => {
    const other = await handsOn();
    other.put('theirs', 'old');
    for (const name of ['a', 'b']) linkSync(join(other.workspace, 'theirs'), at(name));
    const said = await change('a', 'old', 'new');
    expect(said).toContain('It was a hard link: its 2 other names still have the old content. It now reads:');
    expect(await hands.call('write', { path: 'b', content: 'new' })).toMatch(/ its 1 other name still has /);
    expect(await change('b', 'new', 'newer')).not.toContain('hard link');
    expect([other.get('theirs'), hands.get('a'), hands.get('b')]).toEqual(['old', 'new', 'newer']);
  });

  test('a file that only its owner reads → nobody else may read it, also while it is written', async () => {
    hands.put('secret', 'old');
    chmodSync(at('secret'), 0o600);
    const modes: number[] = [];
    const watched = watch(hands.workspace, (_event, name) => {
      const stats = statSync(at(String(name)), { throwIfNoEntry: false });
      if (stats) modes.push(stats.mode & 0o777);
    });
    await hands.call('write', { path: 'secret', content: 'x'.repeat(8_000_000) });
    watched.close();
    expect(modes.length).toBeGreaterThan(0);
    expect(new Set(modes)).toEqual(new Set([0o600]));
    expect(statSync(at('secret')).mode & 0o777).toBe(0o600);
  });

  test.skipIf(!isRoot)('a file of another user, edited by root → stays theirs, with its mode', async () => {
    hands.put('f.txt', 'old');
    chownSync(at('f.txt'), 1_234, 2_345);
    chmodSync(at('f.txt'), 0o4750);
    expect(await change('f.txt', 'old', 'new')).toContain('1: new');
    expect(statSync(at('f.txt'))).toMatchObject({ uid: 1_234, gid: 2_345, mode: 0o104750 });
  });

  test('a file that this user may not write → is left as it is', async () => {
    hands.put('f.txt', 'old');
    chmodSync(at('f.txt'), 0o444);
    if (isRoot) chownSync(hands.workspace, NOBODY, NOBODY);
    if (isRoot) chownSync(at('f.txt'), NOBODY, NOBODY);
    const code = `
      import { workspaceTools } from ${JSON.stringify(builtScript('packages/workspace-tools/tools.js'))};
      const workspace = ${JSON.stringify(hands.workspace)};
      for (const tool of workspaceTools({ workspace })) {
        if (tool.name === 'write') await tool.run({ path: 'f.txt', content: 'new' }, {}).catch(error => console.log(error.message));
        if (tool.name === 'edit')
          await tool.run({ path: 'f.txt', edits: [{ oldText: 'old', newText: 'new' }] }, {}).catch(error => console.log(error.message));
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    expect(await text(child.stdout)).toBe('f.txt: this user may not read or change it.\n'.repeat(2));
    expect(hands.get('f.txt')).toBe('old');
  });
});
