import { expect, test, vi } from 'vitest';
import { jsonBytes } from '../../../../src/base/json/json.js';
import { INPUT_BYTES, PLAN_BYTES } from '../../../../src/base/sizes/bounds.js';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { leftOut, notDoneText, planEditFaults } from '../../../../src/rules/plan/plan-edit.js';
import type { PlannedTask, TaskChange } from '../../../../src/run/plan/plan.js';
import { REMOVED } from '../../../../src/run/plan/plan.js';
import { task } from '../../../support/core-values.js';

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
  ['a completed task', [task('a')], 'Task a is completed and cannot be changed: give new work a new id.'],
  ['the task at work', [task('d')], 'Task d has begun already and cannot be changed'],
  ['a blocked task', [task('c')], 'Task c is blocked and cannot be changed'],
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
  ['a long text', [task('g', { description: 'x'.repeat(20_000) })], ''],
  [
    'a criterion that a plan does not hold',
    [task('g', { completionCriteria: 'x'.repeat(PLAN_BYTES) })],
    `The plan would be over ${PLAN_BYTES} bytes`,
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

test('leftOut: a list of all that is to be done → the open tasks that are not in it (L17)', () => {
  expect(leftOut(TASKS, { tasks: [{ id: 'f' }, { id: 'new' }] })).toEqual(['e']);
});

test('leftOut: a list of a person who did not see all → what they did not see stays (L17)', () => {
  expect(leftOut(TASKS, { tasks: [{ id: 'new' }], shown: ['f', 'd'] })).toEqual(['f']);
});

test.each<[string, TaskChange, string]>([
  ['a change of its words alone', { id: 'e', description: 'Otherwise' }, ''],
  [
    'a dependency that it has, on a task that failed',
    { id: 'g2', description: 'Otherwise' },
    'Task g2 would never begin: b has failed.',
  ],
  ['the same, without that dependency', { id: 'g2', dependencies: [] }, ''],
  ['a circle with a dependency that is there', { id: 'f', dependencies: ['e'] }, 'would wait for each other'],
])('plan edit: %s → judged as the task that it makes (L17)', (_, change, fault) => {
  const tasks = [...TASKS, task('g2', { dependencies: ['b'] })];
  const found = planEditFaults([change], { tasks, maxTasks: 5, has: null }).join(' ');
  if (fault === '') expect(found).toBe('');
  else expect(found).toContain(fault);
});

test('notDoneText: tasks of a person that a goal ended without → named; others, or done → not (PR2)', () => {
  const by = { byPerson: true } as const;
  const tasks = [
    ...TASKS,
    task('g', by),
    task('h', { ...by, status: 'executing' }),
    task('i', { ...by, status: 'skipped', reason: 'skipped', result: 'There is no such file.' }),
    task('j', { ...by, status: 'skipped', reason: REMOVED }),
    task('k', { ...by, status: 'completed' }),
  ];
  const skipped = 'i (Do i) [skipped: There is no such file.]';
  expect(notDoneText(tasks, 'turn_cap', BUILT_IN_WORDS.en)).toBe(`Not done: g (Do g); h (Do h); ${skipped}.`);
  expect(notDoneText(TASKS, 'turn_cap', BUILT_IN_WORDS.en)).toBe('');
});

test('planEditFaults: a full plan, and an edit of other fields than its texts → refused, as none of it would count (PR2)', () => {
  const full = Array.from({ length: 80 }, (_, n) =>
    task(`task-${n}`, { description: 'x'.repeat(300), byPerson: true }),
  );
  const space = PLAN_BYTES - jsonBytes(full.map(each => ({ ...each, result: null, said: [] })));
  const tasks = [{ ...task('big', { byPerson: true }), description: '' }, ...full];
  const bytes = jsonBytes({ ...tasks[0], said: [] }) + 1;
  tasks[0] = task('big', { byPerson: true, description: 'x'.repeat(space - bytes) });
  const edit = { id: 'task-0', priority: 7, dependencies: ['task-1', 'task-2'] };
  const given = { tasks, maxTasks: 200, has: [] };
  expect(planEditFaults([edit], given).join(' ')).toContain('The plan would be over');
});

test('planEditFaults: a refused edit of 200 tasks, as large as an input may be → each is measured a few times (PR2)', () => {
  const description = 'x'.repeat(INPUT_BYTES / 200);
  const edit = Array.from({ length: 200 }, (_, n) => ({ id: `new-${n}`, description }));
  const stringify = vi.spyOn(JSON, 'stringify');
  try {
    expect(planEditFaults(edit, { tasks: [], maxTasks: 200, has: null }).join(' ')).toContain(
      'would be over',
    );
    const measured = stringify.mock.results.reduce((chars, { value }) => chars + String(value).length, 0);
    expect(measured).toBeLessThan(10 * INPUT_BYTES);
  } finally {
    stringify.mockRestore();
  }
});

test('WK18 notDoneText: a task that the report on another gave up → named, also in a goal that is done', () => {
  const tasks = [task('g', { status: 'completed' }), task('h', { status: 'skipped', reason: 'echoed' })];
  expect(notDoneText(tasks, 'verified', BUILT_IN_WORDS.en)).toBe(
    'Not done: h (Do h) [skipped: by the report on another task].',
  );
});

test('CF8 notDoneText: a run in another language → in that language', () => {
  const [first] = TASKS;
  if (!first) throw new Error('there is a task');
  const tasks = [{ ...first, status: 'failed' as const, reason: 'echoed' }];
  expect(notDoneText(tasks, 'verified', BUILT_IN_WORDS.zh)).toMatch(/^未完成：.*由另一项任务的报告得出.*。$/);
});
