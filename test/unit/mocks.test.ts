/** Modules that tests replace are named by strings, so nobody else notices a wrong path: the test then has the real one. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = new URL('..', import.meta.url).pathname;

test('mocks: each file of a test that replaces modules → the paths in it exist', () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.test.ts'),
  );
  const paths = files.flatMap(file => {
    const text = readFileSync(join(TESTS, file), 'utf8');
    // Some are named by a constant or a list above the call.
    const named = /\bvi\.(?:do)?(?:m|Unm|unm)ock\(/.test(text)
      ? text.matchAll(/'(\.{1,2}\/[^']+)\.js'/g)
      : [];
    return [...named].map(([, path = '']) => ({ file, path }));
  });
  expect(paths.length).toBeGreaterThan(50);
  const missing = paths.filter(
    ({ file, path }) =>
      !['.ts', '.tsx', '.js'].some(end => existsSync(join(TESTS, dirname(file), `${path}${end}`))),
  );
  expect(missing).toEqual([]);
});
