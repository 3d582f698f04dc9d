/** `export`: the Temporal history of a run, in the form that replay tests take. */

import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { errorText } from '../../core/text/error-text.js';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { userPath } from '../user-path.js';

interface ExportOptions extends CommonOptions {
  out?: string;
  runId?: string;
}

export function addExport(program: Command): void {
  const verb = program
    .command('export')
    .description("Print a run's Temporal history as JSON, the form that replay tests take.")
    .argument('<id>', 'id of the run')
    .option('--out <file>', 'write it to this file')
    .option('--run-id <runId>', 'an earlier segment of a run that continued as new (default: the latest)');
  describeVerb(verb, [
    verbCall('export my-run --out history.json'),
    quietVerbCall('export my-run > history.json'),
  ]).action(async (id: string, { out, runId, ...options }: ExportOptions) => {
    await withRun(options, id, async (run, { output }) => {
      const { runId: part, json } = await run.history(runId === undefined ? {} : { runId });
      if (out === undefined) output.document(json);
      else {
        const file = userPath(out);
        await save(file, json);
        if (output.json) output.value({ id, runId: part, file });
        else output.notes.line(`Wrote ${file}`);
      }
      return EXIT.ok;
    });
  });
}

async function save(path: string, json: string): Promise<void> {
  try {
    await writeFile(path, `${json}\n`);
  } catch (error) {
    const reason = errorText(error);
    throw new SteersmanError(
      `The history can not be written: ${reason}`,
      'Name another file with --out.',
      'host',
    );
  }
}
