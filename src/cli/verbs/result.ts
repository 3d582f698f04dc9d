/** `result`: waits for the end of a run and gives its answer. */

import type { Command } from 'commander';
import { quietVerbCall } from '../../shared/called-as.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { exitCodeOf } from '../exit-codes.js';
import { printAnswer, resultLine } from '../print/end-lines.js';
import { WaitTeller } from '../print/show-run.js';

export function addResult(program: Command): void {
  const verb = program
    .command('result')
    .description(
      'Wait for the end of a run and print its answer; the exit code tells the outcome. What the run waits for is said on stderr.',
    )
    .argument('<id>', 'id of the run')
    .addHelpText('after', OUTCOMES);
  describeVerb(verb, [
    quietVerbCall('result my-run > answer.md'),
    quietVerbCall('result my-run --json | jq .trace.steps'),
  ]).action(async (id: string, options: CommonOptions) => {
    await withRun(options, id, async (run, { output: { notes, ...output } }) => {
      const waits = new WaitTeller(notes.colors);
      notes.line(`Waiting for the end of ${id}. Ctrl-C ends the waiting, not the run.`);
      const end = await run.end({
        onWait: state => {
          for (const line of waits.news(state)) notes.line(line);
        },
      });
      if (output.json) output.value({ ...resultLine(end), trace: end.result?.trace ?? null });
      else printAnswer({ notes, ...output }, end);
      return exitCodeOf(end.outcome);
    });
  });
}

const OUTCOMES = `
Exit codes: 0 completed or answered; 3 an answer that was to be verified and was not, cut by a budget or stopped; 1 failed; 130 cancelled;
2 when the call itself was wrong.`;
