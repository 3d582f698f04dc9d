/** The files that a run's calls wrote. */
import { describe, expect, it } from 'vitest';
import {
  changesIn,
  comparison,
  type FileCall,
} from '../../../../packages/console/page/run/files/changed-files.js';
import type { Message } from '../../../../src/client/index.js';

let count = 0;

/** A reply with one call, and its result. */
function called(name: string, input: Record<string, unknown>, result: object = {}): Message[] {
  count += 1;
  const id = `c${count}`;
  return [
    { id: `m${count}`, at: count, kind: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
    {
      ...{ id: `r${count}`, at: count, kind: 'tool_result' },
      content: [{ toolUseId: id, toolName: name, ending: 'executed', isError: false, ...result }],
    },
  ] as unknown as Message[];
}

const write = (path: string, content: string) => called('write', { path, content });
const edit = (path: string, oldText: string, newText: string, more = {}) =>
  called('edit', { path, edits: [{ oldText, newText, ...more }] });

function callsOf(...messages: Message[][]): FileCall[] {
  return changesIn([{ messages: messages.flat() }]).files[0]?.calls ?? [];
}

describe('the files of a run', () => {
  it('calls of one file → together, in their order; threads that share messages → once', () => {
    const messages = [...write('a.txt', 'x'), ...edit('./a.txt', 'x', 'y'), ...write('b.txt', 'z')];
    const { files } = changesIn([{ messages }, { messages }]);
    expect(files.map(({ path, calls }) => [path, calls.map(({ act }) => act.kind)])).toEqual([
      ['a.txt', ['write', 'edit']],
      ['b.txt', ['write']],
    ]);
  });

  it('a call that was denied or failed → changed nothing', () => {
    const messages = [
      ...called('write', { path: 'a', content: 'x' }, { ending: 'denied' }),
      ...called('write', { path: 'a', content: 'x' }, { isError: true }),
    ];
    expect(changesIn([{ messages }]).files).toEqual([]);
  });

  it('arguments that a person edited → what was written', () => {
    const messages = write('a', 'of the model');
    const edited = new Map([[`c${count}`, { path: 'a', content: 'of the person' }]]);
    const [file] = changesIn([{ messages }], edited).files;
    expect(file?.calls[0]?.act).toEqual({ kind: 'write', content: 'of the person' });
  });

  it('a moved file → gone there, and come here', () => {
    const { files } = changesIn([{ messages: called('move', { from: 'a', to: 'b' }) }]);
    expect(files.map(({ path, calls }) => [path, calls[0]?.act.kind])).toEqual([
      ['a', 'delete'],
      ['b', 'move'],
    ]);
  });

  it('commands → by their line, with their end', () => {
    const { commands } = changesIn([{ messages: called('run', { command: 'npm test' }, { isError: true }) }]);
    expect(commands).toMatchObject([{ command: 'npm test', ending: 'executed', isError: true }]);
  });

  it.each([
    ['a new file', callsOf(write('a', 'x')), null, { before: '', after: 'x' }],
    ['a file that is written over', callsOf(write('a', 'x')), 'old', { before: 'old', after: 'x' }],
    ['edits', callsOf(edit('a', 'b', 'B'), edit('a', 'c', 'C')), 'abc', { before: 'abc', after: 'aBC' }],
    [
      'an edit of all places',
      callsOf(edit('a', 'x', 'y', { all: true })),
      'x x',
      { before: 'x x', after: 'y y' },
    ],
    ['a deleted file', callsOf(called('delete', { path: 'a' })), 'old', { before: 'old', after: null }],
    ['an edit of what is not there', callsOf(edit('a', 'q', 'Q')), 'abc', null],
    ['an edit that fits twice', callsOf(edit('a', 'x', 'y')), 'x x', null],
    ['a text before that is unknown', callsOf(write('a', 'x')), undefined, null],
    [
      'a file that was moved here',
      callsOf(called('move', { from: 'a', to: 'b' })).slice(1),
      'x',
      { before: 'x', after: 'x' },
    ],
  ])('%s → before and after', (_, calls, before, expected) => {
    expect(comparison(calls, before)).toEqual(expected);
  });
});
