import { describe, expect, test } from 'vitest';
import { inPlanOrder, newLane, tasksToBegin } from '../../../../src/core/plan/lanes.js';
import type { Task, TaskStatus } from '../../../../src/core/plan/plan.js';
import type { Lane } from '../../../../src/core/state/cursor.js';
import { executionAt } from '../../../../src/core/state/place.js';
import { task as newTask } from '../../../support/core-values.js';

function task(id: string, status: TaskStatus = 'pending', fields: Partial<Task> = {}): Task {
  return newTask(id, { status, ...fields });
}

function lane(id: string, state: 'at work' | 'ended' = 'at work'): Lane {
  const made = newLane(id, 1);
  if (state === 'ended') made.cursor.place = executionAt(1);
  return made;
}

describe('tasksToBegin', () => {
  test.each<[string, Task[], Lane[], number, string[]]>([
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
      [lane('a')],
      2,
      ['b'],
    ],
    [
      'a lane has ended → its room is free, and what needs it waits until the lanes are joined',
      [
        task('a', 'completed'),
        task('b', 'executing'),
        task('c', 'pending', { dependencies: ['a'] }),
        task('d'),
      ],
      [lane('a', 'ended'), lane('b')],
      2,
      ['d'],
    ],
    [
      'a task that had a lane is open again → it waits until the lanes are joined',
      [task('a'), task('b', 'executing')],
      [lane('a', 'ended'), lane('b')],
      3,
      [],
    ],
    [
      'a person added one → as any other',
      [task('a', 'executing'), task('b', 'pending', { byPerson: true })],
      [lane('a')],
      2,
      ['b'],
    ],
  ])('%s (C20)', (_name, tasks, lanes, atOnce, begun) => {
    expect(tasksToBegin(tasks, { lanes, atOnce }).map(({ id }) => id)).toEqual(begun);
  });
});

test('inPlanOrder: lanes in any order → as their tasks in the plan, those of no task last', () => {
  const lanes = ['gone', 'b', 'a'].map(id => lane(id));
  expect(inPlanOrder(lanes, [task('a'), task('b')]).map(({ taskId }) => taskId)).toEqual(['a', 'b', 'gone']);
});
