/** `plan`, `budget` and `model`: changing tasks, limits and models of a run in flight. */

import type { Command } from 'commander';
import { DEFAULT_LIMITS } from '../../core/limits/limits.js';
import { verbCall } from '../../shared/called-as.js';
import { plural } from '../../shared/format.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { readJson } from '../json-argument.js';
import { readLimits } from '../print/limit-words.js';
import { taskLine } from '../print/plan-lines.js';

export function addPlan(program: Command): void {
  const verb = program
    .command('plan')
    .description("Show a run's tasks, or with --tasks first add some and change those that have not begun.")
    .argument('<id>', 'id of the run')
    .option(
      '--tasks <json>',
      'tasks as JSON: an id that exists is changed in the fields that are given, another is added',
    );
  describeVerb(verb, [
    verbCall('plan my-run'),
    verbCall(`plan my-run --tasks '[{"id": "task-3", "description": "Read docs/ too"}]'`),
  ]).action(async (id: string, options: CommonOptions & { tasks?: string }) => {
    const tasks = readJson('--tasks', options.tasks, 'array');
    await withRun(options, id, async (run, { output }) => {
      if (tasks !== null) {
        const count = await run.editPlan(tasks as { id: string }[]);
        output.notes.line(`Changed: the plan has ${plural(count, 'task')}.`);
      }
      const { tasks: shown } = await run.show();
      if (output.json) output.value({ id, tasks: shown });
      else if (shown.length === 0) output.notes.line('It has no tasks yet.');
      else for (const task of shown) output.out.line(taskLine(task));
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
    verbCall('budget my-run tokens=2000000 turns=200'),
    verbCall('budget my-run costUsd=none'),
  ]).action(async (id: string, words: string[], options: CommonOptions) => {
    const limits = readLimits(words);
    await withRun(options, id, async (run, { output }) => {
      await run.setBudget(limits);
      if (output.json) output.value({ id, limits });
      else output.out.line(`Changed: ${words.join(', ')}.`);
      return EXIT.ok;
    });
  });
}

export function addModel(program: Command): void {
  const verb = program
    .command('model')
    .description(
      "Show each role's models; with a model, change them from the next call on. The run's configuration must name that model.",
    )
    .argument('<id>', 'id of the run')
    .argument('[model]', 'endpoint/model')
    .option('--role <role>', 'of this role alone (default: of all)');
  describeVerb(verb, [
    verbCall('model my-run'),
    verbCall('model my-run anthropic/claude-sonnet-5'),
    verbCall('model my-run --role executor openai/gpt-5'),
  ]).action(async (id: string, model: string | undefined, options: CommonOptions & { role?: string }) => {
    const { role } = options;
    await withRun(options, id, async (run, { output }) => {
      if (model !== undefined) {
        const roles = await run.setModel(model, role === undefined ? {} : { role });
        output.notes.line(`Changed, from the next call on: ${roles.join(', ')}.`);
      }
      const { models } = await run.state();
      if (output.json) output.value({ id, models });
      else
        for (const [name, chain] of Object.entries(models)) output.out.line(`${name}: ${chain.join(', ')}`);
      return EXIT.ok;
    });
  });
}
