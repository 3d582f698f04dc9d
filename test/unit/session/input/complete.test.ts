import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { widthOf } from '../../../../packages/print/layout.js';
import { completionAt, rankFiles, withChoice } from '../../../../packages/session/input/complete.js';
import type { Key } from '../../../../packages/session/input/keys.js';
import { onKey } from '../../../../packages/session/input/on-key.js';
import type { Effect } from '../../../../packages/session/input/session-state.js';
import { NEW_SESSION } from '../../../../packages/session/input/session-state.js';
import { ENGLISH } from '../../../../packages/session/input/words.js';
import { workspaceFiles } from '../../../../packages/session/input/workspace-files.js';
import { menuRows } from '../../../../packages/session/screen/input-rows.js';
import { noColors } from '../../../../src/shared/process/output.js';

const FILES = [
  'docs/',
  'README.md',
  'src/',
  'docs/steering.md',
  'docs/新 笔记.md',
  'src/main.ts',
  'src/a/main-test.ts',
];
const TAB: Key = { name: 'tab', sequence: '\t' };
const ENTER: Key = { name: 'return', sequence: '\r' };
const DOWN: Key = { name: 'down' };
const ESC: Key = { name: 'escape', sequence: '\u001b' };
const typed = (text: string): Key[] => [...text].map(char => ({ name: char.toLowerCase(), sequence: char }));

/** The line with a `|` at its cursor, and what follows, after these keys. */
function press(keys: Key[]) {
  let session = { ...NEW_SESSION, files: FILES as readonly string[] };
  const effects: Effect[] = [];
  for (const key of keys) {
    const step = onKey(session, key, 10_000);
    session = { ...step.session, files: FILES };
    effects.push(...step.effects.filter(effect => effect.do !== 'list-files'));
  }
  const { text, cursor } = session.line;
  return { line: `${text.slice(0, cursor)}|${text.slice(cursor)}`, effects, menu: session.menu };
}

describe('completion', () => {
  test.each<[string, Key[], string]>([
    ['the start of a command, Tab → it, ready for its text', [...typed('/int'), TAB], '/interrupt |'],
    ['a command that takes nothing → without a space', [...typed('/pau'), TAB], '/pause|'],
    ['several, Down, Tab → the marked one', [...typed('/st'), DOWN, TAB], '/status|'],
    ['Up from the first → the last', [...typed('/st'), { name: 'up' }, TAB], '/steer |'],
    ['a role after /to', [...typed('/to ver'), TAB], '/to verifier |'],
    ['a limit, and a second', [...typed('/budget turns=9 tok'), TAB], '/budget turns=9 tokens=|'],
    ['a file → its path, without the @', [...typed('read @stee'), TAB], 'read docs/steering.md |'],
    ['a path with a space → quoted', [...typed('read @笔'), TAB], 'read "docs/新 笔记.md" |'],
    [
      'Enter on a marked file → it is in the line, and nothing is sent',
      [...typed('@main'), DOWN, ENTER],
      'src/a/main-test.ts |',
    ],
    ['an @ within a word → no list', [...typed('me@main'), TAB], 'me@main|'],
    ['Esc, then Tab → the list is closed, and stays', [...typed('@main'), ESC, TAB], '@main|'],
    [
      'Esc, then more of the name → open again',
      [...typed('@main'), ESC, ...typed('-'), TAB],
      'src/a/main-test.ts |',
    ],
  ])('%s', (_name, keys, line) => {
    expect(press(keys)).toMatchObject({ line, effects: [] });
  });

  test('Enter where nothing was marked → sends the line as it is', () => {
    const { effects, menu } = press([...typed('see @main'), ENTER]);
    expect(effects).toEqual([{ do: 'steer', text: 'see @main', when: 'skip' }]);
    expect(menu).toBeNull();
  });

  test('Enter on a marked command that takes nothing → does it', () => {
    expect(press([...typed('/p'), DOWN, { name: 'up' }, ENTER]).effects).toEqual([{ do: 'pause' }]);
  });

  test('an @ → asks for the files once a name, at any place', () => {
    const asked = (text: string) => {
      let session = NEW_SESSION;
      return typed(text).flatMap(key => {
        const step = onKey(session, key, 10_000);
        session = step.session;
        return step.effects.map(effect => effect.do);
      });
    };
    expect(asked('see @ab and (@c')).toEqual(['list-files', 'list-files']);
    expect(asked('me@ab')).toEqual([]);
  });

  test('what was sent before, recalled → Up and Down go on through it', () => {
    const { line } = press([
      ...typed('one'),
      ENTER,
      ...typed('see @src'),
      ENTER,
      { name: 'up' },
      { name: 'up' },
    ]);
    expect(line).toBe('one|');
  });

  test('a choice in the middle of a line → what follows stays, with one space', () => {
    const line = { text: 'see @ste now', cursor: 8 };
    const completion = completionAt(line, { files: FILES, prompts: {}, agents: [], words: ENGLISH });
    const [choice] = completion?.choices ?? [];
    if (!completion || !choice) throw new Error('there is a choice');
    expect(withChoice(line, completion, choice)).toMatchObject({
      text: 'see docs/steering.md now',
      cursor: 20,
    });
  });

  test('whom a message is for → roles and the sub-agents that work, before its text and not in it', () => {
    const agents = ['search/1', 'lead/2', 'lead/2/search/1'];
    const offered = (text: string) =>
      completionAt(
        { text, cursor: text.length },
        { files: [], prompts: {}, agents, words: ENGLISH },
      )?.choices.map(choice => choice.text);
    expect(offered('/to lead/')).toEqual(['lead/2 ', 'lead/2/search/1 ']);
    expect(offered('/to sea')).toEqual(['search/1 ']);
    expect(offered('/to search/1 lead/')).toBeUndefined();
    expect(offered('/budget sea')).toBeUndefined();
  });

  test('files → begins with it, then a name that does, then anywhere, then its letters', () => {
    expect(rankFiles(['x/a-main.ts', 'src/main.ts', 'main/', 'm/a/i/n.ts', 'other'], 'MAIN')).toEqual([
      'main/',
      'src/main.ts',
      'x/a-main.ts',
      'm/a/i/n.ts',
    ]);
    expect(rankFiles(['a/b/m.ts', 'b/m.ts', 'a/m.ts'], '/m')).toEqual(['a/m.ts', 'b/m.ts', 'a/b/m.ts']);
    expect(rankFiles(FILES, 'smt')).toEqual(['src/main.ts', 'src/a/main-test.ts']);
  });

  test('more choices than rows → those round the marked one, none too wide', () => {
    const choices = Array.from({ length: 20 }, (_, at) => ({
      text: `文件/${'长'.repeat(40)}${at} `,
      note: '',
    }));
    const rows = menuRows(
      { completion: { kind: 'file', from: 0, to: 1, choices }, at: 12, moved: true },
      60,
      6,
      noColors,
    );
    expect(rows).toHaveLength(6);
    expect(rows[3]?.startsWith('›')).toBe(true);
    expect(rows.at(-1)).toContain('(14 more)');
    for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(60);
  });
});

describe('files of a workspace', () => {
  test('a folder → nearest first, without what is installed, without links followed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'files-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const dir of ['a/b', 'node_modules/x', '.git/y']) mkdirSync(join(folder, dir), { recursive: true });
    for (const file of ['z.md', 'a/b/c.ts', 'node_modules/x/i.js', 'bad\u001b[2J.md'])
      writeFileSync(join(folder, file), '');
    symlinkSync(folder, join(folder, 'a/round'));
    expect((await workspaceFiles(folder)).sort()).toEqual(['a/', 'a/b/', 'a/b/c.ts', 'a/round', 'z.md']);
    expect(await workspaceFiles(join(folder, 'missing'))).toEqual([]);
  });
});
