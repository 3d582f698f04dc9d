/** `schedule`: runs that Temporal starts again and again. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { OVERLAPS, type Overlap, type ScheduleOptions, type ScheduleSnapshot } from '../../client/index.js';
import { preview } from '../../core/text/preview.js';
import { scriptCall, verbCall } from '../../shared/called-as.js';
import type { Output } from '../../shared/output.js';
import { type CommonOptions, type Context, describeVerb, withClient } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { secondsOf } from '../since.js';
import { addRunOptions, readWords, type StartWords, startOptions } from '../start-options.js';

export function addSchedule(program: Command): void {
  const schedule = program
    .command('schedule')
    .description('Have Temporal start runs by the clock, with nobody there.');
  addCreate(schedule);
  addList(schedule);
  addShow(schedule);
  addSwitch(schedule, 'pause', 'Hold a schedule: it starts nothing. A run that is open goes on.');
  addSwitch(schedule, 'resume', 'Let a held schedule start runs again.');
  addTrigger(schedule);
  addDelete(schedule);
}

interface CreateWords extends StartWords, CommonOptions {
  cron?: string[];
  /** Seconds. */
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
    .option('--cron <expression>', 'minute hour day-of-month month day-of-week, repeatable', addCron)
    .option('--every <time>', 'instead of --cron: 90s, 30m, 6h, 2d', every)
    .option('--timezone <name>', 'of --cron, such as Europe/Paris (default: UTC)')
    .addOption(
      new Option('--overlap <policy>', 'what to do while the run before is open')
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
    await withClient(words, async ({ client, output }) => {
      await client.schedules.create(id, goal, options);
      showOne(output, await client.schedules.show(id));
      return EXIT.ok;
    });
  });
}

async function scheduleOptions(words: CreateWords): Promise<ScheduleOptions> {
  const { cron, every: everySeconds, timezone, overlap, paused, replace, ...start } = words;
  return {
    ...(await startOptions(start)),
    ...(cron === undefined ? {} : { cron }),
    ...(everySeconds === undefined ? {} : { everySeconds }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(paused === undefined ? {} : { paused }),
    ...(replace === undefined ? {} : { replace }),
    overlap,
  };
}

function addCron(expression: string, before: string[] = []): string[] {
  return [...before, expression];
}

function every(words: string): number {
  const seconds = secondsOf(words);
  if (seconds !== null) return seconds;
  throw new InvalidArgumentError('It must be such as 90s, 30m, 6h or 2d.');
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
      return EXIT.ok;
    });
  });
}

function addShow(schedule: Command): void {
  addOne(
    schedule,
    'show',
    'Show a schedule: what it starts, when, and its latest runs.',
    async (id, context) => {
      showOne(context.output, await context.client.schedules.show(id));
    },
  );
}

function addSwitch(schedule: Command, name: 'pause' | 'resume', description: string): void {
  const verb = schedule
    .command(name)
    .description(description)
    .argument('<id>', 'id of the schedule')
    .option('--note <text>', 'why; the schedule keeps it');
  describeVerb(verb, [verbCall(`schedule ${name} nightly`)]).action(
    async (id: string, { note, ...options }: CommonOptions & { note?: string }) => {
      await withClient(options, async ({ client, output }) => {
        await client.schedules[name](id, note === undefined ? {} : { note });
        showOne(output, await client.schedules.show(id));
        return EXIT.ok;
      });
    },
  );
}

function addTrigger(schedule: Command): void {
  const description = 'Start a run of a schedule now, also of one that is held.';
  addOne(schedule, 'trigger', description, async (id, { client, output }) => {
    const run = await client.schedules.trigger(id);
    if (output.json) return output.value({ id, run });
    if (run === null) return output.out.line('None was started now: a run of it is open.');
    output.out.line(`Started ${run}`);
    output.out.line(`Watch   ${verbCall(`watch ${run}`)}`);
  });
}

function addDelete(schedule: Command): void {
  const description = 'Remove a schedule. Runs that it has started go on.';
  addOne(schedule, 'delete', description, async (id, { client, output }) => {
    await client.schedules.delete(id);
    if (output.json) output.value({ id, deleted: true });
    else output.out.line(`Deleted ${id}.`);
  });
}

/** Adds a verb about one schedule. */
function addOne(
  schedule: Command,
  name: string,
  description: string,
  work: (id: string, context: Context) => Promise<void>,
): void {
  const verb = schedule.command(name).description(description).argument('<id>', 'id of the schedule');
  describeVerb(verb, [verbCall(`schedule ${name} nightly`)]).action(
    async (id: string, options: CommonOptions) => {
      await withClient(options, async context => {
        await work(id, context);
        return EXIT.ok;
      });
    },
  );
}

const NEXT_SHOWN = 3;

function showOne({ json, out, value }: Output, schedule: ScheduleSnapshot): void {
  if (json) {
    value(schedule);
    return;
  }
  const { id, goal, when, overlap, taskQueue, note, runs, open, started, skipped, settings } = schedule;
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
