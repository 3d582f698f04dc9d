/** `list`: lists runs in the server's order: open runs by their start, then ended ones by their end. */

import { padId, padText, positiveInteger, readSince } from '@steersman/print';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatDuration, preview } from 'steersman/base';
import { type ListedRun, type ListOptions, OUTCOMES } from 'steersman/client';
import { startCall, terminalText, verbCall } from 'steersman/shared';
import { type CommonOptions, describeVerb, withClient } from '../command/command.js';

export function addList(program: Command): void {
  const verb = program
    .command('list')
    .description(
      'List runs: open ones first, the newest first, then those that ended last. Each with the time since then.',
    )
    .option('--limit <n>', 'at most this many', positiveInteger, 20)
    .option('--open', 'only runs that have not ended')
    .option('--waiting', 'only runs that wait for a person, each with what it asks')
    .addOption(new Option('--outcome <outcome>', 'only runs with this outcome').choices(OUTCOMES))
    .option('--since <when>', 'only runs that began since: 30m, 2h, 3d, or a date', sinceOption)
    .option('--goal <text>', 'only runs with this text in their goal');
  describeVerb(verb, [
    verbCall('list --waiting'),
    verbCall('list --outcome failed --since 2d'),
    verbCall('list --goal changelog --limit 100'),
  ]).action(async (options: ListOptions & CommonOptions) => {
    await withClient(options, async ({ client, output }) => {
      let count = 0;
      for await (const run of client.list(options)) {
        if (output.json) output.value(run);
        else {
          if (count === 0 && process.stdout.isTTY) output.out.line(output.out.colors.dim(LIST_HEADER));
          output.out.line(listLine(run, Date.now()));
        }
        count += 1;
      }
      if (count === 0) output.notes.line(noRuns(options));
    });
  });
}

function sinceOption(words: string): Date {
  const since = readSince(words, Date.now());
  if (since !== null) return since;
  throw new InvalidArgumentError('Write it like 30m, 2h, 3d, 1w, 2026-03-01 or 2026-03-01T09:30.');
}

function noRuns({ open, waiting, outcome, since, goal }: ListOptions): string {
  if (outcome || since || goal !== undefined) return 'No run matches.';
  if (waiting) return 'No run waits for a person.';
  return open
    ? 'No run is open.'
    : `Temporal knows no run. Start one with: ${startCall('"<goal>"')}\nTo read runs that it has forgotten: ${verbCall('sessions list')}`;
}

/** Width of an id that was derived from a goal. */
const ID_COLUMNS = 39;

export const LIST_HEADER = `${padText('id', ID_COLUMNS)}  ${'status'.padEnd(16)}  ${'since'.padStart(11)}  waits for · goal`;

export function listLine(run: ListedRun, now: number): string {
  const state = run.stuck ? 'stuck' : stateOf(run);
  // The age refers to the time that the list is sorted by.
  const age = formatDuration(now - Date.parse(run.endedAt ?? run.startedAt));
  const unreadable = run.unreadable.length > 0 ? `unreadable here: ${run.unreadable.join(', ')}` : null;
  const what = [run.waiting, preview(run.goal ?? '', 80), unreadable].filter(Boolean).join(' · ');
  return `${padId(run.id, ID_COLUMNS)}  ${state.padEnd(16)}  ${age.padStart(11)}  ${terminalText(what.replace(/\s+/g, ' '))}`;
}

function stateOf({ status, phase, outcome }: ListedRun): string {
  return status === 'running' ? (phase ?? 'running') : (outcome ?? status);
}
