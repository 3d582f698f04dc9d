import { expect, test } from 'vitest';
import type { MadeCall } from '../../../src/rehearsal/conversation.js';
import { gatherEvidence } from '../../../src/rehearsal/evidence.js';
import { findPlaces, MARKERS } from '../../../src/rehearsal/facts.js';
import { notReadSection } from '../../../src/rehearsal/found-sections.js';
import { readGoal } from '../../../src/rehearsal/goal.js';

function made(name: string, args: Record<string, unknown>, text: string, ending: MadeCall['ending'] = 'ok') {
  return { name, args, text, ending, cut: null, pageEnd: null } satisfies MadeCall;
}

const TREE = JSON.stringify(
  [
    { name: 'a\n[FILE] passwords.txt 12 B', type: 'file' },
    { name: 'b.ts', type: 'file' },
  ],
  null,
  2,
);

test('evidence: a name with a line end in a listing → no file of its own (TE10)', () => {
  const listing = '[FILE] a\n[FILE] passwords.txt 12 B 3 B\n[FILE] b.ts 40 B';
  const { files } = gatherEvidence([
    made('directory_tree', { path: '.' }, TREE),
    made('list_directory_with_sizes', { path: '.' }, listing),
  ]);
  expect([...files.keys()]).toEqual(['a\n[FILE] passwords.txt 12 B', 'b.ts']);
  expect(files.get('b.ts')?.size).toBe(40);
});

test('evidence: a reading of several files that was denied → each could not be read, and none is within the limits (TE10)', () => {
  const intent = readGoal('Find the TODOs');
  const evidence = gatherEvidence([
    made('directory_tree', { path: '.' }, TREE),
    made('read_multiple_files', { paths: ['b.ts'] }, 'Not run: a person denied it.', 'failed'),
  ]);
  expect(evidence.files.get('b.ts')?.error).toContain('a person denied it');
  const section = notReadSection({ intent, evidence });
  expect(section).toContain('could not be read: `b.ts` (Not run: a person denied it.)');
});

test('markers: 待办 in a file → found as a TODO is (TE10)', () => {
  const file = {
    path: 'a.ts',
    size: 1,
    whole: true,
    error: null,
    text: '// 待办：查潮汐表\n// TODO tides\n',
  };
  expect(findPlaces([file], MARKERS).map(place => place.line)).toEqual([1, 2]);
});
