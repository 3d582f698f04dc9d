/** The files that a run's calls wrote. */
import { describe, expect, it } from 'vitest';
import {
  changesIn,
  comparison,
  type FileCall,
} from '../../../../packages/console/page/run/files/changed-files.js';
import type { Durable } from '../../../../packages/view/index.js';
import type { FilesChanged, Message } from '../../../../src/client/index.js';

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

/** The events of the last call: number 7 is its beginning. */
function eventsOf({ edited, ...files }: Partial<FilesChanged> & { edited?: object } = {}): Durable[] {
  const id = `c${count}`;
  const started = { toolUseId: id, arguments: JSON.stringify(edited ?? {}), ...(edited && { edited: true }) };
  return [
    { seq: 7, type: 'tool_call_started', callId: 'x', ...started },
    { seq: 8, type: 'tool_call_ended', callId: 'x', files: { ...NO_FILES, ...files } },
  ] as unknown as Durable[];
}

const NO_FILES = { changed: [], added: [], gone: [], more: 0 };

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
    const edited = { path: 'a', content: 'of the person' };
    const [file] = changesIn([{ messages }], eventsOf({ edited })).files;
    expect(file?.calls[0]?.act).toEqual({ kind: 'write', content: 'of the person' });
  });

  it.each(['move', 'workspace__move'])('a moved file, by the tool %s → gone there, and come here', tool => {
    const { files } = changesIn([{ messages: called(tool, { from: 'a', to: 'b' }) }]);
    expect(files.map(({ path, calls }) => [path, calls[0]?.act.kind])).toEqual([
      ['a', 'delete'],
      ['b', 'move'],
    ]);
  });

  it('commands → by their line, with their end', () => {
    const { commands } = changesIn([{ messages: called('run', { command: 'npm test' }, { isError: true }) }]);
    expect(commands).toMatchObject([{ command: 'npm test', ending: 'executed', isError: true }]);
  });

  it('a command that changed files → each file names it, and it names its event', () => {
    const messages = [...write('a.txt', 'x'), ...called('run', { command: 'npx prettier --write .' })];
    const events = eventsOf({ changed: ['a.txt'], added: ['b.txt'], gone: ['c.txt'], more: 2 });
    const { files, commands } = changesIn([{ messages }], events);
    expect(
      files.map(({ path, calls, commands: by, isGone }) => [path, calls.length, by.length, isGone]),
    ).toEqual([
      ['a.txt', 1, 1, false],
      ['b.txt', 0, 1, false],
      ['c.txt', 0, 1, true],
    ]);
    expect(commands).toMatchObject([{ command: 'npx prettier --write .', seq: 7, more: 2 }]);
    expect(files[1]?.commands).toEqual(commands);
  });

  it('a file that a command changed after a call wrote it → no difference from before the run', () => {
    const messages = [...write('a.txt', 'x'), ...called('run', { command: 'sed -i s/x/y/ a.txt' })];
    const [file] = changesIn([{ messages }], eventsOf({ changed: ['a.txt'] })).files;
    expect(comparison(file ?? { calls: [], commands: [] }, '')).toBe(null);
  });

  it('a command whose events the page does not have → without files and without an address', () => {
    expect(changesIn([{ messages: called('run', { command: 'make' }) }])).toMatchObject({
      files: [],
      commands: [{ command: 'make', seq: null, more: 0 }],
    });
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
    expect(comparison({ calls, commands: [] }, before)).toEqual(expected);
  });
});
