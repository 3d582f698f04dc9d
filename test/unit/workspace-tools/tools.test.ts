/** What each workspace tool answers, and what models are told of them. */
import { chmodSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { parseToolsArgs, workspaceTools } from '../../../packages/workspace-tools/tools.js';
import { validateArguments } from '../../../src/shared/schema/validate-arguments.js';
import { pdfOf } from '../../support/small-pdf.js';
import { type Hands, handsOn } from '../../support/workspace-tools.js';

const FILE_TOOLS = ['read', 'list', 'find', 'grep', 'edit', 'write', 'move', 'delete'];
let hands: Hands;

beforeEach(async () => {
  hands = await handsOn();
});

test('definitions: the file tools as requests have them → at most 2,700 characters', () => {
  const tools = workspaceTools({ workspace: '/w' }).filter(({ name }) => FILE_TOOLS.includes(name));
  const sent = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  expect(tools.map(({ name }) => name)).toEqual(FILE_TOOLS);
  expect(JSON.stringify(sent).length).toBeLessThanOrEqual(2_700);
});

test('definitions: what each may do → read-only, may destroy, or asks', async () => {
  const { tools } = await hands.client.listTools();
  const hints = tools.map(({ name, annotations }) => [
    name,
    annotations?.readOnlyHint,
    annotations?.destructiveHint,
  ]);
  expect(hints.filter(([name]) => FILE_TOOLS.includes(String(name)))).toEqual([
    ['read', true, undefined],
    ['list', true, undefined],
    ['find', true, undefined],
    ['grep', true, undefined],
    ['edit', false, false],
    ['write', false, false],
    ['move', false, false],
    ['delete', false, true],
  ]);
});

test.each([
  [[], {}, 'read', true],
  [['.', '--without', 'write,edit'], {}, 'edit', false],
  [['--without=write', '--without', 'edit', '/x'], { folder: '/x' }, 'write', false],
])('options: %j → chosen tools', (args, { folder = '.' }: { folder?: string }, name, isOn) => {
  const given = parseToolsArgs(args);
  expect(given.folder).toBe(folder);
  const names = workspaceTools({ workspace: '/w' }, given.choice).map(tool => tool.name);
  expect(names.includes(name)).toBe(isOn);
});

test.each([
  [['--wiht', 'fetch'], /wiht/],
  [['a', 'b'], /one folder/],
  [['--with', 'reed'], /no workspace tool reed/],
])('options: %j → refused by name', (args, words) => {
  expect(() => workspaceTools({ workspace: '/w' }, parseToolsArgs(args).choice)).toThrow(words);
});

test('WK10: arguments that are unknown, missing, of a wrong type → the schema says so before anybody is asked, and nothing is done', async () => {
  const write = { path: 'a', content: 'x', mode: 7 };
  const fault = 'the arguments: unknown property "mode"; known: path, content';
  const { tools } = await hands.client.listTools();
  const schemaOf = (name: string) => tools.find(tool => tool.name === name)?.inputSchema ?? {};
  expect(validateArguments(schemaOf('write'), write)).toEqual([fault]);
  expect(validateArguments(schemaOf('run'), { command: 'ls', cwd: 'a' })).toHaveLength(1);
  expect(tools.every(({ inputSchema }) => inputSchema.additionalProperties === false)).toBe(true);
  expect(await hands.call('write', write)).toBe(`failed: ${fault}`);
  expect(await hands.call('read', { where: 'a' })).toMatch(/failed: .*path.*\n.*where/);
  expect(await hands.call('edit', { path: 'a', edits: 'x' })).toMatch(/^failed: .*edits/);
  expect(await hands.call('list')).toBe('(0 files)');
});

describe('read', () => {
  const long = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join('\n');

  test.each([
    ['whole', 'a\nb\n', {}, 'a\nb'],
    ['windows line endings', 'a\r\nb\r\n', {}, 'a\nb'],
    ['byte order mark', '\ufeffa', {}, 'a'],
    ['empty', '', {}, '[f.txt is empty.]'],
    ['a range', 'a\nb\nc\nd\n', { offset: 2, limit: 2 }, 'b\nc\n[Lines 2 to 3 of 4. Go on with offset 4.]'],
    ['the end', 'a\nb\nc\n', { offset: 3 }, 'c\n[Lines 3 to 3 of 3.]'],
    ['numbers', 'a\nb', { numbers: true }, '1: a\n2: b'],
    ['offset 0', 'a', { offset: 0 }, 'a'],
    ['behind the end', 'a\n', { offset: 7 }, 'failed: f.txt has 1 line: there is no line 7.'],
    ['binary', 'a\0b', {}, 'failed: f.txt is binary (3 B): it has no text.'],
    ['other scripts', '\u00e4\u4e2d\ud83d\ude00', {}, '\u00e4\u4e2d\ud83d\ude00'],
  ])('a file: %s → what is there', async (_, content, args, expected) => {
    hands.put('f.txt', content);
    expect(await hands.call('read', { path: 'f.txt', ...args })).toBe(expected);
  });

  test('SE10: a file of 195 lines and 15,600 bytes → whole, not without its last lines', async () => {
    const text = Array.from({ length: 195 }, () => 'x'.repeat(79)).join('\n');
    hands.put('f.txt', text);
    expect(await hands.call('read', { path: 'f.txt' })).toBe(text);
  });

  test('a long file: page after page as the notes say → every line once', async () => {
    hands.put('f.txt', long);
    const seen: string[] = [];
    for (let offset = 1; ; ) {
      const page = (await hands.call('read', { path: 'f.txt', offset })).split('\n');
      const note = page.pop() ?? '';
      expect(Buffer.byteLength(page.join('\n'))).toBeLessThan(16_000);
      seen.push(...page);
      const next = /Go on with offset (\d+)/.exec(note)?.[1];
      if (next === undefined) break;
      offset = Number(next);
    }
    expect(seen.join('\n')).toBe(long);
  });

  test('long lines, other encodings → cut, decoded, and said', async () => {
    hands.put('min.js', `${'x'.repeat(10_000)}\nend`);
    const text = await hands.call('read', { path: 'min.js' });
    expect(text).toMatch(/^x{2000}…\nend\n\[1 long lines are cut/);
    hands.put('utf16.txt', Buffer.from('\ufeffhäß\nzwei', 'utf16le'));
    expect(await hands.call('read', { path: 'utf16.txt' })).toBe('häß\nzwei');
    hands.put('latin.txt', Buffer.from('h\xe4\xdf', 'latin1'));
    expect(await hands.call('read', { path: 'latin.txt' })).toBe('häß');
  });

  test('a picture → the picture, by what its bytes say', async () => {
    hands.put('p.txt', Buffer.from('89504e470d0a1a0a00', 'hex'));
    const { content } = await hands.client.callTool({ name: 'read', arguments: { path: 'p.txt' } });
    expect(content).toEqual([
      { type: 'text', text: 'p.txt: image/png, 9 B' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgoA' },
    ]);
  });

  test('a PDF → its pages as text; a damaged one → said', async () => {
    hands.put('two.pdf', pdfOf(['Hello first page', 'And the second']));
    expect(await hands.call('read', { path: 'two.pdf' })).toBe(
      '[page 1 of 2]\nHello first page\n[page 2 of 2]\nAnd the second',
    );
    expect(await hands.call('read', { path: 'two.pdf', limit: 1 })).toBe(
      '[page 1 of 2]\nHello first page\n[Go on with offset 2.]',
    );
    expect(await hands.call('read', { path: 'two.pdf', offset: 3 })).toMatch(/has 2 pages/);
    hands.put('bad.pdf', '%PDF-1.4 and no more');
    expect(await hands.call('read', { path: 'bad.pdf' })).toMatch(/^failed: The PDF cannot be read/);
  });

  test('a reference → what the run keeps, of this run alone; without a run → said', async () => {
    const kept = Buffer.from('kept text of a result');
    const { call } = await handsOn({
      readKept: async (_run, ref, { offset, length }) =>
        ref === 'blob:r/1' ? { data: kept.subarray(offset, offset + length), totalBytes: kept.length } : null,
    });
    expect(await call('read', { path: 'blob:r/1', offset: 5, limit: 4 })).toBe(
      'text\n[Bytes 5 to 9 of 21. Go on with offset 9.]',
    );
    expect(await call('read', { path: 'blob:other' })).toMatch(
      /^failed: There is no stored result blob:other/,
    );
    expect(await hands.call('read', { path: 'blob:r/1' })).toMatch(/texts cannot be read by reference here/);
  });
});

describe('list, find, grep', () => {
  beforeEach(() => {
    hands.put('.gitignore', 'node_modules\n*.log\n');
    hands.put('node_modules/x/index.js', 'needle');
    hands.put('debug.log', 'needle');
    hands.put('.git/config', 'needle');
    hands.put('.env.example', 'A=1');
    hands.put('src/a.ts', 'one\nneedle two\nthree\n');
    hands.put('src/deep/b.md', 'Needle\r\n');
    mkdirSync(join(hands.workspace, 'empty'));
    symlinkSync('src', join(hands.workspace, 'link'));
  });

  test.each([
    [
      'the workspace',
      {},
      `(4 files)
.env.example  3 B
.gitignore  19 B
src/
  a.ts  21 B
  deep/
    b.md  8 B
[Links: link -> src]
[Empty: empty/]
[Left out, as git ignores it: debug.log, node_modules/]`,
    ],
    ['a folder', { path: 'src' }, 'src/ (2 files)\na.ts  21 B\ndeep/\n  b.md  8 B'],
    ['one level', { path: 'src', depth: 1 }, 'src/ (2 files)\na.ts  21 B\ndeep/ (1 file)'],
    ['a file', { path: 'src/a.ts' }, 'failed: src/a.ts is a file, not a folder. Use read.'],
    ['nothing', { path: 'nix' }, 'failed: nix does not exist.'],
  ])('list: %s → the tree with sizes, and what is left out', async (_, args, expected) => {
    expect(await hands.call('list', args)).toBe(expected);
  });

  test('list: all → also what git ignores, never .git', async () => {
    const text = await hands.call('list', { all: true });
    expect(text).toContain('debug.log');
    expect(text).toContain('index.js');
    expect(text).not.toContain('.git/');
  });

  test('list: a folder with very many entries → bounded, and how to go on', async () => {
    for (let index = 0; index < 400; index += 1) hands.put(`many/f${index}.txt`, '');
    expect(await hands.call('list')).toContain('\nmany/ (400 files)\n');
    const lines = (await hands.call('list', { path: 'many' })).split('\n');
    expect(lines).toHaveLength(302);
    expect(lines.at(-1)).toBe('[There is more: list a folder of it, or use find.]');
  });

  test.each([
    [{ pattern: '*.ts' }, 'src/a.ts'],
    [{ pattern: './src/**/*.md' }, 'src/deep/b.md'],
    [{ pattern: '*.md', path: 'src/deep' }, 'src/deep/b.md'],
    [{ pattern: '*.py' }, 'No file matches. What git ignores was left out.'],
    [{ pattern: 'config' }, 'No file matches. What git ignores was left out.'],
    [{ pattern: '[' }, 'No file matches. What git ignores was left out.'],
    [{ pattern: 'src/' }, 'src/a.ts\nsrc/deep/b.md'],
  ])('find: %j → paths', async (args, expected) => {
    const text = await hands.call('find', args);
    if (typeof expected === 'string') expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test.each([
    [{ pattern: 'needle' }, 'src/a.ts:2: needle two'],
    [{ pattern: 'needle', ignoreCase: true }, 'src/a.ts:2: needle two\nsrc/deep/b.md:1: Needle'],
    [{ pattern: 'needle', path: 'src/a.ts' }, 'src/a.ts:2: needle two'],
    [{ pattern: 'two$', path: 'link' }, 'src/a.ts:2: needle two'],
    [{ pattern: 'needle', context: 1 }, 'src/a.ts-1- one\nsrc/a.ts:2: needle two\nsrc/a.ts-3- three'],
    [
      { pattern: 'needle', ignoreCase: true, context: 1 },
      'src/a.ts-1- one\nsrc/a.ts:2: needle two\nsrc/a.ts-3- three\n--\nsrc/deep/b.md:1: Needle',
    ],
    [{ pattern: 'eedle', glob: '*.md' }, 'src/deep/b.md:1: Needle'],
    [{ pattern: '-e', path: 'src' }, 'No line matches. What git ignores was left out.'],
    [{ pattern: '(' }, /^failed: .*unclosed group/],
    [{ pattern: 'x', path: 'nix' }, 'failed: nix does not exist.'],
  ])('grep: %j → path:line: text', async (args, expected) => {
    const text = await hands.call('grep', args);
    if (typeof expected === 'string') expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test('grep: context of places in one file → two dashes between them', async () => {
    hands.put('far.txt', 'one\ntwo\nmore\nthree\nfour\n');
    const shown = ['far.txt:1: one', 'far.txt-2- two', '--', 'far.txt-4- three', 'far.txt:5: four'];
    const text = await hands.call('grep', { pattern: '^(one|four)', path: 'far.txt', context: 1 });
    expect(text).toBe(shown.join('\n'));
  });

  test.each([
    ['find', { pattern: '**/*' }, '.env.example\n.gitignore\nsrc/a.ts\nsrc/deep/b.md'],
    ['find', { pattern: '!*.md' }, '.env.example\n.gitignore\nsrc/a.ts'],
    ['find', { pattern: '*.{js,log}' }, 'No file matches. What git ignores was left out.'],
    ['find', { pattern: '*.js', path: 'node_modules/x' }, 'node_modules/x/index.js'],
    ['grep', { pattern: 'needle', glob: '**/*' }, 'src/a.ts:2: needle two'],
    ['grep', { pattern: 'needle', glob: '*' }, 'src/a.ts:2: needle two'],
    ['grep', { pattern: 'needle', glob: '*.log' }, 'No line matches. What git ignores was left out.'],
    ['grep', { pattern: 'n', glob: '!*.md', path: 'src' }, 'src/a.ts:1: one\nsrc/a.ts:2: needle two'],
  ])('WK6: %s %j → a glob brings back nothing that git ignores', async (name, args, expected) => {
    expect(await hands.call(name, args)).toBe(expected);
  });

  test.each([
    ['app/[slug]/x.tsx', 'app/[slug]/x.tsx\napp/s/x.tsx'],
    ['app/[slug]/**/*.tsx', 'app/[slug]/x.tsx\napp/s/x.tsx'],
    ['app/[!a]/x.tsx', ''],
    ['v[0-9].txt', 'v7.txt'],
    ['v[A-C7].txt', 'v7.txt\nvB.txt'],
  ])('WK6: find %s → brackets are a class, and the name of a folder', async (pattern, expected) => {
    for (const path of ['app/[slug]/x.tsx', 'app/s/x.tsx', 'app/slug/x.tsx', 'v7.txt', 'vB.txt', 'vd.txt'])
      hands.put(path, '');
    const found = await hands.call('find', { pattern });
    expect(found.startsWith('No file') ? '' : found).toBe(expected);
  });

  test('WK6: what permissions.deny names → no tool shows it, by no way', async () => {
    const denied = async () => ['*(**/.env)', 'read(secrets/**)', 'write(src/**)'];
    const other = await handsOn({ workspace: hands.workspace, denied });
    hands.put('.env', 'KEY=needle');
    hands.put('secrets/a.txt', 'needle');
    symlinkSync('.env', join(hands.workspace, 'env.txt'));
    const note = '[Not shown, as permissions.deny names them: 2 files.]';
    expect(await other.call('grep', { pattern: 'needle' })).toBe(`src/a.ts:2: needle two\n${note}`);
    expect(await other.call('grep', { pattern: 'KEY' })).toBe(
      'No line matches. What git ignores was left out.\n[Not shown, as permissions.deny names them: 1 file.]',
    );
    expect(await other.call('find', { pattern: '{.env,*.txt}' })).toContain(note);
    expect(await other.call('find', { pattern: '{.env,*.txt}' })).toContain('No file matches.');
    const listed = await other.call('list');
    expect(listed).not.toMatch(/\.env {2}|secrets/);
    for (const path of ['.env', 'env.txt', 'secrets/a.txt', './src/../.env']) {
      expect(await other.call('read', { path })).toMatch(/^failed: .*permissions\.deny forbids it/);
      expect(await other.call('grep', { pattern: 'needle', path })).toMatch(/^failed: .*permissions\.deny/);
      expect(await other.call('compute', { code: `read(${JSON.stringify(path)})` })).toMatch(
        /^failed: .*deny/,
      );
    }
    expect(await other.call('compute', { code: 'list(".")' })).not.toContain('.env"');
    expect(await other.call('read', { path: 'src/a.ts' })).toContain('needle two');
  });

  test('grep: very many lines, and very long ones → bounded, and how to go on', async () => {
    hands.put('many.txt', 'hit\n'.repeat(5_000));
    hands.put('wide.txt', `hit ${'x'.repeat(100_000)}`);
    const text = await hands.call('grep', { pattern: 'hit' });
    expect(text.length).toBeLessThan(16_000);
    expect(text).toMatch(
      /\[There is more\. Only the first 200 are shown: give a narrower pattern, path or glob\.\]$/,
    );
    expect((await hands.call('grep', { pattern: 'hit', path: 'wide.txt' })).length).toBeLessThan(500);
  });
});

describe('edit', () => {
  const edit = (...edits: object[]) => hands.call('edit', { path: 'f.ts', edits });

  test.each([
    ['one', 'a\nb\nc\n', [{ oldText: 'b', newText: 'B' }], 'a\nB\nc\n', '1: a\n2: B\n3: c'],
    [
      'several, each against the original',
      'a\nb\n',
      [
        { oldText: 'b', newText: 'a' },
        { oldText: 'a', newText: 'b' },
      ],
      'b\na\n',
      '1: b\n2: a',
    ],
    ['all', 'x y x', [{ oldText: 'x', newText: '', all: true }], ' y ', '1:  y '],
    ['taken out', 'a\nb\nc', [{ oldText: 'b\n', newText: '' }], 'a\nc', '1: a\n2: c'],
    [
      'windows line endings',
      'a\r\nb\r\nc\r\n',
      [{ oldText: 'a\nb', newText: 'x\ny\nz' }],
      'x\r\ny\r\nz\r\nc\r\n',
      '1: x\n2: y\n3: z\n4: c',
    ],
    [
      'mixed line endings',
      'a\r\nb\nc\n',
      [{ oldText: 'c', newText: 'd\ne' }],
      'a\r\nb\nd\ne\n',
      '2: b\n3: d\n4: e',
    ],
    ['byte order mark', '\ufeffa\n', [{ oldText: 'a', newText: 'b' }], '\ufeffb\n', '1: \ufeffb'],
    ['signs of replacement patterns', 'a', [{ oldText: 'a', newText: '$& $1' }], '$& $1', '1: $& $1'],
  ])('%s → the file, and the lines that are new', async (_, before, edits, after, shown) => {
    hands.put('f.ts', before);
    const text = await edit(...edits);
    expect(hands.get('f.ts')).toBe(after);
    expect(text.split('\n').slice(1).join('\n')).toBe(shown);
  });

  test.each([
    [
      'not there',
      [{ oldText: 'zzzz', newText: 'x' }],
      /oldText is not in the file\. Nothing in it is like it/,
    ],
    [
      'other white space',
      [{ oldText: 'if (a) {\n\treturn 1;', newText: 'x' }],
      /differs only in white space from line 1 to 2:\n1: if \(a\) \{\n2: {4}return 1;/,
    ],
    ['a misspelt line', [{ oldText: 'retrun 1', newText: 'x' }], /The closest is line 2:\n2: {4}return 1;/],
    ['a line too many', [{ oldText: 'if (a) {\n  log();\n', newText: 'x' }], /The closest is line 1 to 2/],
    ['twice', [{ oldText: 'return', newText: 'x' }], /2 times, at lines 2, 4/],
    [
      'overlapping',
      [
        { oldText: 'if (a)', newText: 'x' },
        { oldText: '(a) {', newText: 'y' },
      ],
      /overlap at line 1/,
    ],
    [
      'one of two fails',
      [
        { oldText: 'if (a)', newText: 'x' },
        { oldText: 'zzzz', newText: 'y' },
      ],
      /edits\[1\]: oldText is not/,
    ],
    ['empty', [{ oldText: '', newText: 'x' }], /use write/],
    ['the same', [{ oldText: 'if', newText: 'if' }], /are the same/],
    ['no edits', [], /edits is empty/],
  ])('%s → refused, says why, and nothing is changed', async (_, edits, words) => {
    const before = 'if (a) {\n   return 1;\n}\nreturn 2;\n';
    hands.put('f.ts', before);
    const text = await edit(...edits);
    expect(text).toMatch(/^failed: /);
    expect(text).toMatch(words);
    expect(hands.get('f.ts')).toBe(before);
  });

  test('what is no text, or not there → refused', async () => {
    hands.put('f.ts', 'h\0');
    expect(await edit({ oldText: 'h', newText: 'x' })).toBe(
      'failed: f.ts is not text that can be written back unchanged, so it cannot be edited.',
    );
    expect(await hands.call('edit', { path: 'nix', edits: [{ oldText: 'a', newText: 'b' }] })).toBe(
      'failed: nix does not exist.',
    );
  });
});

describe('write, move, delete', () => {
  test('write: new, over another, in new folders → said; mode is kept', async () => {
    expect(await hands.call('write', { path: 'a/b/c.sh', content: 'one\ntwo' })).toBe(
      'a/b/c.sh: 7 bytes, 2 lines (new).',
    );
    chmodSync(join(hands.workspace, 'a/b/c.sh'), 0o750);
    expect(await hands.call('write', { path: 'a/b/c.sh', content: '' })).toBe(
      'a/b/c.sh: 0 bytes, 0 lines (replaced; it had 7 bytes).',
    );
    await hands.call('write', { path: 'a/b/c.sh', content: 'x' });
    expect(await hands.call('edit', { path: 'a/b/c.sh', edits: [{ oldText: 'x', newText: 'y' }] })).toContain(
      '1: y',
    );
    expect(statSync(join(hands.workspace, 'a/b/c.sh')).mode & 0o777).toBe(0o750);
    expect(await hands.call('write', { path: 'a', content: '' })).toBe('failed: a is a folder, not a file.');
    expect(await hands.call('write', { path: 'a/b/c.sh/d', content: '' })).toMatch(/^failed: /);
    expect(await hands.call('list', { path: 'a' })).toBe('a/ (1 file)\nb/\n  c.sh  1 B');
  });

  test('write: through a link inside → its file, and the link stays', async () => {
    hands.put('real.txt', 'old');
    symlinkSync('real.txt', join(hands.workspace, 'link.txt'));
    expect(await hands.call('write', { path: 'link.txt', content: 'new' })).toContain('real.txt: 3 bytes');
    expect(hands.get('real.txt')).toBe('new');
  });

  test('move: a file, a folder, a link → moved; onto another, into itself → refused', async () => {
    hands.put('a.txt', 'a');
    hands.put('dir/b.txt', 'b');
    symlinkSync('/etc/passwd', join(hands.workspace, 'away'));
    expect(await hands.call('move', { from: 'a.txt', to: 'new/c.txt' })).toBe('Moved a.txt to new/c.txt.');
    expect(await hands.call('move', { from: 'dir', to: 'new/dir' })).toBe('Moved dir to new/dir.');
    expect(await hands.call('move', { from: 'away', to: 'new/away' })).toBe('Moved away to new/away.');
    expect(await hands.call('move', { from: 'new/c.txt', to: 'new/dir' })).toMatch(/new\/dir exists already/);
    expect(await hands.call('move', { from: 'new', to: 'new/dir/x' })).toMatch(/lies within new/);
    expect(await hands.call('move', { from: 'nix', to: 'x' })).toBe('failed: nix does not exist.');
    expect(hands.get('new/dir/b.txt')).toBe('b');
  });

  test('delete: a file, an empty folder, a link → gone; a full folder only with recursive; the workspace never', async () => {
    hands.put('a.txt', 'abc');
    hands.put('dir/b.txt', 'b');
    hands.put('kept.txt', 'kept');
    mkdirSync(join(hands.workspace, 'empty'));
    symlinkSync('kept.txt', join(hands.workspace, 'link'));
    expect(await hands.call('delete', { path: 'a.txt' })).toBe('Deleted a.txt (3 B).');
    expect(await hands.call('delete', { path: 'empty' })).toBe('Deleted empty (a folder).');
    expect(await hands.call('delete', { path: 'link' })).toBe('Deleted link (a link).');
    expect(await hands.call('delete', { path: 'dir' })).toBe('failed: dir: the folder is not empty.');
    expect(await hands.call('delete', { path: 'dir', recursive: true })).toBe('Deleted dir (a folder).');
    expect(await hands.call('delete', { path: '.', recursive: true })).toMatch(
      /^failed: This is the workspace/,
    );
    expect(await hands.call('list')).toBe('(1 file)\nkept.txt  4 B');
  });
});
