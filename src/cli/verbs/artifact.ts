/** `artifact`: the texts that a run has written beside its conversation. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { errorText } from '../../core/text/error-text.js';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import { SteersmanError } from '../../shared/errors.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { artifactLine } from '../print/show-run.js';
import { userPath } from '../user-path.js';

interface ArtifactOptions extends CommonOptions {
  save?: string;
}

export function addArtifact(program: Command): void {
  const verb = program
    .command('artifact')
    .description('List the artifacts of a run, or print one: a report, code, a plan that it wrote.')
    .argument('<id>', 'id of the run')
    .argument('[name]', 'id of the artifact (default: list them)')
    .option('--save <file>', 'write its content to this file');
  describeVerb(verb, [
    verbCall('artifact my-run'),
    verbCall('artifact my-run report --save report.md'),
    quietVerbCall('artifact my-run report > report.md'),
  ]).action(async (id: string, name: string | undefined, { save, ...options }: ArtifactOptions) => {
    if (name === undefined && save !== undefined)
      throw new SteersmanError(
        '--save takes one artifact, and none is named.',
        `Name it: ${verbCall(`artifact ${id} NAME --save ${save}`)}. Which there are: ${verbCall(`artifact ${id}`)}`,
        'usage',
      );
    await withRun(options, id, async (run, { output }) => {
      if (name === undefined) {
        for (const artifact of await run.artifacts())
          if (output.json) output.value(artifact);
          else output.out.line(artifactLine(artifact));
        return EXIT.ok;
      }
      const artifact = await run.artifact(name);
      if (save !== undefined) {
        const file = userPath(save);
        await writeText(file, artifact.text);
        if (!output.json) output.notes.line(`Wrote ${file}`);
      }
      if (output.json) output.value(artifact);
      else if (save === undefined) output.out.line(artifact.text);
      return EXIT.ok;
    });
  });
}

async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new SteersmanError(
      `The artifact can not be written: ${errorText(error)}`,
      'Name another file with --save.',
      'host',
    );
  }
}
