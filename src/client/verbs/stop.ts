/** `stop` and `cancel`: two ways to end a run. */
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.js';
import { describeRun, mayBeServed } from '../runs/runs.js';
import { cancelRun, stopRun } from '../runs/stop-run.js';
import { type CommonOptions, type Context, describeVerb, withTemporal } from './command.js';

export function addStop(program: Command): void {
  const verb = program
    .command('stop')
    .description('Ask a run to end with what there is, without another model call.')
    .argument('<id>', 'id of the run')
    .option('--reason <text>', 'why; the journal keeps it', '');
  describeVerb(verb, ['npm run client -- stop my-run --reason "the goal was wrong"']).action(
    async (id: string, { reason, ...options }: CommonOptions & { reason: string }) => {
      await withTemporal(options, async context => {
        await stopRun(context.temporal, id, reason);
        return told(context, id, 'stop', 'It ends with what there is');
      });
    },
  );
}

export function addCancel(program: Command): void {
  const verb = program
    .command('cancel')
    .description("Cancel a run: Temporal's own way. `stop` is the gentler one.")
    .argument('<id>', 'id of the run');
  describeVerb(verb, ['npm run client -- cancel my-run']).action(
    async (id: string, options: CommonOptions) => {
      await withTemporal(options, async context => {
        await cancelRun(context.temporal, id);
        return told(context, id, 'cancel', 'It ends as cancelled');
      });
    },
  );
}

/** Says what was asked for, and what it waits for where no worker can do it now. */
async function told(
  { temporal, output }: Context,
  id: string,
  request: string,
  effect: string,
): Promise<number> {
  const served = await mayBeServed(temporal, (await describeRun(temporal, id)).taskQueue);
  if (output.json) output.value({ id, requested: request, served });
  else output.out.line(`Asked ${id} to ${request}. ${effect}.`);
  if (!served) {
    output.notes.line('No worker serves it now: it ends when one does (npm start -- --resume-open).');
  }
  return EXIT.ok;
}
