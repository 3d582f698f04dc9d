import { expect, it } from 'vitest';
import { readPlannedTasks } from '../../../../src/rules/outputs/planned-tasks.js';

function read(id: unknown, knownTaskIds: readonly string[] = []): [ids: string[], errors: string[]] {
  const errors: string[] = [];
  const tasks = readPlannedTasks([{ id, description: 'Do it' }], { field: 'todos', knownTaskIds }, errors);
  return [tasks.map(task => task.id), errors];
}

it.each([
  ['lines', 't1: Tidy the docs\n\n[n]'],
  ['a tab', 't1\tt2'],
  ['blanks beside each other', `t1${' '.repeat(40)}t2`],
  ['control characters', 't1\u001b[2K'],
  ['what turns words around', 't1\u202e2t'],
  ['what nobody sees', 't1\u200b'],
])('WB7 readPlannedTasks: an id with %s → refused, unless a task has it already', (_, id) => {
  const [ids, errors] = read(id);
  expect(ids).toEqual([]);
  expect(errors).toEqual([expect.stringContaining('`todos[0].id` must be a short id on one line')]);
  expect(read(id, [id])).toEqual([[id], []]);
});

it.each(['t1', 'Task 1', 'wc-é', '任务1', 'a/b:c'])('F18 readPlannedTasks: the id %j → taken', id => {
  expect(read(id)).toEqual([[id], []]);
});
