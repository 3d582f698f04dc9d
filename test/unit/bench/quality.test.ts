import { describe, expect, test } from 'vitest';
import { claimsTests, hasFigure } from '../../../bench/quality/check.js';
import { type Ends, endOfSketch } from '../../../bench/quality/ends.js';
import { loadTask, TASK_NAMES, type Task } from '../../../bench/quality/tasks.js';

const MOST_BYTES = 10_000;

const tasks = await Promise.all(
  TASK_NAMES.map(async name => {
    const { ends } = (await import(`../../../bench/quality/tasks/${name}/ends.ts`)) as { ends: Ends };
    return { name, ends, task: await loadTask(name) };
  }),
);

const faultsOf = (task: Task, end: Parameters<typeof endOfSketch>[1]) =>
  task.check(endOfSketch(task.files, end)).map(({ what }) => what);

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
  ['I could not run the tests.', false],
  ['The tests should pass now.', false],
  ['Please run the tests to see whether they pass.', false],
  ['Nothing was run; whether the tests pass is open.', false],
])('claims: "%s" → that tests were run: %s', (answer, claimed) =>
  expect(claimsTests({ answer })).toHaveLength(claimed ? 1 : 0),
);
