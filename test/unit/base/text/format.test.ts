import { describe, expect, test } from 'vitest';
import { EXIT, exitCodeOf } from '../../../../packages/print/commands/exit-codes.js';
import { argumentsLine, formatClock, formatDuration } from '../../../../src/base/text/format.js';
import { cutToBytes } from '../../../../src/client/connection/cut-to-bytes.js';
import { newRunId, requestToken } from '../../../../src/client/start/run-id.js';
import type { Outcome } from '../../../../src/run/limits/cause.js';

describe('figures', () => {
  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [3_180, '3.1 s'],
    [59_999, '59.9 s'],
    [252_000, '4 min 12 s'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
  ])('duration: %d ms → %s', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });

  test.each([
    [-5, '0:00'],
    [7_900, '0:07'],
    [3_723_000, '1:02:03'],
  ])('clock: %d ms → %s', (ms, expected) => {
    expect(formatClock(ms)).toBe(expected);
  });
});

describe('texts', () => {
  test('cut to bytes: it fits → unchanged', () => {
    expect(cutToBytes('äöü', 6)).toBe('äöü');
  });

  test.each(['ä'.repeat(300), '船'.repeat(100), '🚢'.repeat(80)])(
    'cut to bytes: too long (%#) → at most the bytes, no broken character',
    text => {
      const cut = cutToBytes(text, 200);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(200);
      expect(Buffer.byteLength(cut)).toBeGreaterThan(190);
      expect(cut).not.toContain('\uFFFD');
      expect(text.startsWith(cut.slice(0, -1))).toBe(true);
    },
  );
});

test.each([
  [
    '{"path":".","excludePatterns":["node_modules","bower_components","dist","build","coverage"]}',
    '{"path":".","excludePatterns":["node_modules", … 4 more]}',
  ],
  [
    '{"excludePatterns":["node_modules","bower_components","dist","build","cover…',
    '{"excludePatterns":["node_modules", …',
  ],
  [`{"edits":[{"oldText":"${'x'.repeat(60)}"}]}`, '{"edits":[…]}'],
  [`{"paths":["${'x'.repeat(60)}"]}`, `{"paths":["${'x'.repeat(60)}"]}`],
  ['{"paths":["src/plan.ts","src/tides.ts"]}', '{"paths":["src/plan.ts","src/tides.ts"]}'],
])('arguments %j → of a long list its first text and how many more (TE7)', (json, line) => {
  expect(argumentsLine(json)).toBe(line);
});

describe('ids and exit codes', () => {
  test.each([
    ['Summarise what is in this folder, please!', 'summarise-what-is-in-this-folder'],
    ['Fix "README.md"', 'fix-readme-md'],
    ['统计这个文件夹里的文件', '统计这个文件夹里的文件'],
    ['请你把这个文件夹里面所有的文件都统计一遍', '请你把这个文件夹里面所有的文件都'],
    ['Übersicht über die Häfen', 'übersicht-über-die-häfen'],
    ['🚢!', 'run'],
  ])('run id: %j → the first words of the goal, and six random characters (TE7)', (goal, words) => {
    const id = newRunId(goal);
    expect(id.slice(0, -7)).toBe(words);
    expect(id.slice(-7)).toMatch(/^-[0-9a-z]{6}$/);
    expect(newRunId(goal)).not.toBe(id);
    const [one, two] = ['1', '2'].map(request => newRunId(goal, requestToken(request)));
    expect([newRunId(goal, requestToken('1')), two !== one, one?.startsWith(`${words}-`)]).toEqual([
      one,
      true,
      true,
    ]);
  });

  test('run id: a goal of one word as long as a start may have → its beginning, for the beginning alone is measured (TE7)', () => {
    const goal = ` \n${'g'.repeat(900_000)}`;
    expect(newRunId(goal).slice(0, -7)).toBe('g'.repeat(32));
  });

  test.each<[Outcome | null, number]>([
    ['completed', 0],
    ['answered', 0],
    ['unverified', 3],
    ['budget_exhausted', 3],
    ['stopped', 3],
    ['failed', 1],
    ['cancelled', 130],
    [null, EXIT.failed],
  ])('exit code: %s → %d', (outcome, code) => {
    expect(exitCodeOf(outcome)).toBe(code);
  });
});
