/** The files that a run's calls wrote. */
import { describe, expect, it } from 'vitest';
import { changesIn } from '../../../../packages/console/page/run/files/changed-files.js';
import { comparison, wayOf } from '../../../../packages/console/page/run/files/difference.js';
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
      content: [
        { toolUseId: id, toolName: name, ending: 'executed', isError: false, content: [], ...result },
      ],
    },
  ] as unknown as Message[];
}

const write = (path: string, content: string) => called('write', { path, content });
const edit = (path: string, oldText: string, newText: string, more = {}) =>
  called('edit', { path, edits: [{ oldText, newText, ...more }] });

/** The answers of the workspace's own tools. */
const answer = (text: string) => ({ content: [{ type: 'text', text }] });
const made = (path: string, content: string) =>
  called('write', { path, content }, answer(`${path}: ${content.length} bytes, 1 lines (new).`));
const over = (path: string, content: string, had: number) =>
  called(
    'write',
    { path, content },
    answer(`${path}: ${content.length} bytes, 1 lines (replaced; it had ${had} bytes).`),
  );
const mended = (path: string, oldText: string, newText: string, ...lines: string[]) =>
  called(
    'edit',
    { path, edits: [{ oldText, newText }] },
    answer([`${path}: one replacement. It now reads:`, ...lines].join('\n')),
  );
const read = (path: string, text: string, more = {}) => called('read', { path, ...more }, answer(text));
const moved = (from: string, to: string) => called('move', { from, to });
const unknown = { ending: 'outcome_unknown', isError: true };

function compared(path: string, before: string | null | undefined, ...messages: Message[][]) {
  return comparison(wayOf(changesIn([{ messages: messages.flat() }]), path), before);
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

  it.each([
    ['a name of its own', called('save_note', { path: 'a', content: 'x' })],
    ['a name of ours, and another answer', called('write', { path: 'a', content: 'x' }, answer('Saved.'))],
    ['an edit', called('edit_file', { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] }, answer('ok'))],
  ])('a tool of another server, %s → nobody says what it did, whatever the file was', (_, messages) => {
    for (const before of [null, 'x', undefined])
      expect(compared('a', before, messages)).toEqual({ why: 'foreign' });
    expect(compared('a', 'x', messages, over('a', 'z', 1))).toEqual({ why: 'foreign' });
  });

  it.each(['delete', 'move'])('%s, of another server → no file is gone', name => {
    const messages = called(name, { path: 'a', from: 'a', to: 'b' }, answer('Filed.'));
    expect(changesIn([{ messages }]).files).toEqual([]);
    const [ours] = changesIn([
      {
        messages: called(
          name,
          { path: 'a', from: 'a', to: 'b' },
          answer(`${name === 'move' ? 'Moved a to b.' : 'Deleted a (1 byte).'}`),
        ),
      },
    ]).files;
    expect(ours).toMatchObject({ path: 'a', isGone: true });
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

  it.each([
    ['changed', 'command'],
    ['gone', 'deleted'],
  ])('a file that a command wrote after a call did (%s) → says so: no difference', (how, why) => {
    const messages = [...made('a.txt', 'x'), ...called('run', { command: 'make' })];
    const events = eventsOf({ [how]: ['a.txt'] });
    const later = [...messages, ...over('a.txt', 'y', 1)];
    for (const all of [messages, later])
      expect(comparison(wayOf(changesIn([{ messages: all }], events), 'a.txt'), '')).toEqual({ why });
  });

  it.each([
    ['whose events the page does not have', () => [] as Durable[]],
    ['that changed more files than are named', () => eventsOf({ more: 1 })],
  ])('a command %s → no difference of a file that was written before it', (_, events) => {
    const changes = (...messages: Message[][]) => changesIn([{ messages: messages.flat() }], events());
    expect(
      comparison(wayOf(changes(made('a', 'x'), called('run', { command: 'make' })), 'a'), undefined),
    ).toEqual({ why: 'unnamed' });
    expect(
      comparison(wayOf(changes(called('run', { command: 'make' }), made('a', 'x')), 'a'), undefined),
    ).toMatchObject({ after: 'x' });
  });

  it('messages that are missing → no difference; those of an earlier run → changed nothing', () => {
    const cut = { id: 'cut', at: 0, kind: 'cut', content: [], dropped: 1, tools: {} } as unknown as Message;
    expect(compared('a', 'old', [cut], write('a', 'x'))).toEqual({ why: 'cut' });
    const earlier = write('a', 'x').map(message => ({ ...message, from: { chain: 'c', id: 'm' } }));
    expect(changesIn([{ messages: earlier }]).files).toEqual([]);
  });

  it('a command whose events the page does not have → without files and without an address', () => {
    expect(changesIn([{ messages: called('run', { command: 'make' }) }])).toMatchObject({
      files: [],
      commands: [{ command: 'make', seq: null, more: 0 }],
    });
  });

  it.each([
    ['a new file', [write('a', 'x')], null, { before: null, after: 'x' }],
    ['a file that is written over', [write('a', 'x')], 'old', { before: 'old', after: 'x' }],
    ['edits', [edit('a', 'b', 'B'), edit('a', 'c', 'C')], 'abc', { before: 'abc', after: 'aBC' }],
    ['an edit of all places', [edit('a', 'x', 'y', { all: true })], 'x x', { before: 'x x', after: 'y y' }],
    ['an edit where lines end as on Windows', [edit('a', 'x\ny', 'z')], 'x\r\ny\r\n', { after: 'z\r\n' }],
    ['a deleted file', [called('delete', { path: 'a' })], 'old', { before: 'old', after: null }],
    ['a deleted folder', [write('a/b', 'x'), called('delete', { path: 'a' })], null, { after: null }, 'a/b'],
    ['an edit of what is not there', [edit('a', 'q', 'Q')], 'abc', { why: 'between' }],
    ['an edit that fits twice', [edit('a', 'x', 'y')], 'x x', { why: 'between' }],
    [
      'a call that may have been made',
      [called('write', { path: 'a', content: 'x' }, unknown)],
      '',
      { why: 'unsure' },
    ],
    ['a file that was moved here', [moved('b', 'a')], 'x', { before: 'x', after: 'x' }],
    [
      'one that was written, and moved with its folder',
      [write('b/a', 'x'), moved('b', 'c')],
      'o',
      { before: 'o', after: 'x' },
      'c/a',
    ],
  ])('a text before that is known: %s → before and after', (_, calls, before, expected, path = 'a') => {
    expect(compared(path, before, ...calls)).toMatchObject(expected);
  });

  it.each([
    ['a new file', [made('a', 'x')], { before: null, after: 'x', since: 'run' }],
    ['a new file, edited', [made('a', 'x\n'), mended('a', 'x', 'y', '1: y')], { before: null, after: 'y\n' }],
    ['a new file, written whole twice', [made('a', 'x'), over('a', 'y', 1)], { before: null, after: 'y' }],
    [
      'a new file, named in two ways',
      [
        made('a', 'x'),
        called(
          'edit',
          { path: '/w/a', edits: [{ oldText: 'x', newText: 'y' }] },
          answer('a: one replacement. It now reads:\n1: y'),
        ),
      ],
      { before: null, after: 'y' },
    ],
    [
      'read, then edited twice',
      [read('a', 'x\ny'), mended('a', 'x', 'X', '1: X', '2: y'), mended('a', 'y', 'Y', '1: X', '2: Y')],
      { before: 'x\ny\n', after: 'X\nY\n', since: 'read' },
    ],
    ['read without a last end of line', [read('a', 'x'), over('a', 'y', 1)], { before: 'x', after: 'y' }],
    [
      'read with numbers',
      [read('a', '1: x\n2: y', { numbers: true }), over('a', 'z', 4)],
      { before: 'x\ny\n' },
    ],
    ['read when it was empty', [read('a', '[a is empty.]'), over('a', 'z', 0)], { before: '', after: 'z' }],
    [
      'read, edited, moved and edited',
      [read('b', 'x'), mended('b', 'x', 'y', '1: y'), moved('b', 'a'), mended('a', 'y', 'z', '1: z')],
      { before: 'x\n', after: 'z\n' },
    ],
    ['made and deleted', [made('a', 'x'), called('delete', { path: 'a' })], { before: null, after: null }],
    ['not read', [mended('a', 'x', 'y', '1: y')], { why: 'unread' }],
    [
      'read in part',
      [read('a', 'x\n[Lines 1 to 1 of 2. Go on with offset 2.]'), over('a', 'y', 4)],
      { why: 'unread' },
    ],
    [
      'read from a later line',
      [read('a', 'x', { offset: 2 }), mended('a', 'x', 'y', '2: y')],
      { why: 'unread' },
    ],
    ["another server's tools", [read('a', 'x'), write('a', 'y')], { why: 'unread' }],
    [
      'changed after it was read',
      [read('a', 'x\ny'), mended('a', 'y', 'Y', '1: by somebody', '2: Y')],
      { why: 'between' },
    ],
    ['of another size than was read', [read('a', 'x'), over('a', 'y', 9)], { why: 'between' }],
    ['deleted by somebody, then new again', [made('a', 'x'), made('a', 'y')], { why: 'between' }],
    [
      'written with other arguments than are known',
      [called('write', { path: 'a', content: 'x' }, answer('a: 9 bytes, 1 lines (new).'))],
      { why: 'between' },
    ],
  ])('a text before that no look found: %s → what the answers prove', (_, calls, expected) => {
    expect(compared('a', undefined, ...calls)).toMatchObject(expected);
  });
});
