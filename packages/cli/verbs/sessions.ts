/** `sessions`: reads stored conversations without Temporal, even those whose runs it has deleted. */
import { createInterface } from 'node:readline/promises';
import {
  belowHeading,
  definedOptions,
  EXIT,
  padId,
  positiveInteger,
  transcriptMarkdown,
} from '@steersman/print';
import { type Command, Option } from 'commander';
import { formatDuration, preview } from 'steersman/base';
import {
  causeText,
  type Hit,
  type SessionLine,
  Sessions,
  SteersmanError,
  type StoredRun,
} from 'steersman/client';
import {
  createOutput,
  oneLine,
  quietVerbCall,
  shellWord,
  startCall,
  terminalText,
  verbCall,
} from 'steersman/shared';
import { type CommonOptions, describeVerb, withClient } from '../command/command.js';

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
    .option('--limit <n>', 'at most this many', positiveInteger, 20)
    .option('--goal <text>', 'only those with these words in their first goal');
  describeVerb(list, [verbCall('sessions list'), verbCall('sessions list --goal changelog')]).action(
    async ({ limit, goal, ...options }: CommonOptions & { limit: number; goal?: string }) => {
      const { json, out, notes, value } = createOutput(options);
      const lines = await new Sessions().list({ limit, ...definedOptions({ text: goal }) });
      for (const line of lines)
        if (json) value(line);
        else out.line(sessionLine(line, Date.now()));
      if (lines.length === 0) notes.line('No conversation matches.');
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
    for (const run of await new Sessions().show(id))
      if (json) value(run);
      else out.line(runMarkdown(run));
  });
  const search = sessions
    .command('search')
    .description('Find messages that have all of these words, in any conversation.')
    .argument('<words...>', 'exact words, in any case')
    .option('--limit <n>', 'at most this many', positiveInteger, 20);
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
  addExport(sessions);
  addBranch(sessions);
  addDelete(sessions);
}

function addExport(sessions: Command): void {
  const verb = sessions
    .command('export')
    .description(
      'Print a conversation for another system: as Markdown, or as one JSON document with the type of each message.',
    )
    .argument('<id>', 'id of the conversation')
    .addOption(new Option('--format <format>', 'form of the document').choices(['md', 'json']).default('md'));
  describeVerb(verb, [
    quietVerbCall('sessions export my-run > my-run.md'),
    quietVerbCall('sessions export my-run --format json > my-run.json'),
  ]).action(async (id: string, { format, ...options }: CommonOptions & { format: 'md' | 'json' }) => {
    const { out, value } = createOutput(options);
    const sessions = new Sessions();
    if (format === 'json' || options.json) return value(await sessions.export(id));
    for (const run of await sessions.show(id)) out.line(runMarkdown(run));
  });
}

function addBranch(sessions: Command): void {
  const verb = sessions
    .command('branch')
    .description(
      'Go back to a message, and go on from there as a conversation of its own: what came before is shared.',
    )
    .argument('<id>', 'id of the conversation')
    .requiredOption('--at <message>', 'the last message that counts, such as m12, or my-run~2/m12')
    .option('--to <id>', 'id of the new conversation');
  describeVerb(verb, [verbCall('sessions branch my-run --at m12 --to my-other-way')]).action(
    async (id: string, { at, to, ...options }: CommonOptions & { at: string; to?: string }) => {
      const { json, out, value } = createOutput(options);
      const branch = await new Sessions().branch(id, { at, ...definedOptions({ to }) });
      if (json) return value({ id: branch });
      out.line(`Branch   ${terminalText(branch)}`);
      out.line(`Go on    ${startCall(`"…" --session ${shellWord(branch)}`)}`);
    },
  );
}

function addDelete(sessions: Command): void {
  const verb = sessions
    .command('delete')
    .description(
      'Remove a conversation permanently: from the store, with its texts, and its ended runs from Temporal.',
    )
    .argument('<id>', 'id of the conversation')
    .option('--yes', 'without asking');
  describeVerb(verb, [verbCall('sessions delete my-run'), verbCall('sessions delete my-run --yes')]).action(
    async (id: string, { yes = false, ...options }: CommonOptions & { yes?: boolean }) => {
      if (!yes && !(await isWanted(id))) return;
      await withClient(options, async ({ client, output: { notes } }) => {
        await client.deleteSession(id);
        notes.line(`Deleted ${terminalText(id)}`);
        return EXIT.ok;
      });
    },
  );
}

async function isWanted(id: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new SteersmanError(
      'No person can confirm here that the conversation should be deleted permanently.',
      `Say so: ${verbCall(`sessions delete ${id} --yes`)}`,
      'usage',
    );
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`Delete ${terminalText(id)} permanently? [y/N] `)).trim());
  } finally {
    asking.close();
  }
}

/** Longer than the stored titles and the texts of hits. */
const SHOWN_CHARS = 300;

function sessionLine({ id, title, changedAt }: SessionLine, now: number): string {
  return `${padId(id, ID_COLUMNS)}  ${formatDuration(now - changedAt).padStart(11)}  ${terminalText(preview(title, SHOWN_CHARS))}`;
}

function hitLine({ session, message, text }: Hit): string {
  return `${padId(session, ID_COLUMNS)}  ${oneLine(message).padStart(6)}  ${terminalText(preview(text, SHOWN_CHARS))}`;
}

function runMarkdown({ run, transcript }: StoredRun): string {
  const { workflowId, outcome, cause, answer } = run;
  const end =
    outcome === null
      ? 'It had not ended when it was stored.'
      : `Outcome: ${outcome}${cause ? `, ${causeText(cause)}` : ''}`;
  return [
    transcriptMarkdown(workflowId, transcript),
    end,
    ...(answer === null ? [] : ['## Answer', belowHeading(answer)]),
  ].join('\n\n');
}
