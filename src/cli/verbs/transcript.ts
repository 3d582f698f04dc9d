/** `transcript`: the conversation of a run. */
import type { Command } from 'commander';
import { quietVerbCall } from '../../shared/called-as.js';
import { type CommonOptions, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { transcriptMarkdown } from '../print/transcript.js';

interface TranscriptOptions extends CommonOptions {
  thread?: string;
}

export function addTranscript(program: Command): void {
  const verb = program
    .command('transcript')
    .description(
      'Print the conversation of a run as Markdown: what its roles were told, said, called and got. With --json one message a line.',
    )
    .argument('<id>', 'id of the run')
    .option('--thread <name>', 'only this one, such as main (default: all, the main one first)');
  describeVerb(verb, [
    quietVerbCall('transcript my-run > my-run.md'),
    quietVerbCall('transcript my-run --json | jq .kind'),
  ]).action(async (id: string, { thread, ...options }: TranscriptOptions) => {
    await withRun(options, id, async (run, { output }) => {
      const transcripts = await run.transcript(thread === undefined ? {} : { thread });
      if (!output.json) output.out.line(transcriptMarkdown(id, transcripts));
      else
        for (const { thread: name, messages } of transcripts)
          for (const message of messages) output.value({ thread: name, ...message });
      return EXIT.ok;
    });
  });
}
