/** The rules of docs/rules.md, the titles of the tests and the places in the sources: they name each other. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
/** `T5`; not the `Z0` of `[a-zA-Z0-9]`, nor the `T00` of a moment. */
const CODE = /(?<![-\w])[A-Z]{1,3}[1-9]\d?(?!\w)/g;
const RULE = /^- \*\*(\w+)\*\* \S/gm;

const rules = [...read('docs/rules.md').matchAll(RULE)].map(([, code]) => code ?? '');

test('rules: each code → defined once', () => {
  expect(rules.length).toBeGreaterThan(100);
  expect(twice(rules)).toEqual([]);
});

test('rules: a code in sources, tests or documents → is a rule', () => {
  const files = [
    ...filesOf('src', '.ts'),
    ...filesOf('packages', '.ts'),
    ...testFiles(),
    ...filesOf('bench', '.ts'),
    ...filesOf('docs', '.md'),
  ];
  const unknown = files.flatMap(file =>
    codesIn(read(file))
      .filter(code => !rules.includes(code))
      .map(code => `${file}: ${code}`),
  );
  expect(unknown).toEqual([]);
});

test('rules: each → is named by the title of a test that every test run has', () => {
  const always = testFiles().filter(file => !/^test\/(storms|processes)\//.test(file));
  const named = new Set(always.flatMap(file => codesIn(withoutComments(read(file)))));
  expect(rules.filter(code => !named.has(code))).toEqual([]);
});

test('rules: a code in the sources → stands at one place', () => {
  expect(
    twice([...filesOf('src', '.ts'), ...filesOf('packages', '.ts')].flatMap(file => codesIn(read(file)))),
  ).toEqual([]);
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith(ending))
    .map(name => join(folder, name));
}

function testFiles(): string[] {
  return filesOf('test', '.ts').filter(file => !file.endsWith('rules.test.ts'));
}

function codesIn(text: string): string[] {
  return [...text.matchAll(CODE)].map(([code]) => code);
}

/** What a comment names, nothing proves. */
function withoutComments(text: string): string {
  return text.replace(/^\s*(\/\/|\/?\*).*$/gm, '');
}

function twice(codes: readonly string[]): string[] {
  return codes.filter((code, index) => codes.indexOf(code) !== index);
}
