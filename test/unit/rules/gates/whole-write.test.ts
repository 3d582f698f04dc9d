import { expect, test } from 'vitest';
import { createCompareFile } from '../../../../src/activities/check-call.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { approvalText } from '../../../../src/rules/gates/gate-text.js';
import { type ComparedFile, wholeWrite } from '../../../../src/rules/gates/whole-write.js';

test.each<[string, unknown, ReturnType<typeof wholeWrite>]>([
  ['a path and a content → both', { path: 'a', content: 'b' }, { path: 'a', content: 'b' }],
  ['other names, nothing in it → the same', { file_path: 'a', contents: '' }, { path: 'a', content: '' }],
  ['it says more, such as that it appends → none', { path: 'a', content: 'b', append: true }, null],
  ['no path → none', { name: 'a', content: 'b' }, null],
  ['an empty path → none', { path: ' ', content: 'b' }, null],
  ['a content that is no text → none', { path: 'a', content: ['b'] }, null],
  ['no object → none', 'a', null],
])('wholeWrite: %s (PR8)', (_, input, expected) => {
  expect(wholeWrite(input)).toEqual(expected);
});

test.each<[string, ComparedFile | null, RegExp]>([
  [
    'other than before → the diff, between fences, above the arguments',
    { kind: 'changed', diff: '-```\n+b' },
    /^Compared with "a\[1\]" as it was[\s\S]*\n\n````diff\n-```\n\+b\n````\n\n```json/,
  ],
  [
    'a new file → said',
    { kind: 'new', diff: '+b' },
    /^A new file: "a\[1\]" [\s\S]*```diff\n\+b\n```\n\n```json/,
  ],
  ['the same → said, without a diff', { kind: 'same' }, /^Nothing changes: [^\n]+\n\n```json/],
  ['not read → said', { kind: 'unread' }, /^The file "a\[1\]" was not read[^\n]+\n\n```json/],
  ['nobody looked → the arguments alone', null, /^```json/],
])('approvalText: a file that is written as a whole, %s (PR8)', (_, compared, expected) => {
  const input = { path: 'a[1]', content: 'b' };
  const given = { tool: 'write_file', callId: 'c', input, thought: '', concerns: [], compared };
  expect(approvalText(BUILT_IN_WORDS.en, given).body).toMatch(expected);
});

test.each<[what: string, before: string, after: string, lines: string[]]>([
  ['CRLF becomes LF', 'a\r\nb\r\n', 'a\nb\n', ['-a\\u000d', '-b\\u000d', '+a', '+b']],
  ['LF becomes CRLF', 'a\n', 'a\r\n', ['-a', '+a\\u000d']],
  ['one line becomes LF', 'a\r\nb\r\n', 'a\r\nc\n', [' a\\u000d', '-b\\u000d', '+c']],
  ['all lines keep CRLF', 'a\r\nb\r\n', 'a\r\nc\r\n', [' a', '-b', '+c']],
  [
    'all lines keep CRLF, the last has no end',
    'a\r\nb',
    'a\r\nc',
    [' a', '-b', '\\ No newline at end of file', '+c', '\\ No newline at end of file'],
  ],
  ['blanks at the end of the last line', 'a\n', 'a  \n', ['-a', '+a  ']],
])('a gate about a whole write, %s → each change can be seen (PR8)', async (_what, before, after, lines) => {
  const input = { path: 'a', content: after };
  const compareFile = createCompareFile({
    readArguments: async () => input,
    openWorkspace: async path => path,
    readOld: async () => before,
    editFault: async () => null,
  });
  const compared = await compareFile({ callId: 'c', workspace: '/w', arguments: input });
  const given = { tool: 'write', callId: 'c', input, thought: '', concerns: [] };
  const { body } = approvalText(BUILT_IN_WORDS.en, { ...given, compared: compared as ComparedFile });
  const shown = /```diff\n@@[^\n]+\n([\s\S]*?)\n```/.exec(body)?.[1];
  expect(shown?.split('\n')).toEqual(lines);
});
