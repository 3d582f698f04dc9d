import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { promptRoots } from '../../../../src/config/files/prompt-files.js';
import { loadWords } from '../../../../src/config/prompts/words.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'steersman-words-'));
  await mkdir(join(dir, 'prompts', 'words'), { recursive: true });
});

const write = (language: string, text: string) =>
  writeFile(join(dir, 'prompts', 'words', `${language}.yaml`), text);
const load = (language: string) => loadWords(promptRoots(dir), language);

test.each(['en', 'zh'])(
  'loadWords: %s, as it comes with Steersman → nothing for a run to pin (P13)',
  async language => {
    expect(await loadWords(promptRoots(null), language)).toBeUndefined();
  },
);

test('loadWords: a file of the folder → what differs from the built-in words, and no more', async () => {
  await write(
    'zh',
    `plan: 请规划。\nwrapUp: '{why}：到此为止 { "why": 1 }'\ngoal: ${BUILT_IN_WORDS.zh.goal}\n`,
  );
  expect(await load('zh')).toEqual({ plan: '请规划。', wrapUp: '{why}：到此为止 { "why": 1 }' });
  expect(await load('en')).toBeUndefined();
});

test('loadWords: a language that has no built-in words → its own, beside English ones', async () => {
  await write('fr', 'plan: Planifiez.\n');
  expect(await load('fr')).toEqual({ plan: 'Planifiez.' });
});

test.each([
  ['a key that nothing says', 'plann: x', '1: unknown key "plann". Did you mean "plan"?'],
  ['a variable left out', 'plan: x\ntask: Do {description}', '2: task: {id} is missing.'],
  ['a variable of another text', 'goal: "{id}"', '1: goal: {id} is not a variable of it (known: none).'],
  [
    'an unknown one in two braces',
    'asRole: "{role} {{rol}}"',
    '1: asRole: {rol} is not a variable of it (known: {role}).',
  ],
  ['a placeholder that is not complete', 'asRole: "{role} {{ x"', '1: asRole: {{ is not a variable of it'],
  ['no text', 'plan: 3', '1: plan: expected string'],
])('loadWords: %s → an error with file, line and key (P10)', async (_, text, fault) => {
  await write('en', text);
  await expect(load('en')).rejects.toThrow(`prompts/words/en.yaml:${fault}`);
});
