/** `sessions`: conversations that are kept, also those that Temporal has forgotten. They are read without it. */
import type { Command } from 'commander';
import { causeText, type Hit, type KeptRun, type SessionLine, Sessions } from '../../client/index.js';
import { quietVerbCall, verbCall } from '../../shared/called-as.js';
import { formatDuration } from '../../shared/format.js';
import { createOutput } from '../../shared/output.js';
import { terminalText } from '../../shared/terminal-text.js';
import { given, positiveInteger } from '../arguments.js';
import { type CommonOptions, describeVerb } from '../command.js';
import { padText } from '../print/layout.js';
import { transcriptMarkdown } from '../print/transcript.js';

const ID_COLUMNS = 39;

export function addSessions(program: Command): void {
  const sessions = program
    .command('sessions')
    .description(
      'Conversations in the store of this machine: they stay when Temporal has forgotten their runs.',
    );
  const list = sessions
    .command('list')
    .description('List conversations, the last changed first: id, age, beginning of the first goal.')
    .option('--limit <n>', 'at most so many', positiveInteger, 20)
    .option('--goal <text>', 'only those with these words in their first goal');
  describeVerb(list, [verbCall('sessions list'), verbCall('sessions list --goal changelog')]).action(
    async ({ limit, goal, ...options }: CommonOptions & { limit: number; goal?: string }) => {
      const { json, out, notes, value } = createOutput(options);
      const lines = await new Sessions().list({ limit, ...given({ text: goal }) });
      for (const line of lines)
        if (json) value(line);
        else out.line(sessionLine(line, Date.now()));
      if (lines.length === 0) notes.line('No conversation is like that.');
    },
  );
  const show = sessions
    .command('show')
    .description(
      'Print a conversation as Markdown: all that was said in its runs. With --json one run a line.',
    )
    .argument('<id>', 'id of the conversation');
  describeVerb(show, [
    quietVerbCall('sessions show my-run > my-run.md'),
    quietVerbCall('sessions show my-run --json | jq .run.answer'),
  ]).action(async (id: string, options: CommonOptions) => {
    const { json, out, value } = createOutput(options);
    for (const kept of await new Sessions().show(id))
      if (json) value(kept);
      else out.line(runMarkdown(kept));
  });
  const search = sessions
    .command('search')
    .description('Find messages that have all of these words, in any conversation.')
    .argument('<words...>', 'words, as they stand, in any case')
    .option('--limit <n>', 'at most so many', positiveInteger, 20);
  describeVerb(search, [verbCall('sessions search pool size')]).action(
    async (words: string[], { limit, ...options }: CommonOptions & { limit: number }) => {
      const { json, out, notes, value } = createOutput(options);
      const hits = await new Sessions().search(words.join(' '), { limit });
      for (const hit of hits)
        if (json) value(hit);
        else out.line(hitLine(hit));
      if (hits.length === 0) notes.line('No message has all of these words.');
    },
  );
}

function sessionLine({ id, title, changedAt }: SessionLine, now: number): string {
  return `${padText(id, ID_COLUMNS)}  ${formatDuration(now - changedAt).padStart(11)}  ${terminalText(title)}`;
}

function hitLine({ session, message, text }: Hit): string {
  return `${padText(session, ID_COLUMNS)}  ${message.padStart(6)}  ${terminalText(text)}`;
}

function runMarkdown({ run, transcript }: KeptRun): string {
  const { workflowId, outcome, cause, answer } = run;
  const end =
    outcome === null
      ? 'It had not ended when this was kept.'
      : `Outcome: ${outcome}${cause ? `, ${causeText(cause)}` : ''}`;
  return [
    transcriptMarkdown(workflowId, transcript),
    end,
    ...(answer === null ? [] : ['## Answer', answer]),
  ].join('\n\n');
}
