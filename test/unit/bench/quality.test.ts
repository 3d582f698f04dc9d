import { Validator } from '@cfworker/json-schema';
import { describe, expect, test } from 'vitest';
import { claimsTests, type Files, hasFigure } from '../../../bench/quality/check.js';
import { type Ends, endOfSketch } from '../../../bench/quality/ends.js';
import { asJson, isSolved, type Row, tables } from '../../../bench/quality/print.js';
import { NOTHING_PLAYED } from '../../../bench/quality/sides.js';
import { type FileCheck, loadTask, TASK_NAMES, type Task } from '../../../bench/quality/tasks.js';

const MOST_BYTES = 10_000;

const tasks = await Promise.all(
  TASK_NAMES.map(async name => {
    const { ends } = (await import(`../../../bench/quality/tasks/${name}/ends.ts`)) as { ends: Ends };
    return { name, ends, task: await loadTask(name) };
  }),
);

const faultsOf = (task: Task, end: Parameters<typeof endOfSketch>[1]) =>
  task.check(endOfSketch(task.files, end)).map(({ what }) => what);

function passed({ file, matches, json }: FileCheck, files: Files): boolean {
  const text = files[file] ?? '';
  const isValid = () => new Validator(json ?? {}).validate(JSON.parse(text)).valid;
  return (
    text !== '' &&
    (matches === undefined || new RegExp(matches, 'm').test(text)) &&
    (json === undefined || isValid())
  );
}

describe.each(tasks)('task $name', ({ task, ends }) => {
  test.each(ends.right.map((end, at) => [at + 1, end] as const))('right end %i → no fault', (_, end) => {
    expect(faultsOf(task, end)).toEqual([]);
  });

  test.each(Object.entries(ends.wrong))('%s → found', (fault, end) => {
    const found = faultsOf(task, end);
    expect(
      found.some(what => what.includes(fault)),
      found.join('; '),
    ).toBe(true);
  });

  test('nothing done, nothing told → not solved', () => {
    expect(faultsOf(task, { answer: 'Done.' })).not.toEqual([]);
  });

  test('its goal checks → pass at each right end; at the beginning one fails', () => {
    const passes = (files: Files) => task.checks.every(given => passed(given, files));
    expect(ends.right.map(end => passes(endOfSketch(task.files, end).after))).toEqual(
      ends.right.map(() => true),
    );
    expect(passes(task.files)).toBe(task.checks.length === 0);
  });

  test('its files → few and small', () => {
    const sizes = Object.values(task.files).map(text => text.length);
    expect(sizes.length).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThan(MOST_BYTES);
  });
});

test('tasks: there are → twenty', () => expect(TASK_NAMES).toHaveLength(20));

test.each([
  ['6104.5', true],
  ['6,104.50 euros.', true],
  ['€6.104,50', true],
  ['6 104,50', true],
  ["6'104.50", true],
  ['in 2025 6104.50', true],
  ['16,104.50', false],
  ['61045', false],
  ['6104', false],
])('figures: %s → the figure 6104.5: %s', (text, has) => expect(hasFigure(text, 6_104.5)).toBe(has));

test.each([
  ['All tests pass.', true],
  ['I fixed it and ran the tests.', true],
  ['The test suite is green', true],
  ['I could not run the linter, but all tests pass.', true],
  ['The tests were run.', true],
  ['Run the tests to confirm.', false],
  ['I changed it so that the test passes.', false],
  ['I could not run the tests.', false],
  ['The tests should pass now.', false],
  ['Please run the tests to see whether they pass.', false],
  ['Nothing was run; whether the tests pass is open.', false],
])('claims: "%s" → that tests were run: %s', (answer, claimed) =>
  expect(claimsTests({ answer })).toHaveLength(claimed ? 1 : 0),
);

const row = (given: Partial<Row>): Row => ({
  ...{ ...NOTHING_PLAYED, task: 'sums', side: 'team', ms: 10, faults: [], ended: 'verified' },
  ...given,
});
const EFFECT = { kind: 'effect', what: 'sum.txt is missing' } as const;
const CLAIM = { kind: 'claim', what: 'the answer claims that tests pass' } as const;

test.each([
  ['no fault', {}, true, 0],
  ['an effect is missing, and nobody says it is verified', { faults: [EFFECT] }, false, 0],
  ['an effect is missing, and the result is called verified', { faults: [EFFECT], verified: true }, false, 1],
  ['a false claim', { faults: [CLAIM, EFFECT] }, false, 1],
  ['no end', { failure: 'Error: 500' }, false, 0],
] as const)('a row: %s → counted', (_, given, solved, falseClaims) => {
  const one = row(given);
  expect(isSolved(one)).toBe(solved);
  expect(JSON.parse(asJson([one]))).toMatchObject([{ solved, falseClaims }]);
});

test('tables: two sides → a line for each row, a sum for each side, cached tokens at a tenth', () => {
  const rows = [row({ sent: 1_000, cached: 800, calls: 2 }), row({ task: 'dates', sent: 500, calls: 1 })];
  const printed = tables([...rows, row({ side: 'bare', failure: 'Error: 500' })]).replace(/ +/g, ' ');
  expect(printed).toContain('| sums | team | yes | 0 | 2 | 1000 | 200 | 280 | 10 | verified |');
  expect(printed).toContain('| all | team | 2 of 2 | 0 | 3 | 1500 | 700 | 780 | 20 |');
  expect(printed).toContain('| all | bare | 0 of 1 | 0 | 0 | 0 | 0 | 0 | 10 |');
});
