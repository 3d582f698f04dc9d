/** What the documentation names is there, and it stays as short as it promises. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = new URL('../..', import.meta.url).pathname;
const NAMED = /`((?:[\w-]+\/)+[\w-]+\.(?:ts|md|mjs|yaml))`/g;

test.each(['AGENTS.md', 'docs/architecture.md', 'docs/decisions.md'])(
  '%s: each file that it names → is there',
  page => {
    const named = [...readFileSync(join(ROOT, page), 'utf8').matchAll(NAMED)].map(([, path = '']) => path);
    const gone = named.filter(path => ![path, `src/${path}`].some(name => existsSync(join(ROOT, name))));
    expect(named.length).toBeGreaterThan(5);
    expect(gone).toEqual([]);
  },
);

/** Files of each walk of AGENTS.md, in its order. */
function walks(): string[][] {
  const [, section = ''] = readFileSync(join(ROOT, 'AGENTS.md'), 'utf8').split('## Three walks');
  const lines = section.split('\n## ')[0]?.split('\n') ?? [];
  return lines
    .filter(line => line.includes('→'))
    .map(line => [...line.matchAll(NAMED)].map(([, path = '']) => path));
}

test('walks: a steering message, a tool result, a reply → at most 15, 10 and 12 files', () => {
  expect(walks().map(walk => walk.length)).toEqual([15, 10, 12]);
});

test.each([
  ['README.md', 1_200],
  ['docs/architecture.md', 2_000],
])('%s → at most %i words', (page, most) => {
  expect(readFileSync(join(ROOT, page), 'utf8').split(/\s+/).length).toBeLessThanOrEqual(most);
});
