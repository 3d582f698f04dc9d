import { describe, expect, test } from 'vitest';
import { opensSomething, sandboxReads } from '../../../../src/rules/tools/inline-code.js';

describe('code in a sandbox', () => {
  test.each<[code: string, reads: boolean]>([
    [`print('Checked all lines of a.txt: ok')`, false],
    ['1 + 1', false],
    [`print("read('a.txt') went well")`, false],
    [`// read('a.txt')\nprint('ok')`, false],
    [`/* read('a.txt') */ print('ok')`, false],
    ["print(`read('a.txt') ok`)", false],
    [`const list = ['ok'];\nlist[0]`, false],
    [`JSON.parse('{"ok":true}').ok`, false],
    [`readLines('a.txt').length`, true],
    [`read('a.txt')`, true],
    [`print(...readLines('a.txt'))`, true],
    [`print(\`\${readLines('a.txt').length} lines\`)`, true],
    [`print(\`\${rows.map(row => { return read(row) })}\`)`, true],
    [`json("package.json").name`, true],
    [`csv('a.csv').length`, true],
    [`list('src').length`, true],
    [`// counts\nprint('a'); print(read('a.txt').length)`, true],
  ])('%j → it reads: %s (WK12)', (code, reads) => {
    expect(sandboxReads(code)).toBe(reads);
  });
});

test.each([
  ['quotes that are not closed', '"\\"'.repeat(9_000)],
  ['comments that are not closed', '/*'.repeat(9_000)],
  ['long texts', `"""'''\``.repeat(3_000)],
  ['empty lines', '\n'.repeat(18_000)],
  ['an import and blanks', `import a${' '.repeat(18_000)}!`],
  ['brackets', '`${{'.repeat(4_500)],
  ['an import in two lines', "import path from\n'node:path'"],
])('code of %s → read once, and it opens nothing', (_, code) => {
  expect(opensSomething(code)).toBe(false);
});
