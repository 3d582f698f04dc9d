import { describe, expect, test } from 'vitest';
import { inPlanOrder, tasksToBegin } from '../../../../src/rules/plan/branches.js';
import type { Task, TaskStatus } from '../../../../src/run/plan/plan.js';
import { executionAt } from '../../../../src/run/position/position.js';
import type { Branch } from '../../../../src/run/state/cursor.js';
import { newBranch } from '../../../../src/run/state/cursor.js';
import { task as newTask } from '../../../support/core-values.js';

function task(id: string, status: TaskStatus = 'pending', fields: Partial<Task> = {}): Task {
  return newTask(id, { status, ...fields });
}

function branch(id: string, state: 'at work' | 'ended' = 'at work'): Branch {
  const made = newBranch(id, 1);
  if (state === 'ended') made.cursor.position = executionAt(1);
  return made;
}

describe('tasksToBegin', () => {
  test.each<[string, Task[], Branch[], number, string[]]>([
    [
      'none needs another → as many as there is room for',
      [task('a'), task('b'), task('c')],
      [],
      2,
      ['a', 'b'],
    ],
    ['one at a time → the first', [task('a'), task('b')], [], 1, ['a']],
    [
      'priorities → the lowest numbers, ties in plan order',
      [
        task('a', 'pending', { priority: 3 }),
        task('b', 'pending', { priority: 1 }),
        task('c', 'pending', { priority: 3 }),
      ],
      [],
      2,
      ['b', 'a'],
    ],
    [
      'one needs a task that is pending → it waits',
      [task('a'), task('b', 'pending', { dependencies: ['a'] })],
      [],
      4,
      ['a'],
    ],
    [
      'what it needs is completed, skipped, or no task → it begins',
      [
        task('a', 'completed'),
        task('b', 'skipped'),
        task('c', 'pending', { dependencies: ['a', 'b', 'ghost'] }),
      ],
      [],
      4,
      ['c'],
    ],
    [
      'what it needs has failed → it waits',
      [task('a', 'failed'), task('b', 'pending', { dependencies: ['a'] })],
      [],
      4,
      [],
    ],
    [
      'a task is at work → the room beside it',
      [task('a', 'executing'), task('b'), task('c')],
      [branch('a')],
      2,
      ['b'],
    ],
    [
      'a branch has ended → its room is free, and what needs it waits until the branches are joined',
      [
        task('a', 'completed'),
        task('b', 'executing'),
        task('c', 'pending', { dependencies: ['a'] }),
        task('d'),
      ],
      [branch('a', 'ended'), branch('b')],
      2,
      ['d'],
    ],
    [
      'a task that had a branch is open again → it waits until the branches are joined',
      [task('a'), task('b', 'executing')],
      [branch('a', 'ended'), branch('b')],
      3,
      [],
    ],
    [
      'a person added one → as any other',
      [task('a', 'executing'), task('b', 'pending', { byPerson: true })],
      [branch('a')],
      2,
      ['b'],
    ],
  ])('%s (C20)', (_name, tasks, branches, atOnce, begun) => {
    expect(tasksToBegin(tasks, { branches, atOnce }).map(({ id }) => id)).toEqual(begun);
  });
});

test('inPlanOrder: branches in any order → as their tasks in the plan, those of no task last', () => {
  const branches = ['gone', 'b', 'a'].map(id => branch(id));
  expect(inPlanOrder(branches, [task('a'), task('b')]).map(({ taskId }) => taskId)).toEqual([
    'a',
    'b',
    'gone',
  ]);
});

describe('tasksToBegin, where resources are counted', () => {
  const needs = (id: string, names: string[], more: Partial<Task> = {}) =>
    task(id, 'pending', { requiredCapabilities: names, ...more });
  const resources = {
    counts: { browser: 1, gpu: 2 },
    of: ({ requiredCapabilities }: Task) => requiredCapabilities,
  };

  test.each<[string, Task[], Branch[], string[]]>([
    [
      'two need the only one → the first, and others beside it',
      [needs('a', ['browser']), needs('b', ['browser']), needs('c', [])],
      [],
      ['a', 'c'],
    ],
    [
      'a task at work holds it → one that needs it waits',
      [{ ...needs('a', ['browser']), status: 'executing' }, needs('b', ['browser']), needs('c', ['gpu'])],
      [branch('a')],
      ['c'],
    ],
    [
      'its task has ended → it is free',
      [{ ...needs('a', ['browser']), status: 'completed' }, needs('b', ['browser'])],
      [branch('a', 'ended')],
      ['b'],
    ],
    [
      'there are several → as many tasks hold one',
      [needs('a', ['gpu']), needs('b', ['gpu']), needs('c', ['gpu'])],
      [],
      ['a', 'b'],
    ],
    [
      'one needs both and only one is free → it takes neither',
      [
        { ...needs('a', ['browser']), status: 'executing' },
        needs('b', ['browser', 'gpu']),
        needs('c', ['gpu']),
      ],
      [branch('a')],
      ['c'],
    ],
    [
      'priorities → who comes first gets it',
      [needs('a', ['browser'], { priority: 2 }), needs('b', ['browser'], { priority: 1 })],
      [],
      ['b'],
    ],
  ])('%s (A8)', (_name, tasks, branches, begun) => {
    expect(tasksToBegin(tasks, { branches, atOnce: 4, resources }).map(({ id }) => id)).toEqual(begun);
  });
});
