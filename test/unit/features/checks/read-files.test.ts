import { expect, test } from 'vitest';
import { readByCheck } from '../../../../src/features/checks/read-files.js';

const changed = [
  'src/sum.js',
  'package.json',
  '.npmrc',
  'test/sum.test.js',
  'vitest.config.ts',
  'scripts/check.sh',
  'report.md',
  'lib/test_sum.py',
  '.git/hooks/pre-commit',
];

test.each<[Parameters<typeof readByCheck>[0], string[]]>([
  [
    { run: 'npm test' },
    [
      '.git/hooks/pre-commit',
      '.npmrc',
      'lib/test_sum.py',
      'package.json',
      'test/sum.test.js',
      'vitest.config.ts',
    ],
  ],
  [{ run: 'sh ./scripts/check.sh' }, ['scripts/check.sh']],
  [{ run: 'node src/sum.js > out.txt' }, ['src/sum.js']],
  [{ run: 'grep -rq done src' }, ['src/sum.js']],
  [{ file: 'report.md', matches: 'x' }, []],
  [{ tool: 'read', arguments: { path: 'report.md' } }, []],
  [{ function: 'sums' }, []],
])('the check %j → reads of what the goal changed %j (WK11)', (check, expected) => {
  expect(readByCheck(check, changed)).toEqual(expect.arrayContaining(expected));
  if (expected.length === 0) expect(readByCheck(check, changed)).toEqual([]);
});

test('a goal that changed its sources alone → nothing that the check goes by (WK11)', () => {
  expect(readByCheck({ run: 'npm test' }, ['src/sum.js', 'README.md'])).toEqual([]);
});
