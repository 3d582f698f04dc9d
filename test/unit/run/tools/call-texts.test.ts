import { expect, test } from 'vitest';
import { MOST_WORK, newWork } from '../../../../src/base/text/glob.js';
import { linesIn } from '../../../../src/run/tools/call-texts.js';

/** A list that counts how often its first item is read. */
function counted(items: unknown[]) {
  const reads = { count: 0 };
  const list = new Proxy(items, {
    get(target, key, receiver) {
      if (key === '0') reads.count += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  return { list, reads };
}

function spellings(name: string): string[] {
  return Array.from({ length: 2 ** name.length }, (_, mask) =>
    [...name].map((letter, at) => ((mask >> at) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
}

const WORDS = Array.from({ length: 10_000 }, () => 1);

test('linesIn: words in 58 lists within each other → read once, and one line of them (T9)', () => {
  const { list, reads } = counted([...WORDS]);
  const words = Array.from({ length: 58 }).reduce<unknown>(inner => [inner], list);
  const work = newWork();
  expect(linesIn({ words }, work)).toEqual([{ key: 'words', text: WORDS.join(' '), place: null }]);
  expect(reads.count).toBe(1);
  expect(work.done).toBeLessThan(10 * WORDS.length);
});

test('linesIn: a program spelled in very many ways beside its words → read once, lines within the bound (T9)', () => {
  const { list, reads } = counted(['a']);
  const names = ['program', 'command', 'executable'].flatMap(spellings);
  const work = newWork();
  const found = linesIn({ ...Object.fromEntries(names.map(name => [name, list])), args: WORDS }, work);
  expect(reads.count).toBe(names.length);
  expect(work.done).toBeGreaterThan(MOST_WORK);
  expect(found.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(MOST_WORK);
});

test('linesIn: a program and its words, some of which are nothing → one line without them (T9)', () => {
  const found = linesIn({ command: 'rm', args: ['-r', null, undefined, 'a'] }, newWork());
  expect(found.map(({ text }) => text)).toEqual(['-r a', 'rm -r a']);
});
