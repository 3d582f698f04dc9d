/** `start`: starts a run and leaves it to its worker. */
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.js';
import { webUiLink } from '../runs/connect.js';
import { REHEARSAL_NOTE } from '../runs/default-model.js';
import {
  type StartOptions,
  startRequest,
  startRun,
  taskQueueFor,
  withDefaultModel,
} from '../runs/start-run.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';
import { addStartOptions, readGoal } from './start-options.js';

export function addStart(program: Command): void {
  const verb = program
    .command('start')
    .description('Start a run and return; its worker goes on in the background.')
    .argument('<goal>', 'what the team should do, in quotes; - reads it from stdin');
  describeVerb(addStartOptions(verb), [
    'npm run client -- start "Summarise what is in this folder"',
    'npm run client -- start "Fix the typos in README.md" --workspace ../site --yes',
    'cat goal.md | npm run --silent client -- start - --json',
  ]).action(async (argument: string, options: StartOptions & CommonOptions, command: Command) => {
    const chosen = withDefaultModel(options);
    const request = await startRequest(await readGoal(argument, command), chosen);
    await withTemporal(options, async ({ temporal, output }) => {
      if (chosen !== options) output.notes.line(REHEARSAL_NOTE);
      const queue = await taskQueueFor(temporal, request, line => output.notes.line(line));
      const started = await startRun(temporal, request, queue);
      const webUi = webUiLink(temporal, started.id);
      if (output.json) output.value({ ...started, webUi });
      else {
        output.out.line(`Started ${started.id}`);
        if (webUi !== null) output.out.line(`Web UI  ${webUi}`);
        output.out.line(`Watch   npm run client -- watch ${started.id}`);
      }
      return EXIT.ok;
    });
  });
}
