import { expect, test } from 'vitest';
import { PLAN_BYTES } from '../../../src/core/bounds.js';
import type { PlannedTask } from '../../../src/core/plan.js';
import { notDoneText, planEditFaults } from '../../../src/core/plan-edit.js';
import { task } from '../../support/core-values.js';

const TASKS = [
  task('a', { status: 'completed' }),
  task('b', { status: 'failed' }),
  task('c', { status: 'blocked' }),
  task('d', { status: 'executing' }),
  task('e', { dependencies: ['f'] }),
  task('f'),
];

const faults = (edit: PlannedTask[], maxTasks = 5) =>
  planEditFaults(edit, { tasks: TASKS, maxTasks, has: ['read_file'] }).join(' ');

test.each<[string, PlannedTask[], string]>([
  ['new tasks', [task('g', { dependencies: ['a', 'd'] }), task('h')], ''],
  ['a task that needs what there is', [task('g', { requiredCapabilities: ['Read_File'] })], ''],
  [
    'a task that needs what nothing has',
    [task('g', { requiredCapabilities: ['read_file', 'web'] })],
    'Task g needs web, which is not available.',
  ],
  ['a task that has not begun', [task('e', { description: 'Otherwise' })], ''],
  ['a completed task', [task('a')], 'Task a is completed and can not be changed: give new work a new id.'],
  ['the task at work', [task('d')], 'Task d has begun already and can not be changed'],
  ['a blocked task', [task('c')], 'Task c is blocked and can not be changed'],
  [
    'a task behind one that failed',
    [task('g', { dependencies: ['b'] })],
    'Task g would never begin: b has failed.',
  ],
  [
    'tasks that wait for each other',
    [task('f', { dependencies: ['e'] })],
    'These tasks would wait for each other: ',
  ],
  [
    'more tasks than may be open',
    [task('g'), task('h'), task('i')],
    'The plan would have 6 open tasks, and the limit tasks is 5: give fewer, or raise the limit first.',
  ],
  [
    'more text than a plan holds',
    [task('g', { description: 'x'.repeat(PLAN_BYTES) })],
    `The plan would be over ${PLAN_BYTES} bytes`,
  ],
])('plan edit: %s → refused with the reason, or all of it counts (L17, PR2)', (_, edit, fault) => {
  if (fault === '') expect(faults(edit)).toBe('');
  else expect(faults(edit)).toContain(fault);
});

test('notDoneText: tasks of a person that a goal ended without → named; others, or done → not (PR2)', () => {
  const by = { byPerson: true } as const;
  const tasks = [
    ...TASKS,
    task('g', by),
    task('h', { ...by, status: 'executing' }),
    task('i', { ...by, status: 'skipped' }),
  ];
  expect(notDoneText(tasks, 'turn_cap')).toBe('Not done: g (Do g); h (Do h).');
  expect(notDoneText(TASKS, 'turn_cap')).toBe('');
});
