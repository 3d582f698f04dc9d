/** `stored`: a text that a run keeps by reference, whole. */
import type { Command } from 'commander';
import { SteersmanError } from '../../errors.js';
import { EXIT } from '../exit-codes.js';
import { blobFolder, readStored } from '../runs/stored-text.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';

export function addStored(program: Command): void {
  const verb = program
    .command('stored')
    .description(
      'Print a long text of a run whole: an answer, a report, a result that is shown as head and tail.',
    )
    .argument('<id>', 'id of the run')
    .argument('<ref>', 'the reference that stands where the text was cut, such as blob:…');
  describeVerb(verb, ['npm run --silent client -- stored my-run blob:my-run-1f2e/9a0b > report.md']).action(
    async (id: string, ref: string, options: CommonOptions) => {
      await withTemporal(options, async ({ output }) => {
        const text = await readStored(id, ref);
        if (text === null)
          throw new SteersmanError(
            `There is no stored text ${ref} of the run ${id} in ${blobFolder()}.`,
            'Give the reference exactly as it is shown, on a machine that has the blobs of the worker.',
            'not_found',
          );
        if (output.json) output.value({ id, ref, text });
        else output.out.line(text);
        return EXIT.ok;
      });
    },
  );
}
