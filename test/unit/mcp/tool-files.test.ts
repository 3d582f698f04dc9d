import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { toolFilesOf } from '../../../src/config/files/config-dir.js';
import { loadToolFiles } from '../../../src/mcp/tools/tool-files.js';

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
    'has a tool without a name beside another',
    `export const a = { nme: 'a', description: '', run() {} };
     export const b = { name: 'b', description: '', run() {} };`,
    /broken\.mjs: a tool lacks name: it has nme, description, run/,
  ],
  [
    'has keys that mean nothing',
    `export const a = { name: 'a', description: '', readonly: true, parameters: {}, run() {} };`,
    /The tool a: unknown key "readonly"\. Did you mean "readOnly"\?[\s\S]*unknown key "parameters"/,
  ],
  [
    'has keys that mean nothing beside a schema',
    `export const a = { name: 'a', description: '', inputSchema: {}, readonly: true, run() {} };`,
    /The tool a: unknown key "readonly"/,
  ],
  [
    'has a name no model could call',
    `export const a = { name: 'a b', description: '', run() {} };`,
    /"a b" cannot be used/,
  ],
])('tools/: a file that %s → refused, with its name (T10)', async (_, text, message) => {
  file('broken.mjs', text);
  await expect(loadToolFiles(dir)).rejects.toThrow(message);
});

test('tools/: TypeScript → loaded where it has no compiled file beside it; declarations are no tools (T10)', async () => {
  const tool = (name: string) => `export const ${name} = { name: '${name}', description: '', run: () => 1 };`;
  file('dice.ts', `interface Dice { sides: number }\n${tool('dice')}`);
  file('dice.d.ts', 'export declare const dice: unknown;');
  file('coin.mts', tool('coin_source'));
  file('coin.mjs', tool('coin'));
  expect(toolFilesOf(dir)).toEqual(['coin.mjs', 'dice.ts']);
  expect((await loadToolFiles(dir)).map(({ name }) => name)).toEqual(['coin', 'dice']);
});

test('tools/: TypeScript that this Node does not take → told what to do (T10)', async () => {
  file('dice.mjs', `throw Object.assign(new Error('No.'), { code: 'ERR_UNKNOWN_FILE_EXTENSION' });`);
  await expect(loadToolFiles(dir)).rejects.toMatchObject({
    remedy: expect.stringContaining('compile the file'),
  });
});

test('tools/: a folder without → none', async () => {
  expect(await loadToolFiles(join(dir, 'elsewhere'))).toEqual([]);
});

test('tools/: a .js file that Node takes for CommonJS → told the name that it takes for a module (T10)', async () => {
  file('dice.js', `throw new SyntaxError("Unexpected token 'export'");`);
  await expect(loadToolFiles(dir)).rejects.toMatchObject({ remedy: expect.stringContaining('.mjs') });
});
