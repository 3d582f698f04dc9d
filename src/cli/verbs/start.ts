/** `start`: starts a run and leaves it to its worker. */
import type { Command } from 'commander';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import { type CommonOptions, describeVerb, withClient } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { addStartOptions, readStart, type StartWords } from '../start-options.js';
import { trustForStart } from '../trusted-dir.js';

export function addStart(program: Command): void {
  const verb = program
    .command('start')
    .description('Start a run and return; its worker goes on in the background.')
    .argument('[goal]', 'what the team should do, in quotes; - reads it from stdin');
  describeVerb(addStartOptions(verb), [
    verbCall('start "Summarise what is in this folder"'),
    verbCall('start "Fix the typos in README.md" --workspace ../site --yes'),
    `cat goal.md | ${quietVerbCall('start - --json')}`,
  ]).action(async (argument: string | undefined, options: StartWords & CommonOptions, command: Command) => {
    await trustForStart(options);
    const { goal, start } = await readStart(argument, options, command);
    await withClient(options, async ({ client, output }) => {
      const { id, runId, taskQueue, webUi } = await client.start(goal, start);
      if (output.json) output.value({ id, runId, taskQueue, webUi });
      else {
        output.out.line(`Started ${id}`);
        if (webUi !== null) output.out.line(`Web UI  ${webUi}`);
        output.out.line(`Watch   ${verbCall(`watch ${id}`)}`);
      }
      return EXIT.ok;
    });
  });
}
