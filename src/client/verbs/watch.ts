/** `watch`: follows a run, from its start, live, to its end. */
import type { Command } from 'commander';
import type { Output } from '../../print/output.js';
import { PlainView, showWatch } from '../../print/plain-view.js';
import { terminalText } from '../../print/terminal-text.js';
import { traceLines } from '../../print/trace-lines.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { endLine, type RunEnd, resultLine } from '../runs/run-end.js';
import { describeRun } from '../runs/runs.js';
import { type WatchItem, watchRun } from '../runs/watch-run.js';
import { runSession } from '../session/session.js';
import { isTerminal } from '../session/terminal.js';
import { type CommonOptions, type Context, describeVerb, positiveInteger, withTemporal } from './command.js';
import { onInterrupt } from './interrupts.js';

interface WatchVerbOptions extends CommonOptions {
  poll?: number;
}

export function addWatch(program: Command): void {
  const verb = program
    .command('watch')
    .description(
      'Follow a run from its start to its end, live; in a terminal it can be steered meanwhile. Leaving it does not end the run.',
    )
    .argument('<id>', 'id of the run')
    .option('--poll <ms>', 'time between looks (default: 250 locally, 1000 elsewhere)', positiveInteger);
  describeVerb(verb, [
    'npm run client -- watch summarise-what-is-in-k3f9q2',
    'npm run --silent client -- watch my-run --json | jq .type',
  ]).action(async (id: string, options: WatchVerbOptions) => {
    await withTemporal(options, async ({ temporal, output }) => {
      if (isTerminal() && !output.json) return attach({ temporal, output }, id);
      const stop = new AbortController();
      const release = onInterrupt(() => stop.abort());
      const { signal } = stop;
      const items = watchRun(temporal, id, { signal, ...(options.poll ? { pollMs: options.poll } : {}) });
      const end = await showWatch(items, watchPrinter(output, id), signal);
      release();
      if (end === null) {
        output.notes.line(`The run goes on. Watch it again with: npm run client -- watch ${id}`);
        return EXIT.cancelled;
      }
      if (!output.json) printEnd(output, end);
      return exitCodeOf(end.outcome);
    });
  });
}

/** In a terminal an open run can be steered while it is watched. */
async function attach(context: Context, id: string): Promise<number> {
  const run = await describeRun(context.temporal, id);
  const goal = typeof run.memo?.goal === 'string' ? run.memo.goal : '';
  return runSession(context, { id, goal, owned: false });
}

/** Plain lines on stdout; with `--json` one event a line there, and what concerns the watching on stderr. */
function watchPrinter(output: Output, id: string): (item: WatchItem) => void {
  const view = new PlainView(output.out, id);
  let events = 0;
  return item => {
    if (item.kind === 'event') events += 1;
    if (!output.json) view.show(item);
    else if (item.kind === 'event') output.value(item.event);
    else if (item.kind === 'notice') output.notes.line(item.text);
    if (item.kind === 'end' && events === 0) printWithoutEvents(output, item.end);
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
  if (end.result?.answer) output.out.line(`\n${terminalText(end.result.answer)}`);
}
