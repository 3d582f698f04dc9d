/** `steer` and `follow-up`: saying something to a run. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { SentMessage } from '../../client/index.js';
import { READERS } from '../../core/agents/modes.js';
import { STEER_TIMES, type SteerTime } from '../../core/steering/inbox.js';
import { startCall, verbCall } from '../../shared/called-as.js';
import { anyOf } from '../../shared/format.js';
import { terminalText } from '../../shared/terminal-text.js';
import { type CommonOptions, type Context, describeVerb, withRun } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { readWords } from '../start-options.js';

interface SteerOptions extends CommonOptions {
  when: SteerTime;
  to?: string;
}

const WHEN = `
When it takes effect:
  skip         the tool call in progress ends, the rest of its batch is skipped, then it is read
  after-batch  all tool calls that were asked for run first
  interrupt    the model call in progress, or a tool call that may be, is cut off`;

export function addSteer(program: Command): void {
  const verb = program
    .command('steer')
    .description('Say something to the running goal; the run tells what will happen to it.')
    .argument('<id>', 'id of the run')
    .argument('<text>', 'what to say, in quotes; - reads it from stdin')
    .addOption(new Option('--when <when>', 'when it takes effect').choices(STEER_TIMES).default('skip'))
    .option(
      '--to <reader>',
      `${anyOf([...READERS, 'a sub-agent, such as search/1'])} (default: the one at work)`,
    )
    .allowExcessArguments()
    .addHelpText('after', WHEN);
  describeVerb(verb, [
    verbCall('steer my-run "Leave the tests out"'),
    verbCall('steer my-run "Stop, wrong folder: use ./site" --when interrupt'),
  ]).action(async (id: string, words: string, { when, to, ...options }: SteerOptions, command: Command) => {
    const text = await readWords(words, command, 2, 'text');
    await withRun(options, id, async (run, context) =>
      told(context, id, await run.steer(text, { when, ...(to === undefined ? {} : { to }) })),
    );
  });
}

export function addFollowUp(program: Command): void {
  const verb = program
    .command('follow-up')
    .description('Queue the next goal of a run: it begins when the one at hand is answered.')
    .argument('<id>', 'id of the run')
    .argument('<text>', 'the next goal, in quotes; - reads it from stdin')
    .allowExcessArguments();
  describeVerb(verb, [verbCall('follow-up my-run "Now the same for the folder docs"')]).action(
    async (id: string, words: string, options: CommonOptions, command: Command) => {
      const text = await readWords(words, command, 2, 'text');
      await withRun(options, id, async (run, context) => told(context, id, await run.followUp(text)));
    },
  );
}

/** Prints the receipt. A message that was dropped is an error of the call. */
function told({ output }: Context, id: string, { id: messageId, state, how }: SentMessage): number {
  const dropped = state === 'dropped';
  if (output.json) output.value({ id, messageId, state, how: how || null });
  else if (dropped) output.notes.line(`Not taken: ${terminalText(how)}`);
  else if (state !== 'sent') output.out.line(`${state}: ${terminalText(how)}`);
  else {
    output.out.line('Sent.');
    output.notes.line(
      `No worker has taken it yet: it is read when one serves the run (${startCall('--resume-open')}).`,
    );
  }
  return dropped ? EXIT.usage : EXIT.ok;
}
