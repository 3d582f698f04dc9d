/** `show`: a run at a glance. */

import type { Command } from 'commander';
import { quietVerbCall, startCall, verbCall } from '../../shared/called-as.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { printRun } from '../print/show-run.js';

export function addShow(program: Command): void {
  const verb = program
    .command('show')
    .description('Show where a run stands: phase, tasks, limits, usage, answer.')
    .argument('<id>', 'id of the run');
  describeVerb(verb, [verbCall('show my-run'), quietVerbCall('show my-run --json | jq .tasks')]).action(
    async (id: string, options: CommonOptions) => {
      await withRun(options, id, async (run, { output }) => {
        const shown = await run.show();
        if (shown.endedAt === null && !shown.answered && shown.stuck === null) {
          output.notes.line(
            `No worker answers for this run: it waits for one, and only the server was asked. On the local stack: ${startCall('--resume-open')}`,
          );
        }
        const children = shown.children.length === 0 ? [] : await run.children();
        if (output.json) output.value({ ...shown, children });
        else printRun(output.out, shown, { children, webUi: run.webUi });
        return EXIT.ok;
      });
    },
  );
}
