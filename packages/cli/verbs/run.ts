/** Runs a goal from start to answer (`steersman "…"`, in a checkout `npm start -- "…"`); the verbs `start` and `watch`. */

import {
  definedOptions,
  EXIT,
  endLine,
  exitCodeOf,
  PlainView,
  printEnd,
  resultLine,
  showEvents,
  traceLines,
} from '@steersman/print';
import type { Context } from '@steersman/session';
import {
  isTerminal,
  NOTIFY_HELP,
  Notifier,
  notifyOption,
  runSession,
  type SessionOptions,
  trustForStart,
  webHook,
} from '@steersman/session';
import type { Command } from 'commander';
import { errorText, plural } from 'steersman/base';
import type { Run, RunEnd, RunEvent } from 'steersman/client';
import {
  type Output,
  quietStartCall,
  quietVerbCall,
  ringBell,
  startCall,
  terminalText,
  verbCall,
} from 'steersman/shared';
import { type CommonOptions, describeVerb, runVerb, withClient, withRun } from '../command/command.js';
import type { ReadStart } from '../command/start-options.js';
import { addStartOptions, readStart, type StartWords, startOptions } from '../command/start-options.js';

/** After its session has ended, a run waits this long for the next goal. */
const SESSION_OPEN_SECONDS = 600;

interface RunOptions extends StartWords, CommonOptions {
  resumeOpen?: boolean;
  notify?: URL;
}

export function addRun(program: Command): Command {
  addStartOptions(program)
    .description(
      'Runs a goal to its end and prints the answer: starts the local stack (unless TEMPORAL_ADDRESS is set), the run and its live view.',
    )
    .argument('[goal]', 'what the team should do, in quotes; - reads it from stdin')
    .option('--notify <url>', NOTIFY_HELP, notifyOption)
    .option('--resume-open', 'go on with the runs that an earlier session left open')
    .action(run);
  return describeVerb(program, [
    startCall('"Summarise what is in this folder"'),
    startCall('"Fix the typos in README.md" --workspace ../site --yes'),
    startCall('--prompt git:review branch=main'),
    quietStartCall('"How many tests are there?" --json'),
  ]).addHelpText('after', IN_A_TERMINAL);
}

const NOBODY_ATTENDS =
  'No person attends this run, so a call that must ask is refused. --attended waits for an answer from another terminal, --yes approves.';

const IN_A_TERMINAL = `
In a terminal: Enter sends what you type to the running team, Alt+Enter queues the next goal, Esc interrupts,
/help tells the rest. What needs your consent is asked there; after the answer a line is the next goal, and
Ctrl-C leaves. Elsewhere: what would be asked is refused, unless --yes approves it or --attended waits for an
answer from another terminal; Ctrl-C asks the run to stop with the results so far, and a second one leaves it
running in the background.
Exit codes: 0 completed or answered; 3 an answer that was to be verified and was not, cut by a budget or
stopped; 1 failed; 130 cancelled or left running; 2 when the call itself was wrong.`;

async function run(goal: string | undefined, options: RunOptions, command: Command): Promise<void> {
  const resume = options.resumeOpen === true;
  await trustForStart(options);
  const interactive = isTerminal() && options.json !== true;
  const session = interactive ? { attended: true, keepOpen: options.keepOpen ?? SESSION_OPEN_SECONDS } : {};
  const words = { ...options, ...session };
  const onlyResumes = resume && goal === undefined && options.prompt === undefined;
  const read = onlyResumes ? null : await readStart(goal, words, command);
  const { configDir } = await startOptions(words);
  await withClient(options, async context => {
    if (resume) await resumeLeftOpen(context, configDir);
    else await tellLeftOpen(context);
    return read === null ? EXIT.ok : runGoal(context, read, options.notify, interactive);
  });
}

/**
 * Runs a goal to its end and prints the answer on stdout; the plan, a line for each task and its end go to stderr. With
 * `--json`, stdout gets the journal and then the result. Ctrl-C asks the run to stop, a second one detaches.
 */
async function runGoal(context: Context, read: ReadStart, notify: URL | undefined, interactive: boolean) {
  const { client, output } = context;
  const { goal, start } = read;
  const run = await client.start(goal, start);
  tellWhere(output, run);
  if (interactive) await openConsole(context, run);
  else if (!output.json && !start.attended && !start.autoApprove) output.notes.line(NOBODY_ATTENDS);
  const view = new PlainView(output.notes, { runId: run.id, brief: true });
  return following(context, run, notify, {
    session: interactive ? { goal, owned: !run.joined, config: start.configDir } : null,
    show: event => {
      if (output.json && 'seq' in event) output.value(event);
      else if (!output.json || event.type === 'notice') view.show(event);
    },
    interrupted: (press, detach) => {
      if (press > 1) return detach();
      output.notes.line(
        'Stopping the run with the results so far. Ctrl-C again leaves it alone and ends only this view.',
      );
      run
        .stop('Ctrl-C')
        .catch(error => output.notes.line(`The run could not be asked to stop: ${errorText(error)}`));
    },
    left: [
      `The run ${run.id} is left to its worker.`,
      `Watch it: ${verbCall(`watch ${run.id}`)}`,
      `Stop it:  ${verbCall(`stop ${run.id}`)}`,
    ],
    ended: end => {
      if (output.json) output.value(resultLine(end));
      else printEnd(output, end);
    },
  });
}

export function addStart(program: Command): void {
  const verb = program
    .command('start')
    .description('Start a run and return; its worker goes on in the background.')
    .argument('[goal]', 'what the team should do, in quotes; - reads it from stdin');
  describeVerb(addStartOptions(verb), [
    verbCall('start "Summarise what is in this folder"'),
    verbCall('start "Fix the typos in README.md" --workspace ../site --yes'),
    `cat goal.md | ${quietVerbCall('start - --json')}`,
  ]).action(async (argument: string | undefined, options: StartWords & CommonOptions, command: Command) => {
    await trustForStart(options);
    const { goal, start } = await readStart(argument, { ...options, waits: true }, command);
    await withClient(options, async ({ client, output }) => {
      const { id, runId, taskQueue, webUi, joined } = await client.start(goal, start);
      if (output.json) return void output.value({ id, runId, taskQueue, webUi, ...(joined && { joined }) });
      output.out.line(
        joined ? `Queued in ${id}, which is open and keeps its mode, models and limits` : `Started ${id}`,
      );
      if (webUi !== null) output.out.line(`Web UI  ${webUi}`);
      output.out.line(`Watch   ${verbCall(`watch ${id}`)}`);
      if (joined) return;
      // The person may not watch the run, so this says beforehand where it asks (FC8).
      if (start.attended) output.out.line(`Asks    ${verbCall('list --waiting')}   (--no-attended refuses)`);
      else if (!start.autoApprove) output.out.line(NOBODY_ATTENDS);
    });
  });
}

export function addWatch(program: Command): void {
  const verb = runVerb(
    program,
    'watch',
    'Follow a run from its start to its end, live; in a terminal it can be steered meanwhile. Leaving it does not end the run.',
  ).option('--notify <url>', NOTIFY_HELP, notifyOption);
  describeVerb(verb, [
    verbCall('watch summarise-what-is-in-k3f9q2'),
    quietVerbCall('watch my-run --json | jq .type'),
  ]).action(async (id: string, options: CommonOptions & { notify?: URL }) => {
    await withRun(options, id, (run, context) => watch(run, context, options.notify));
  });
}

/** Prints lines on stdout, or events with `--json`. In a terminal, a person can steer an open run meanwhile. */
async function watch(run: Run, context: Context, notify: URL | undefined) {
  const { output } = context;
  const interactive = isTerminal() && !output.json;
  const goal = interactive ? ((await run.show()).goal ?? '') : '';
  if (interactive) tellWhere(output, run);
  const view = new PlainView(output.out, { runId: run.id });
  let events = 0;
  return following(context, run, notify, {
    session: interactive ? { goal, owned: false } : null,
    show: event => {
      if ('seq' in event && event.path === undefined) events += 1;
      if (!output.json) view.show(event);
      else if ('seq' in event) output.value(event);
      else if (event.type === 'notice') output.notes.line(event.text);
      if (event.type === 'end' && events === 0) printWithoutEvents(output, event.end);
    },
    interrupted: (_, detach) => detach(),
    left: [`The run goes on. Watch it again with: ${verbCall(`watch ${run.id}`)}`],
    ended: end => {
      if (output.json) return;
      output.out.line(endLine(end));
      if (end.result?.text) output.out.line(`\n${terminalText(end.result.text)}`);
    },
  });
}

/** Prints an ended run whose events are gone: its result and trace remain. */
function printWithoutEvents(output: Output, end: RunEnd): void {
  if (output.json) output.value({ ...resultLine(end), trace: end.result?.trace ?? null });
  else if (end.result)
    for (const line of traceLines(end.result.trace, output.out.colors)) output.out.line(line);
}

interface Following {
  /** Options of a session in the terminal; null if lines are printed instead. */
  session: Pick<SessionOptions, 'goal' | 'owned' | 'config'> | null;
  show(event: RunEvent): void;
  interrupted(press: number, detach: () => void): void;
  /** Lines for a person who leaves before the end. */
  left: string[];
  ended(end: RunEnd): void;
}

/** Follows a run until it ends or the person leaves; resolves to the exit code. */
async function following(context: Context, run: Run, notify: URL | undefined, how: Following) {
  const report = (line: string) => context.progress.line(line);
  const notifier = new Notifier(run.id, { bell: ringBell, post: webHook(notify), report });
  const code = await (how.session
    ? runSession(context, { ...how.session, run, notifier })
    : inLines(context, run, notifier, how));
  await notifier.settled();
  return code;
}

async function inLines({ output }: Context, run: Run, notifier: Notifier, how: Following): Promise<number> {
  const detach = new AbortController();
  const release = onInterrupt(press => how.interrupted(press, () => detach.abort()));
  const events = run.events({ signal: detach.signal });
  const end = await showEvents(events, event => {
    notifier.take(event);
    how.show(event);
  });
  release();
  if (end === null) {
    for (const line of how.left) output.notes.line(line);
    return EXIT.cancelled;
  }
  how.ended(end);
  return exitCodeOf(end.outcome);
}

/** The terminal sends a Ctrl-C to npm and its child, and npm forwards it: both signals are one press. */
const SAME_PRESS_MS = 250;

/** Calls `onPress` with 1, 2, … for each Ctrl-C until the returned function is called. */
function onInterrupt(onPress: (press: number) => void): () => void {
  let presses = 0;
  let last = Number.NEGATIVE_INFINITY;
  const handler = () => {
    const now = performance.now();
    if (now - last < SAME_PRESS_MS) return;
    last = now;
    presses += 1;
    onPress(presses);
  };
  process.on('SIGINT', handler);
  return () => void process.off('SIGINT', handler);
}

/** Prints the id, and the complete address of the Web UI at the end of a line, so that terminals make it a link. */
function tellWhere({ notes }: Output, { id, webUi, joined }: Run): void {
  notes.line(`Run    ${id}`);
  if (webUi !== null) notes.line(`Web UI ${webUi}`);
  if (joined)
    notes.line(
      'It is open: the goal waits in it as its next one. Its mode, models and limits stay as they are.',
    );
}

/** Serves the console while this terminal is open, unless another process does. A failure does not stop the run. */
async function openConsole({ client, output: { notes } }: Context, { id }: Run): Promise<void> {
  try {
    const { linkOfRunning, serveConsole } = await import('@steersman/console');
    const report = (line: string) => notes.line(line);
    const link = (await linkOfRunning({ run: id })) ?? (await serveConsole({ client, report })).link(id);
    notes.line(`Console ${link}`);
  } catch (error) {
    notes.line(`There is no console: ${errorText(error)}`);
  }
}

const SHOWN = 5;

/** Lists on stderr the local runs that a crash left open: they continue only on request. */
async function tellLeftOpen({ client, output: { notes } }: Context): Promise<void> {
  const ids = (await client.leftOpen()).map(run => run.id);
  if (ids.length === 0) return;
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
  notes.line(
    `${plural(ids.length, 'run')} left open by an earlier session: ${ids.slice(0, SHOWN).join(', ')}${more}.`,
  );
  notes.line(`They wait. Go on with them: ${startCall('--resume-open')}. End one: ${verbCall('cancel ID')}`);
}

/** Resumes these runs, with the configuration of their start or that of `configDir`. */
async function resumeLeftOpen({ client, output: { notes } }: Context, configDir: string | undefined) {
  const runs = await client.leftOpen();
  if (runs.length === 0) notes.line('No run was left open.');
  await client.resumeLeftOpen(runs, definedOptions({ configDir }));
  for (const { id } of runs) notes.line(`Goes on: ${id}   (${verbCall(`watch ${id}`)})`);
}
