/** `list`: runs, newest first. */

import type { Command } from 'commander';
import { startCall, verbCall } from '../../called-as.js';
import { preview } from '../../core/preview.js';
import { formatDuration } from '../../print/format.js';
import { padText } from '../../print/layout.js';
import { terminalText } from '../../print/terminal-text.js';
import { EXIT } from '../exit-codes.js';
import type { ListedRun } from '../index.js';
import { type CommonOptions, describeVerb, positiveInteger, withClient } from './command.js';

interface ListOptions extends CommonOptions {
  limit: number;
  open?: boolean;
  waiting?: boolean;
}

export function addList(program: Command): void {
  const verb = program
    .command('list')
    .description('List runs, newest first: id, status, phase or outcome, age, goal.')
    .option('--limit <n>', 'at most so many', positiveInteger, 20)
    .option('--open', 'only runs that have not ended')
    .option('--waiting', 'only runs that wait for a person, each with what it asks');
  describeVerb(verb, [verbCall('list --waiting'), verbCall('list --open --limit 100')]).action(
    async ({ limit, open = false, waiting = false, ...options }: ListOptions) => {
      await withClient(options, async ({ client, output }) => {
        let count = 0;
        for await (const run of client.list({ limit, open, waiting })) {
          if (output.json) output.value(run);
          else output.out.line(listLine(run, Date.now()));
          count += 1;
        }
        if (count === 0) output.notes.line(waiting ? 'No run waits for a person.' : NO_RUNS);
        return EXIT.ok;
      });
    },
  );
}

/** What an id takes that the run's goal gave. */
const ID_COLUMNS = 39;
const NO_RUNS = `There are no runs. Start one with: ${startCall('"<goal>"')}`;

export function listLine(run: ListedRun, now: number): string {
  const state = run.stuck ? 'stuck' : stateOf(run);
  const age = formatDuration(now - Date.parse(run.startedAt));
  const unreadable = run.unreadable.length > 0 ? `unreadable here: ${run.unreadable.join(', ')}` : null;
  const what = [run.waiting, preview(run.goal ?? '', 80), unreadable].filter(Boolean).join(' · ');
  return `${padText(run.id, ID_COLUMNS)}  ${state.padEnd(16)}  ${age.padStart(11)}  ${terminalText(what)}`;
}

function stateOf({ status, phase, outcome }: ListedRun): string {
  return status === 'running' ? (phase ?? 'running') : (outcome ?? status);
}
