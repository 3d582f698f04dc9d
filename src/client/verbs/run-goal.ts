/** `npm start`: local stack, run, live view and answer in one command. */

import type { Output } from '../../print/output.js';
import { PlainView, showWatch } from '../../print/plain-view.js';
import { printAnswer } from '../../print/print-answer.js';
import { superviseWorker } from '../../stack/supervise.js';
import type { Report } from '../../stack/temporal-binary.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import type { Temporal } from '../runs/connect.js';
import { webUiLink } from '../runs/connect.js';
import { explainError } from '../runs/grpc-errors.js';
import { projectWorker } from '../runs/project-worker.js';
import { resultLine } from '../runs/run-end.js';
import type { StartRequest } from '../runs/start-run.js';
import { startRun, taskQueueFor } from '../runs/start-run.js';
import { stopRun } from '../runs/stop-run.js';
import type { WatchItem } from '../runs/watch-run.js';
import { watchRun } from '../runs/watch-run.js';
import { runSession } from '../session/session.js';
import type { Context } from './command.js';
import { onInterrupt } from './interrupts.js';

/**
 * Runs a goal to its end and prints the answer on stdout, everything else on stderr; with `--json` the journal
 * and then the result on stdout. Resolves to the exit code. Ctrl-C asks the run to stop, a second one detaches.
 * `interactive` holds a session in the terminal instead.
 */
export async function runGoal(
  context: Context,
  request: StartRequest,
  { interactive }: { interactive: boolean },
): Promise<number> {
  const { temporal, output } = context;
  const taskQueue = await taskQueueFor(temporal, request, line => output.notes.line(line));
  const { id } = await startRun(temporal, request, taskQueue);
  const webUi = webUiLink(temporal, id);
  output.notes.line(`Run    ${id}`);
  if (webUi !== null) output.notes.line(`Web UI ${webUi}`);
  const supervise = (report: Report) => supervision(temporal, request, taskQueue, report);
  if (interactive) return runSession(context, { id, goal: request.goal, owned: true, supervise });

  const leave = supervise(line => output.notes.line(line));
  try {
    return await watchToEnd(context, id);
  } finally {
    leave();
  }
}

/** On the local stack a worker that dies is replaced; a worker elsewhere has a supervisor of its own. */
function supervision(
  { local }: Temporal,
  { taskQueue: named, configDir }: StartRequest,
  taskQueue: string,
  report: Report,
): () => void {
  if (local === null || named !== null) return () => {};
  return superviseWorker({ server: local, taskQueue, settings: projectWorker(configDir), report });
}

async function watchToEnd({ temporal, output }: Context, id: string): Promise<number> {
  const detach = new AbortController();
  const release = onInterrupt(press => {
    if (press === 1) void askToStop({ temporal, output }, id);
    else detach.abort();
  });
  const { signal } = detach;
  const end = await showWatch(watchRun(temporal, id, { signal }), printer(output, id), signal);
  release();
  if (end === null) {
    sayDetached(output, id);
    return EXIT.cancelled;
  }
  if (output.json) output.value(resultLine(end));
  else printAnswer(output, end);
  return exitCodeOf(end.outcome);
}

function printer(output: Output, id: string): (item: WatchItem) => void {
  const view = new PlainView(output.notes, id);
  return item => {
    if (output.json && item.kind === 'event') output.value(item.event);
    else if (!output.json || item.kind === 'notice') view.show(item);
  };
}

async function askToStop({ temporal, output }: Context, id: string): Promise<void> {
  output.notes.line(
    'Stopping the run with what there is. Ctrl-C again leaves it alone and ends only this view.',
  );
  try {
    await stopRun(temporal, id, 'Ctrl-C');
  } catch (error) {
    output.notes.line(`The run could not be asked to stop: ${explainError(error)?.message ?? String(error)}`);
  }
}

function sayDetached({ notes }: Output, id: string): void {
  notes.line(`The run ${id} is left to its worker.`);
  notes.line(`Watch it: npm run client -- watch ${id}`);
  notes.line(`Stop it:  npm run client -- stop ${id}`);
}
