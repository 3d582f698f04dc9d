/** `schedule`: manages runs that Temporal starts repeatedly. */

import { definedOptions, secondsOf } from '@steersman/print';
import type { Context } from '@steersman/session';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { preview } from 'steersman/base';
import { OVERLAPS, type Overlap, type ScheduleOptions, type ScheduleSnapshot } from 'steersman/client';
import { scriptCall, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb, withClient } from '../command/command.js';
import { addRunOptions, readWords, type StartWords, startOptions } from '../command/start-options.js';

export function addSchedule(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('Have Temporal start unattended runs at set times.');
  addCreate(schedule);
  addList(schedule);
  addOne(schedule, 'show', 'Show a schedule: what it starts, when, and its latest runs.', showOne);
  for (const [name, description] of [
    ['pause', 'Hold a schedule: it starts nothing. A run that is open goes on.'],
    ['resume', 'Let a held schedule start runs again.'],
  ] as const)
    addOne(
      schedule,
      name,
      description,
      async (id, context, { note }) => {
        await context.client.schedules[name](id, definedOptions({ note }));
        await showOne(id, context);
      },
      new Option('--note <text>', 'why; the schedule keeps it'),
    );
  const about = 'Start a run of a schedule now, also of one that is held.';
  addOne(schedule, 'trigger', about, async (id, { client, output }) => {
    const run = await client.schedules.trigger(id);
    if (output.json) return output.value({ id, run });
    if (run === null) return output.out.line('No run was started: an earlier one is still open.');
    output.out.line(`Started ${run}`);
    output.out.line(`Watch   ${verbCall(`watch ${run}`)}`);
  });
  addOne(schedule, 'delete', 'Remove a schedule. Runs that it has started go on.', async (id, context) => {
    const { client, output } = context;
    await client.schedules.delete(id);
    if (output.json) output.value({ id, deleted: true });
    else output.out.line(`Deleted ${id}.`);
  });
}

function addOne(
  schedule: Command,
  name: string,
  description: string,
  work: (id: string, context: Context, options: { note?: string }) => Promise<void>,
  option?: Option,
): void {
  const verb = schedule.command(name).description(description).argument('<id>', 'id of the schedule');
  if (option) verb.addOption(option);
  describeVerb(verb, [verbCall(`schedule ${name} nightly`)]).action(
    (id: string, options: CommonOptions & { note?: string }) =>
      withClient(options, async context => void (await work(id, context, options))),
  );
}

interface CreateWords extends StartWords, CommonOptions {
  cron?: string[];
  every?: number;
  timezone?: string;
  overlap: Overlap;
  paused?: boolean;
  replace?: boolean;
}

function addCreate(schedule: Command): void {
  const verb = schedule
    .command('create')
    .description('Make a schedule. The id of each run is that of the schedule with the time of the start.')
    .argument('<id>', 'id of the schedule, such as nightly-report')
    .argument('<goal>', 'what the team should do each time, in quotes; - reads it from stdin')
    .option(
      '--cron <expression>',
      'minute hour day-of-month month day-of-week, repeatable',
      (expression: string, before: string[] = []) => [...before, expression],
    )
    .option('--every <time>', 'instead of --cron: 90s, 30m, 6h, 2d', every)
    .option('--timezone <name>', 'time zone of --cron, such as Europe/Paris (default: UTC)')
    .addOption(
      new Option('--overlap <policy>', 'what to do if the previous run is still open')
        .choices(OVERLAPS)
        .default('skip'),
    )
    .option('--paused', 'it starts nothing until it is resumed')
    .option('--replace', 'change the schedule that has this id');
  describeVerb(addRunOptions(verb), [
    verbCall(
      'schedule create nightly "Say what changed in this folder" --cron "30 2 * * *" --timezone Europe/Paris --task-queue nightly',
    ),
    verbCall('schedule create watch "Look for dead links" --every 6h --limit turns=20 --task-queue nightly'),
    `${scriptCall('worker', '--task-queue nightly')}   (a worker that serves them, in the folders that its steersman.yaml lists under workspaces)`,
  ]).action(async (id: string, argument: string, words: CreateWords, command: Command) => {
    const goal = await readWords(argument, command, 2, 'goal');
    const options = await scheduleOptions(words);
    await withClient(words, async context => {
      await context.client.schedules.create(id, goal, options);
      await showOne(id, context);
    });
  });
}

async function scheduleOptions(words: CreateWords): Promise<ScheduleOptions> {
  const { cron, every: everySeconds, timezone, overlap, paused, replace, ...start } = words;
  const times = definedOptions({ cron, everySeconds, timezone, paused, replace });
  return { ...(await startOptions(start)), ...times, overlap };
}

function every(words: string): number {
  const seconds = secondsOf(words);
  if (seconds !== null) return seconds;
  throw new InvalidArgumentError('Write it like 90s, 30m, 6h or 2d.');
}

function addList(schedule: Command): void {
  const verb = schedule.command('list').description('List the schedules: id, when, the next start, goal.');
  describeVerb(verb, [verbCall('schedule list')]).action(async (options: CommonOptions) => {
    await withClient(options, async ({ client, output }) => {
      let count = 0;
      for await (const each of client.schedules.list()) {
        if (output.json) output.value(each);
        else output.out.line(`${each.id}  ${each.when}  ${nextText(each)}  ${preview(each.goal, 80)}`);
        count += 1;
      }
      if (count === 0) output.notes.line('There are no schedules.');
    });
  });
}

const NEXT_SHOWN = 3;

async function showOne(id: string, { client, output: { json, out, value } }: Context): Promise<void> {
  const schedule = await client.schedules.show(id);
  if (json) return value(schedule);
  const { goal, when, overlap, taskQueue, note, runs, open, started, skipped, settings } = schedule;
  const rows: [string, string][] = [
    ['schedule', id],
    ['goal', preview(goal, 300)],
    ['when', when],
    ['next', nextText(schedule, NEXT_SHOWN)],
    ['note', note],
    ['overlap', overlap ?? ''],
    ['mode', settings?.mode ?? ''],
    ['workspace', settings?.workspace ?? ''],
    ['task queue', taskQueue],
    ['starts', `${started}${skipped > 0 ? `, ${skipped} skipped since a run was open` : ''}`],
    ['open', open.join(', ')],
    ...runs.slice(0, NEXT_SHOWN).map((run): [string, string] => ['run', run.id]),
  ];
  for (const [name, text] of rows) if (text !== '') out.line(`${name.padEnd(11)}${text}`);
}

function nextText({ paused, next }: ScheduleSnapshot, count = 1): string {
  if (paused) return 'paused';
  return next.length === 0 ? 'no more' : next.slice(0, count).join(', ');
}
