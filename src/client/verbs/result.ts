/** `result`: waits for the end of a run and gives its answer. */
import type { Command } from 'commander';
import { printAnswer } from '../../print/print-answer.js';
import { waitForEnd } from '../../print/wait-for-end.js';
import { exitCodeOf } from '../exit-codes.js';
import { resultLine } from '../runs/run-end.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';

export function addResult(program: Command): void {
  const verb = program
    .command('result')
    .description(
      'Wait for the end of a run and print its answer; the exit code tells the outcome. What the run waits for is said on stderr.',
    )
    .argument('<id>', 'id of the run')
    .addHelpText('after', OUTCOMES);
  describeVerb(verb, [
    'npm run --silent client -- result my-run > answer.md',
    'npm run --silent client -- result my-run --json | jq .trace.steps',
  ]).action(async (id: string, options: CommonOptions) => {
    await withTemporal(options, async ({ temporal, output }) => {
      const end = await waitForEnd(temporal, id, output.notes);
      if (output.json) output.value({ ...resultLine(end), trace: end.result?.trace ?? null });
      else printAnswer(output, end);
      return exitCodeOf(end.outcome);
    });
  });
}

const OUTCOMES = `
Exit codes: 0 completed; 3 an answer that is not verified, cut by a budget or stopped; 1 failed; 130 cancelled;
2 when the call itself was wrong.`;
