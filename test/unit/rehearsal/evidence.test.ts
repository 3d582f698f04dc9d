import { expect, test } from 'vitest';
import type { MadeCall } from '../../../src/rehearsal/conversation.js';
import { gatherEvidence } from '../../../src/rehearsal/evidence.js';
import { readGoal } from '../../../src/rehearsal/goal.js';
import { findPlaces, MARKERS } from '../../../src/rehearsal/places.js';
import { notReadSection, TOPIC_SECTIONS } from '../../../src/rehearsal/sections.js';

function made(name: string, args: Record<string, unknown>, text: string, ending: MadeCall['ending'] = 'ok') {
  return { name, args, text, ending, cut: null, pageEnd: null } satisfies MadeCall;
}

test('evidence: a reading of several files that was denied → each could not be read, and none is within the limits (TE10)', () => {
  const intent = readGoal('Find the TODOs');
  const evidence = gatherEvidence([
    made('list_directory', { path: '.' }, '[FILE] b.ts'),
    made('read_multiple_files', { paths: ['b.ts'] }, 'Not run: a person denied it.', 'failed'),
  ]);
  expect(evidence.files.get('b.ts')?.error).toContain('a person denied it');
  const section = notReadSection({ intent, evidence, isFull: false });
  expect(section).toContain('`b.ts`: could not be read (Not run: a person denied it.)');
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

test('file to be written: it is there from an earlier run → what it held counts for nothing', () => {
  const intent = readGoal('Write a list of the TODOs to TODO.md');
  const evidence = gatherEvidence([
    made('list_directory', { path: '.' }, '[FILE] TODO.md\n[FILE] a.ts'),
    made('read_text_file', { path: 'TODO.md' }, '## TODO of old'),
    made('read_text_file', { path: 'a.ts' }, '// TODO tides'),
  ]);
  const section = TOPIC_SECTIONS.todos({ intent, evidence, isFull: false });
  expect(section).toContain('1 TODO, on 1 line in 1 file, in all 1 text file');
});

test('headings, dependencies: files that are listed and not read → said so, never that there are none (TE10)', () => {
  const intent = readGoal('Give me an overview of this project');
  const sections = (listing: string) => {
    const evidence = gatherEvidence([made('list_directory', { path: '.' }, listing)]);
    const seen = { intent, evidence, isFull: true };
    return [TOPIC_SECTIONS.headings(seen), TOPIC_SECTIONS.dependencies(seen)].join('\n');
  };
  const listed = sections('[FILE] boats.md\n[FILE] package.json');
  expect(listed).toContain('No Markdown file was read.');
  expect(listed).toContain('No file that lists dependencies was read.');
  expect(sections('[FILE] a.ts')).toContain('No Markdown file was found.');
});
