/** `export`: the Temporal history of a run, in the form that replay tests take. */
import { writeFile } from 'node:fs/promises';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Command } from 'commander';
import { SteersmanError } from '../../errors.js';
import { EXIT } from '../exit-codes.js';
import { describeRun } from '../runs/runs.js';
import { userPath } from '../runs/start-run.js';
import { type CommonOptions, describeVerb, withTemporal } from './command.js';

interface ExportOptions extends CommonOptions {
  out?: string;
  runId?: string;
}

const FETCH_TIMEOUT_MS = 120_000;

export function addExport(program: Command): void {
  const verb = program
    .command('export')
    .description("Print a run's Temporal history as JSON, the form that replay tests take.")
    .argument('<id>', 'id of the run')
    .option('--out <file>', 'write it to this file')
    .option('--run-id <runId>', 'an earlier part of a run that continued as new (default: the latest)');
  describeVerb(verb, [
    'npm run client -- export my-run --out history.json',
    'npm run --silent client -- export my-run > history.json',
  ]).action(async (id: string, { out, runId, ...options }: ExportOptions) => {
    await withTemporal(options, async ({ temporal, output }) => {
      const { client } = temporal;
      const part = runId ?? (await describeRun(temporal, id)).runId;
      const handle = client.workflow.getHandle(id, part);
      const history = await client.withDeadline(Date.now() + FETCH_TIMEOUT_MS, () => handle.fetchHistory());
      const json = historyToJSON(history);
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new SteersmanError(
      `The history can not be written: ${reason}`,
      'Name another file with --out.',
      'host',
    );
  }
}
