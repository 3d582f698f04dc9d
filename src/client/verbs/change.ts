/** `plan` and `budget`: changing tasks and limits of a run in flight. */
import type { Command } from 'commander';
import { DEFAULT_LIMITS } from '../../core/limits.js';
import { plural } from '../../print/format.js';
import { readLimits } from '../../print/limit-words.js';
import { taskLine } from '../../print/plan-lines.js';
import { readRun } from '../../print/show-run.js';
import { EXIT } from '../exit-codes.js';
import { describeRun } from '../runs/runs.js';
import { editPlan, setBudget } from '../runs/send.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';
import { readJson } from './json-argument.js';

export function addPlan(program: Command): void {
  const verb = program
    .command('plan')
    .description("Show a run's tasks, or with --tasks first add some and change those that have not begun.")
    .argument('<id>', 'id of the run')
    .option('--tasks <json>', 'tasks as JSON: an id that exists is changed, another is added');
  describeVerb(verb, [
    'npm run client -- plan my-run',
    `npm run client -- plan my-run --tasks '[{"id": "task-3", "description": "Read docs/ too"}]'`,
  ]).action(async (id: string, options: CommonOptions & { tasks?: string }) => {
    const tasks = readJson('--tasks', options.tasks, 'array');
    await withTemporal(options, async ({ temporal, output }) => {
      if (tasks !== null) {
        const done = await editPlan(temporal, id, tasks);
        output.notes.line(`Changed: the plan has ${plural(done.tasks, 'task')}.`);
      }
      const { shown } = await readRun(temporal, await describeRun(temporal, id));
      if (output.json) output.value({ id, tasks: shown.tasks });
      else if (shown.tasks.length === 0) output.notes.line('It has no tasks yet.');
      else for (const task of shown.tasks) output.out.line(taskLine(task));
      return EXIT.ok;
    });
  });
}

export function addBudget(program: Command): void {
  const names = Object.keys(DEFAULT_LIMITS);
  const verb = program
    .command('budget')
    .description('Change limits of a run; they count from its next step on.')
    .argument('<id>', 'id of the run')
    .argument('<limits...>', `name=value: ${names.join(', ')}`);
  describeVerb(verb, [
    'npm run client -- budget my-run tokens=2000000 turns=200',
    'npm run client -- budget my-run costUsd=none',
  ]).action(async (id: string, words: string[], options: CommonOptions) => {
    const limits = readLimits(words);
    await withTemporal(options, async ({ temporal, output }) => {
      await setBudget(temporal, id, limits);
      if (output.json) output.value({ id, limits });
      else output.out.line(`Changed: ${words.join(', ')}.`);
      return EXIT.ok;
    });
  });
}
