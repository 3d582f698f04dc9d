/** `show`: a run at a glance. */
import type { Command } from 'commander';
import { printRun, readRun } from '../../print/show-run.js';
import { EXIT } from '../exit-codes.js';
import { describeRun, isOpen } from '../runs/runs.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';

export function addShow(program: Command): void {
  const verb = program
    .command('show')
    .description('Show where a run stands: phase, tasks, limits, usage, answer.')
    .argument('<id>', 'id of the run');
  describeVerb(verb, [
    'npm run client -- show my-run',
    'npm run --silent client -- show my-run --json | jq .tasks',
  ]).action(async (id: string, options: CommonOptions) => {
    await withTemporal(options, async ({ temporal, output }) => {
      const run = await describeRun(temporal, id);
      const { shown, end, answered } = await readRun(temporal, run);
      if (isOpen(run) && !answered && shown.stuck === null) {
        output.notes.line('No worker answers for this run: it waits for one, and only the server was asked.');
      }
      if (output.json) output.value(shown);
      else printRun(output.out, temporal, shown, end);
      return EXIT.ok;
    });
  });
}
