/** Verbs that change an open run: `steer`, `follow-up`, `pause` and similar, `plan`, `budget` and `model`. */

import { definedOptions, EXIT, readJson, readLimits, taskLine } from '@steersman/print';
import type { Context } from '@steersman/session';
import { type Command, Option } from 'commander';
import { anyOf, plural } from 'steersman/base';
import {
  type Asked,
  DEFAULT_LIMITS,
  type Run,
  type SentMessage,
  STEER_TIMES,
  type SteerTime,
} from 'steersman/client';
import { READERS } from 'steersman/run';
import { startCall, terminalText, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb, onRun, runVerb, withRun } from '../command/command.js';
import { readWords } from '../command/start-options.js';

interface SteerOptions extends CommonOptions {
  when: SteerTime;
  to?: string;
}

const WHEN = `
When it takes effect:
  skip         the tool call in progress ends, the rest of its batch is skipped, then it is read
  after-batch  all tool calls that were asked for run first
  interrupt    the model call in progress, or a tool call that may be, is cut off`;

export function addSteer(program: Command): void {
  const about = 'Say something to the running goal; the run tells what will happen to it.';
  const verb = runVerb(program, 'steer', about)
    .argument('<text>', 'what to say, in quotes; - reads it from stdin')
    .addOption(new Option('--when <when>', 'when it takes effect').choices(STEER_TIMES).default('skip'))
    .option(
      '--to <reader>',
      `${anyOf([...READERS, 'a sub-agent, such as search/1'])} (default: the one at work)`,
    )
    .addHelpText('after', WHEN);
  describeVerb(verb, [
    verbCall('steer my-run "Leave the tests out"'),
    verbCall('steer my-run "Stop, wrong folder: use ./site" --when interrupt'),
  ]).action(async (id: string, words: string, options: SteerOptions, command: Command) => {
    const text = await readWords(words, command, 2, 'text');
    const { when, to } = options;
    await withRun(options, id, async (run, context) =>
      printReceipt(context, id, await run.steer(text, { when, ...definedOptions({ to }) })),
    );
  });
}

export function addFollowUp(program: Command): void {
  const about = 'Queue the next goal of a run: it begins when the current one is answered.';
  const verb = runVerb(program, 'follow-up', about).argument(
    '<text>',
    'the next goal, in quotes; - reads it from stdin',
  );
  describeVerb(verb, [verbCall('follow-up my-run "Now the same for the folder docs"')]).action(
    async (id: string, words: string, options: CommonOptions, command: Command) => {
      const text = await readWords(words, command, 2, 'text');
      await withRun(options, id, async (run, context) => printReceipt(context, id, await run.followUp(text)));
    },
  );
}

/** Prints the receipt. A dropped message is an error of the call. */
function printReceipt({ output }: Context, id: string, { id: messageId, state, how }: SentMessage): number {
  const dropped = state === 'dropped';
  if (output.json) output.value({ id, messageId, state, how: how || null });
  else if (dropped) output.notes.line(`Not taken: ${terminalText(how)}`);
  else if (state !== 'sent') output.out.line(`${state}: ${terminalText(how)}`);
  else {
    output.out.line('Sent.');
    output.notes.line(
      `No worker has taken it yet: it is read when one serves the run (${startCall('--resume-open')}).`,
    );
  }
  return dropped ? EXIT.usage : EXIT.ok;
}

interface SwitchVerb {
  description: string;
  ask(run: Run, reason?: string): Promise<Asked>;
  effect: string;
  /** The example's `--reason`; undefined if the verb takes no reason. */
  reason?: string;
}

const SWITCHES: Record<string, SwitchVerb> = {
  pause: {
    description: 'Hold a run before its next model or tool call.',
    ask: (run, reason) => run.pause(reason),
    effect: 'It holds before its next model or tool call',
    reason: ' --reason "lunch"',
  },
  resume: {
    description: 'Let a paused run and all its paused sub-agents go on.',
    ask: (run, reason) => run.resume(reason),
    effect: 'It and its sub-agents go on, if they were paused',
    reason: '',
  },
  finish: {
    description: 'End a run that is kept open for follow-ups, when its goal is answered and nothing waits.',
    ask: run => run.finish(),
    effect: 'It ends when its goal is answered and nothing waits',
  },
  stop: {
    description: 'Ask a run to end with the results so far, without another model call.',
    ask: (run, reason) => run.stop(reason),
    effect: 'It ends with the results so far',
    reason: ' --reason "the goal was wrong"',
  },
  cancel: {
    description: "Cancel a run: Temporal's own way. `stop` is the gentler one.",
    ask: run => run.cancel(),
    effect: 'It ends as cancelled',
  },
};

export function addSwitches(program: Command): void {
  for (const [name, { description, ask, effect, reason: example }] of Object.entries(SWITCHES)) {
    const verb = runVerb(program, name, description);
    if (example !== undefined) verb.option('--reason <text>', 'why; the journal keeps it', '');
    describeVerb(verb, [verbCall(`${name} my-run${example ?? ''}`)]).action(
      onRun(async (run, { output }, { reason }: { reason?: string }) => {
        const { served } = await ask(run, reason);
        if (output.json) output.value({ id: run.id, requested: name, served });
        else output.out.line(`Asked ${run.id} to ${name}. ${effect}.`);
        if (!served)
          output.notes.line(
            `No worker serves it now: it does when one does (${startCall('--resume-open')}).`,
          );
      }),
    );
  }
}

export function addPlan(program: Command): void {
  const about = "Show a run's tasks, or first add, change or remove some that have not begun.";
  const verb = runVerb(program, 'plan', about)
    .option(
      '--tasks <json>',
      'tasks as JSON: an existing id changes the given fields of its task, a new id adds a task',
    )
    .option('--remove <ids...>', 'ids of tasks to remove');
  describeVerb(verb, [
    verbCall('plan my-run'),
    verbCall(`plan my-run --tasks '[{"id": "task-3", "description": "Read docs/ too"}]'`),
    verbCall('plan my-run --remove task-4'),
  ]).action(async (id: string, options: CommonOptions & { tasks?: string; remove?: string[] }) => {
    const { remove = [] } = options;
    const tasks =
      readJson<{ id: string }[]>('--tasks', options.tasks, 'array') ?? (remove.length > 0 ? [] : null);
    await withRun(options, id, async (run, { output }) => {
      if (tasks !== null)
        output.notes.line(`Changed: the plan has ${plural(await run.editPlan(tasks, { remove }), 'task')}.`);
      const { tasks: shown } = await run.show();
      if (output.json) output.value({ id, tasks: shown });
      else if (shown.length === 0) output.notes.line('It has no tasks.');
      else for (const task of shown) output.out.line(taskLine(task));
    });
  });
}

export function addBudget(program: Command): void {
  const verb = runVerb(
    program,
    'budget',
    'Change limits of a run; they count from its next step on.',
  ).argument('<limits...>', `name=value: ${Object.keys(DEFAULT_LIMITS).join(', ')}`);
  describeVerb(verb, [
    verbCall('budget my-run tokens=2000000 turns=200'),
    verbCall('budget my-run costUsd=none'),
  ]).action(async (id: string, words: string[], options: CommonOptions) => {
    const limits = readLimits(words);
    await withRun(options, id, async (run, { output }) => {
      await run.setBudget(limits);
      if (output.json) output.value({ id, limits });
      else output.out.line(`Changed: ${words.join(', ')}.`);
    });
  });
}

export function addModel(program: Command): void {
  const verb = runVerb(
    program,
    'model',
    "Show each role's models; with a model, change them from the next call on. The run's configuration must name that model.",
  )
    .argument('[model]', 'endpoint/model')
    .option('--role <role>', 'only for this role (default: all roles)');
  describeVerb(verb, [
    verbCall('model my-run'),
    verbCall('model my-run anthropic/claude-sonnet-5'),
    verbCall('model my-run --role executor openai/gpt-5'),
  ]).action(
    onRun(async (run, { output }, model: string | undefined, { role }: { role?: string }) => {
      if (model !== undefined) {
        const roles = await run.setModel(model, definedOptions({ role }));
        output.notes.line(`Changed, from the next call on: ${roles.join(', ')}.`);
      }
      const { models } = await run.state();
      if (output.json) output.value({ id: run.id, models });
      else
        for (const [name, chain] of Object.entries(models)) output.out.line(`${name}: ${chain.join(', ')}`);
    }),
  );
}
