/** Work that may be long: it holds neither the event loop nor the room of later calls. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { lineCounter } from '../../../packages/workspace-tools/files/edit-text.js';
import { callThread } from '../../../packages/workspace-tools/threads/call-thread.js';
import { builtScript } from '../../../src/shared/process/package.js';
import { handsOn } from '../../support/workspace-tools.js';

test('WK4: lines of a hundred places at the end of a large text → each character is visited once', () => {
  const text = `${'a line\n'.repeat(200_000)}${'b'.repeat(100_000)}`;
  let visited = 0;
  const counted = {
    indexOf(searched: string, from = 0) {
      const at = text.indexOf(searched, from);
      visited += (at < 0 ? text.length : at) - from + 1;
      return at;
    },
  };
  const lineAt = lineCounter(counted);
  for (let place = 0; place < 100; place += 1) expect(lineAt(1_400_000 + place * 1_000)).toBe(200_001);
  expect(visited).toBeLessThanOrEqual(text.length + 200_002);
  expect(lineAt(3)).toBe(1);
  expect(lineAt(7)).toBe(2);
});

test('WK4: edit of many places in a large file, and of one that is not there → done, and the event loop turns meanwhile', async () => {
  const hands = await handsOn();
  const places = Array.from({ length: 100 }, (_, index) => `place ${index}.`);
  hands.put('large.txt', `${'a line of this file\r\n'.repeat(300_000)}${places.join('\r\n')}\r\n`);
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  const edits = places.map(oldText => ({ oldText, newText: oldText.replace('place', 'spot') }));
  const before = turns;
  expect(await hands.call('edit', { path: 'large.txt', edits })).toMatch(/^large\.txt: 100 replacements\./);
  const missing = [{ oldText: 'a line of that file', newText: 'x' }];
  expect(await hands.call('edit', { path: 'large.txt', edits: missing })).toMatch(
    /oldText is not in the file/,
  );
  isDone = true;
  expect(turns - before).toBeGreaterThan(100);
  expect(hands.get('large.txt')).toMatch(
    /^(a line of this file\r\n){3}[\s\S]*\r\nspot 0\.\r\n[\s\S]*\r\nspot 99\.\r\n$/,
  );
});

test('WK14: threads that nothing can end → their calls end at their time, and later calls have room, up to eight', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stuck-'));
  const pipe = join(folder, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const file = join(folder, 'stuck.cjs');
  // The engine waits for a writer: no thread is ended while it does.
  writeFileSync(file, `require('node:fs').readFileSync(${JSON.stringify(pipe)});`);
  const script = relative(dirname(builtScript('packages/workspace-tools/threads/any.js')), file);
  const { signal } = new AbortController();
  const stuck = () =>
    callThread({ script, data: {}, timeoutMs: 50, heapMb: 32, signal }).then(String, String);
  try {
    // A thread that is ended before it waits for the writer takes no room: others follow until there is none.
    const ends: string[] = [];
    while (!ends.at(-1)?.includes('Too many earlier calls') && ends.length < 400) {
      ends.push(...(await Promise.all([stuck(), stuck(), stuck(), stuck()])));
    }
    expect(ends.at(-1)).toContain('Too many earlier calls');
    const inTime = ends.filter(end => end.includes('Ended after 0.05 s'));
    expect(inTime.length).toBeGreaterThanOrEqual(8);
    expect(ends.slice(0, inTime.length)).toEqual(inTime);
  } finally {
    const writer = await open(pipe, 'w');
    await writer.close();
  }
});
