/** A goal from start to answer in one command: local stack, run, live view. */

import { errorText } from '../../core/error-text.js';
import { resultLine } from '../../print/end-lines.js';
import { jsonEvent } from '../../print/json-event.js';
import type { Output } from '../../print/output.js';
import { PlainView, showEvents } from '../../print/plain-view.js';
import { printAnswer } from '../../print/print-answer.js';
import { verbCall } from '../../shared/called-as.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import type { Run, RunEvent } from '../index.js';
import { runSession } from '../session/session.js';
import type { Context } from './command.js';
import { onInterrupt } from './interrupts.js';
import { type Notifier, notifierOf } from './notify.js';
import type { ReadStart } from './start-options.js';

/**
 * Runs a goal to its end and prints the answer on stdout, everything else on stderr; with `--json` the journal
 * and then the result on stdout. Resolves to the exit code. Ctrl-C asks the run to stop, a second one detaches.
 * `interactive` holds a session in the terminal instead.
 */
export async function runGoal(
  context: Context,
  { goal, start }: ReadStart,
  { interactive, notify }: { interactive: boolean; notify: URL | undefined },
): Promise<number> {
  const { client, output } = context;
  const run = await client.start(goal, start);
  output.notes.line(`Run    ${run.id}`);
  if (run.webUi !== null) output.notes.line(`Web UI ${run.webUi}`);
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
    const durable = jsonEvent(event);
    if (output.json && durable !== null) output.value(durable);
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
