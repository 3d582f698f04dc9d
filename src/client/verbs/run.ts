/** A goal as the whole of a command line: `steersman "…"`, and in a checkout `npm start -- "…"`. */
import type { Command } from 'commander';
import { quietStartCall, startCall } from '../../shared/called-as.js';
import { EXIT } from '../exit-codes.js';
import { isTerminal } from '../session/terminal.js';
import { type CommonOptions, describeVerb, withClient } from './command.js';
import { resumeLeftOpen, tellLeftOpen } from './left-open.js';
import { NOTIFY_HELP, notifyOption } from './notify.js';
import { runGoal } from './run-goal.js';
import { addStartOptions, readStart, type StartWords, startOptions } from './start-options.js';
import { trustForStart } from './trusted-dir.js';

/** How long a run of a session that is gone waits for the next goal. */
const SESSION_OPEN_SECONDS = 600;

interface RunOptions extends StartWords, CommonOptions {
  resumeOpen?: boolean;
  notify?: URL;
}

async function run(goal: string | undefined, options: RunOptions, command: Command): Promise<void> {
  const resume = options.resumeOpen === true;
  await trustForStart(options);
  const interactive = isTerminal() && options.json !== true;
  const session = interactive ? { attended: true, keepOpen: options.keepOpen ?? SESSION_OPEN_SECONDS } : {};
  const words = { ...options, ...session };
  const onlyResumes = resume && goal === undefined && options.prompt === undefined;
  const read = onlyResumes ? null : await readStart(goal, words, command);
  const { configDir } = await startOptions(words);
  await withClient(options, async context => {
    if (resume) await resumeLeftOpen(context, configDir);
    else await tellLeftOpen(context);
    return read === null ? EXIT.ok : runGoal(context, read, { interactive, notify: options.notify });
  });
}

/** Makes a program one that runs a goal. */
export function addRun(program: Command): Command {
  addStartOptions(program)
    .description(
      'Runs a goal to its end and prints the answer: starts the local stack (unless TEMPORAL_ADDRESS is set), the run and its live view.',
    )
    .argument('[goal]', 'what the team should do, in quotes; - reads it from stdin')
    .option('--notify <url>', NOTIFY_HELP, notifyOption)
    .option('--resume-open', 'go on with the runs that an earlier session left open')
    .action(run);
  return describeVerb(program, [
    startCall('"Summarise what is in this folder"'),
    startCall('"Fix the typos in README.md" --workspace ../site --yes'),
    startCall('--prompt git:review branch=main'),
    quietStartCall('"How many tests are there?" --json'),
  ]).addHelpText('after', IN_A_TERMINAL);
}

const IN_A_TERMINAL = `
In a terminal: Enter sends what you type to the running team, Alt+Enter queues the next goal, Esc interrupts,
/help tells the rest. What needs your consent is asked there; after the answer a line is the next goal, and
Ctrl-C leaves. Elsewhere: what would be asked is refused, unless --yes approves it or --attended waits for an
answer from another terminal; Ctrl-C asks the run to stop with what there is, and a second one leaves it
running in the background.
Exit codes: 0 completed; 3 an answer that is not verified, cut by a budget or stopped; 1 failed; 130 cancelled
or left running; 2 when the call itself was wrong.`;
