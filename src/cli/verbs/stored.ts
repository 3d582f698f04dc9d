/** `stored`: a text that a run keeps by reference, whole. */

import type { Command } from 'commander';
import { quietVerbCall } from '../../shared/called-as.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';

export function addStored(program: Command): void {
  const verb = program
    .command('stored')
    .description(
      'Print a long text of a run whole: an answer, a report, a result that is shown as head and tail.',
    )
    .argument('<id>', 'id of the run')
    .argument('<ref>', 'the reference that stands where the text was cut, such as blob:…');
  describeVerb(verb, [quietVerbCall('stored my-run blob:my-run-1f2e/9a0b > report.md')]).action(
    async (id: string, ref: string, options: CommonOptions) => {
      await withRun(options, id, async (run, { output }) => {
        const text = await run.stored(ref);
        if (output.json) output.value({ id, ref, text });
        else output.out.line(text);
        return EXIT.ok;
      });
    },
  );
}
