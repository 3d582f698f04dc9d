import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadToolFiles } from '../../../src/mcp/tool-files.js';

let dir = '';

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'steersman-tools-'));
  mkdirSync(join(dir, 'tools', 'lib'), { recursive: true });
});

function file(name: string, text: string): void {
  writeFileSync(join(dir, 'tools', name), text);
}

test('tools/: files that export tools → those, of .mjs and .js, not what they share or what is no tool (T10)', async () => {
  const shared = `export const add = ({ a, b }) => a + b;`;
  const input = `{ type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }`;
  file('lib/shared.mjs', shared);
  file(
    'sum.mjs',
    `import { add } from './lib/shared.mjs';
     export const VERSION = 1;
     export const sum = { name: 'sum', description: 'Adds.', input: ${input}, readOnly: true, run: add };`,
  );
  file(
    'more.js',
    `export default [{ name: 'one', description: '', inputSchema: ${input}, readOnly: false, idempotent: false, run: () => 1 }];`,
  );
  file('README.md', 'Not code.');
  const tools = await loadToolFiles(dir);
  expect(tools.map(({ name, readOnly }) => [name, readOnly])).toEqual([
    ['one', false],
    ['sum', true],
  ]);
  expect(tools[1]?.run({ a: 1, b: 2 }, {} as never)).toBe(3);
});

test.each([
  ['does not run', 'throw new Error("no");', /broken\.mjs does not run: no/],
  ['exports no tool', 'export const a = 1;', /broken\.mjs exports no tool/],
  [
    'has a name no model could call',
    `export const a = { name: 'a b', description: '', run() {} };`,
    /"a b" can not be used/,
  ],
])('tools/: a file that %s → refused, with its name (T10)', async (_, text, message) => {
  file('broken.mjs', text);
  await expect(loadToolFiles(dir)).rejects.toThrow(message);
});

test('tools/: a folder without → none', async () => {
  expect(await loadToolFiles(join(dir, 'elsewhere'))).toEqual([]);
});
