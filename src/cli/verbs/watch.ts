/** `watch`: follows a run, from its start, live, to its end. */
import type { Command } from 'commander';
import type { Run, RunEnd, RunEvent } from '../../client/index.js';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import type { Output } from '../../shared/output.js';
import { terminalText } from '../../shared/terminal-text.js';
import {
  type CommonOptions,
  type Context,
  describeVerb,
  positiveInteger,
  tellWhere,
  withRun,
} from '../command.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { onInterrupt } from '../interrupts.js';
import { NOTIFY_HELP, type Notifier, notifierOf, notifyOption } from '../notify.js';
import { endLine, resultLine } from '../print/end-lines.js';
import { traceLines } from '../print/event-lines.js';
import { PlainView, showEvents } from '../print/plain-view.js';
import { isTerminal } from '../session/screen/terminal.js';
import { runSession } from '../session/session.js';

interface WatchVerbOptions extends CommonOptions {
  poll?: number;
  notify?: URL;
}

export function addWatch(program: Command): void {
  const verb = program
    .command('watch')
    .description(
      'Follow a run from its start to its end, live; in a terminal it can be steered meanwhile. Leaving it does not end the run.',
    )
    .argument('<id>', 'id of the run')
    .option('--poll <ms>', 'time between looks (default: 250 locally, 1000 elsewhere)', positiveInteger)
    .option('--notify <url>', NOTIFY_HELP, notifyOption);
  describeVerb(verb, [
    verbCall('watch summarise-what-is-in-k3f9q2'),
    quietVerbCall('watch my-run --json | jq .type'),
  ]).action(async (id: string, options: WatchVerbOptions) => {
    await withRun(options, id, async (run, context) => {
      const { output } = context;
      const notifier = notifierOf(id, options.notify, line => context.progress.line(line));
      const session = isTerminal() && !output.json;
      const code = await (session ? attach(context, run, notifier) : follow(run, options, output, notifier));
      await notifier.settled();
      return code;
    });
  });
}

async function follow(
  run: Run,
  { poll: pollMs }: WatchVerbOptions,
  output: Output,
  notifier: Notifier,
): Promise<number> {
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  const print = watchPrinter(output, run.id);
  const events = run.events({ signal: stop.signal, ...(pollMs ? { pollMs } : {}) });
  const end = await showEvents(events, event => {
    notifier.take(event);
    print(event);
  });
  release();
  if (end === null) {
    output.notes.line(`The run goes on. Watch it again with: ${verbCall(`watch ${run.id}`)}`);
    return EXIT.cancelled;
  }
  if (!output.json) printEnd(output, end);
  return exitCodeOf(end.outcome);
}

/** In a terminal an open run can be steered while it is watched. */
async function attach(context: Context, run: Run, notifier: Notifier): Promise<number> {
  const { goal } = await run.show();
  tellWhere(context.output, run);
  return runSession(context, { run, goal: goal ?? '', owned: false, notifier });
}

/** Plain lines on stdout; with `--json` one event a line there, and what concerns the watching on stderr. */
function watchPrinter(output: Output, id: string): (item: RunEvent) => void {
  const view = new PlainView(output.out, { runId: id });
  let events = 0;
  return item => {
    if ('seq' in item && item.path === undefined) events += 1;
    if (!output.json) view.show(item);
    else if ('seq' in item) output.value(item);
    else if (item.type === 'notice') output.notes.line(item.text);
    if (item.type === 'end' && events === 0) printWithoutEvents(output, item.end);
  };
}

/** Nobody could tell the events of an ended run: its result and trace are what there is. */
function printWithoutEvents(output: Output, end: RunEnd): void {
  if (output.json) output.value({ ...resultLine(end), trace: end.result?.trace ?? null });
  else if (end.result)
    for (const line of traceLines(end.result.trace, output.out.colors)) output.out.line(line);
}

function printEnd(output: Output, end: RunEnd): void {
  output.out.line(endLine(end));
  if (end.result?.text) output.out.line(`\n${terminalText(end.result.text)}`);
}
