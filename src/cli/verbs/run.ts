/** A goal as the whole of a command line: `steersman "…"`, and in a checkout `npm start -- "…"`. */

import type { Command } from 'commander';
import type { Run, RunEvent } from '../../client/index.js';
import { errorText } from '../../core/text/error-text.js';
import { quietStartCall, startCall, verbCall } from '../../shared/called-as.js';
import { plural } from '../../shared/format.js';
import type { Output } from '../../shared/output.js';
import type { Context } from '../command.js';
import { type CommonOptions, describeVerb, tellWhere, withClient } from '../command.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { onInterrupt } from '../interrupts.js';
import { NOTIFY_HELP, type Notifier, notifierOf, notifyOption } from '../notify.js';
import { printAnswer, resultLine } from '../print/end-lines.js';
import { PlainView, showEvents } from '../print/plain-view.js';
import { isTerminal } from '../session/screen/terminal.js';
import { runSession } from '../session/session.js';
import type { ReadStart } from '../start-options.js';
import { addStartOptions, readStart, type StartWords, startOptions } from '../start-options.js';
import { trustForStart } from '../trusted-dir.js';

/** How long a run of a session that is gone waits for the next goal. */
const SESSION_OPEN_SECONDS = 600;

interface RunOptions extends StartWords, CommonOptions {
  resumeOpen?: boolean;
  notify?: URL;
}

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
    return read === null ? EXIT.ok : runGoal(context, read, { interactive, notify: options.notify });
  });
}

/** Makes a program one that runs a goal. */
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

const IN_A_TERMINAL = `
In a terminal: Enter sends what you type to the running team, Alt+Enter queues the next goal, Esc interrupts,
/help tells the rest. What needs your consent is asked there; after the answer a line is the next goal, and
Ctrl-C leaves. Elsewhere: what would be asked is refused, unless --yes approves it or --attended waits for an
answer from another terminal; Ctrl-C asks the run to stop with what there is, and a second one leaves it
running in the background.
Exit codes: 0 completed or answered; 3 an answer that was to be verified and was not, cut by a budget or
stopped; 1 failed; 130 cancelled or left running; 2 when the call itself was wrong.`;

// A goal from start to answer in one command: local stack, run, live view.

/**
 * Runs a goal to its end and prints the answer on stdout, everything else on stderr; with `--json` the journal
 * and then the result on stdout. Resolves to the exit code. Ctrl-C asks the run to stop, a second one detaches.
 * `interactive` holds a session in the terminal instead.
 */
async function runGoal(
  context: Context,
  { goal, start }: ReadStart,
  { interactive, notify }: { interactive: boolean; notify: URL | undefined },
): Promise<number> {
  const { client, output } = context;
  const run = await client.start(goal, start);
  tellWhere(output, run);
  const notifier = notifierOf(run.id, notify, line => context.progress.line(line));
  const code = interactive
    ? await runSession(context, { run, goal, owned: true, config: start.configDir, notifier })
    : await watchToEnd(output, run, notifier);
  await notifier.settled();
  return code;
}

async function watchToEnd(output: Output, run: Run, notifier: Notifier): Promise<number> {
  const detach = new AbortController();
  const release = onInterrupt(press => {
    if (press === 1) void askToStop(output, run);
    else detach.abort();
  });
  const end = await showEvents(run.events({ signal: detach.signal }), printer(output, run.id, notifier));
  release();
  if (end === null) {
    sayDetached(output, run.id);
    return EXIT.cancelled;
  }
  if (output.json) output.value(resultLine(end));
  else printAnswer(output, end);
  return exitCodeOf(end.outcome);
}

function printer(output: Output, id: string, notifier: Notifier): (event: RunEvent) => void {
  const view = new PlainView(output.notes, { runId: id });
  return event => {
    notifier.take(event);
    if (output.json && 'seq' in event) output.value(event);
    else if (!output.json || event.type === 'notice') view.show(event);
  };
}

async function askToStop({ notes }: Output, run: Run): Promise<void> {
  notes.line('Stopping the run with what there is. Ctrl-C again leaves it alone and ends only this view.');
  try {
    await run.stop('Ctrl-C');
  } catch (error) {
    notes.line(`The run could not be asked to stop: ${errorText(error)}`);
  }
}

function sayDetached({ notes }: Output, id: string): void {
  notes.line(`The run ${id} is left to its worker.`);
  notes.line(`Watch it: ${verbCall(`watch ${id}`)}`);
  notes.line(`Stop it:  ${verbCall(`stop ${id}`)}`);
}

// Runs of the local stack that a crash left open: told at a start, and gone on with only when asked.

const SHOWN = 5;

/** Lists them on stderr. */
async function tellLeftOpen({ client, output: { notes } }: Context): Promise<void> {
  const ids = (await client.leftOpen()).map(run => run.id);
  if (ids.length === 0) return;
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
  notes.line(
    `${plural(ids.length, 'run')} left open by an earlier session: ${ids.slice(0, SHOWN).join(', ')}${more}.`,
  );
  notes.line(`They wait. Go on with them: ${startCall('--resume-open')}. End one: ${verbCall('cancel ID')}`);
}

/** Goes on with them, with the configuration that they were started with or that of `configDir`. */
async function resumeLeftOpen(
  { client, output: { notes } }: Context,
  configDir: string | undefined,
): Promise<void> {
  const runs = await client.leftOpen();
  if (runs.length === 0) notes.line('No run was left open.');
  await client.resumeLeftOpen(runs, configDir === undefined ? {} : { configDir });
  for (const { id } of runs) notes.line(`Goes on: ${id}   (${verbCall(`watch ${id}`)})`);
}
