/** `stored`: a text that a run keeps by reference, whole. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { createLocalBlobStore } from '../../blobs/blob-store.js';
import { SteersmanError } from '../../errors.js';
import { resolveHome } from '../../stack/home.js';
import { EXIT } from '../exit-codes.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';

/** More than any text that a run keeps. */
const MOST_BYTES = 64 * 1024 * 1024;

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
        const store = createLocalBlobStore(join(resolveHome(), 'blobs'));
        const page = await store.read(id, ref, { offset: 0, length: MOST_BYTES });
        if (!page)
          throw new SteersmanError(
            `There is no stored text ${ref} of the run ${id} in ${join(resolveHome(), 'blobs')}.`,
            'Give the reference exactly as it is shown, on a machine that has the blobs of the worker.',
            'not_found',
          );
        const text = page.data.toString('utf8');
        if (output.json) output.value({ id, ref, text });
        else output.out.line(text);
        return EXIT.ok;
      });
    },
  );
}
