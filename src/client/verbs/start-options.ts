/** The options of `npm start` and the verb `start`: what to run, and how. */

import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CONFIG_OPTION } from '../../config/config-dir.js';
import { readTextIfPresent } from '../../config/files.js';
import { parseYaml } from '../../config/yaml-source.js';
import { isRecord } from '../../core/json.js';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.js';
import { DEFAULT_MODE, MODES, MODES_HELP, type Mode, modeFor } from '../../core/modes.js';
import { readLimits } from '../../print/limit-words.js';
import { SteersmanError } from '../../shared/errors.js';
import { checkStart, type StartOptions } from '../index.js';
import { positiveInteger } from './command.js';
import { userPath } from './user-path.js';

/** Adds the goal and all options of a start. */
export function addStartOptions(command: Command): Command {
  return command
    .allowExcessArguments()
    .addOption(
      new Option(
        '--mode <mode>',
        `how the goal is pursued: ${MODES_HELP} (default: ${DEFAULT_MODE}, with --role ${modeFor('')})`,
      ).choices(MODES),
    )
    .option('--role <name>', 'the role that works on the goal: its file is prompts/core/<name>.md')
    .option('--model <endpoint/model>', 'model of every role, before steersman.yaml')
    .option('--configuration <name>', 'models of this run: one of models.configurations of steersman.yaml')
    .option('--workspace <dir>', 'folder that tools work in (default: where you are)')
    .option('--id <id>', 'id of the run (default: the goal’s first words and something random)')
    .option('--yes', 'what would be asked is approved: tools that are not read-only run')
    .option('--attended', 'a person will answer what is asked (default: in a terminal session)')
    .option('--approve-plan', 'the plan waits for a person before it is carried out')
    .option('--keep-open <seconds>', 'stay open for follow-ups after an answer', positiveInteger)
    .option('--after <id>', 'go on from a run that has ended: its goals and answers are known to this one')
    .option(
      '--limit <name=value>',
      `cap of this run, repeatable: ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
      addLimit,
    )
    .option('--settings <file>', 'YAML or JSON with systemMessage, context, limits, clientTools of this run')
    .option('--config <dir>', CONFIG_OPTION)
    .option('--task-queue <name>', 'queue of your own worker (STEERSMAN_TASK_QUEUE)');
}

function addLimit(word: string, limits: Partial<Limits> = {}): Partial<Limits> {
  return { ...limits, ...readLimits([word]) };
}

/** What to start, as words of the command line. */
export interface StartWords {
  id?: string;
  mode?: Mode;
  role?: string;
  model?: string;
  configuration?: string;
  workspace?: string;
  taskQueue?: string;
  config?: string;
  yes?: boolean;
  attended?: boolean;
  approvePlan?: boolean;
  /** Seconds. */
  keepOpen?: number;
  after?: string;
  /** File with further settings. */
  settings?: string;
  /** Limits by name, judged with the rest. */
  limit?: Partial<Limits>;
}

/** A goal and how to pursue it. */
export interface ReadStart {
  goal: string;
  start: StartOptions;
}

/** What is asked for, checked before anything is started. Throws a SteersmanError that names all that is wrong. */
export async function readStart(argument: string, words: StartWords, command: Command): Promise<ReadStart> {
  // It is read as it came: nobody knows what was meant as goal where it came as several words.
  const goal = await readWords(argument, command, 1, 'goal');
  const start = await startOptions(words);
  await checkStart(goal, start);
  return { goal, start };
}

/** The options as the command line gives them, over those of `--settings`. */
export async function startOptions(words: StartWords): Promise<StartOptions> {
  const { clientTools, ...file } = words.settings === undefined ? {} : await readSettingsFile(words.settings);
  // What the file holds is judged with the rest, under its own names.
  return {
    ...file,
    ...(clientTools === undefined ? {} : { tools: clientTools as StartOptions['tools'] & object }),
    workspace: userPath(words.workspace ?? '.'),
    autoApprove: words.yes === true,
    ...(words.id === undefined ? {} : { id: words.id }),
    ...(words.mode === undefined ? {} : { mode: words.mode }),
    ...(words.role === undefined ? {} : { role: words.role }),
    ...(words.model === undefined ? {} : { model: words.model }),
    ...(words.configuration === undefined ? {} : { configuration: words.configuration }),
    ...(words.attended ? { attended: true } : {}),
    ...(words.approvePlan ? { approvePlan: true } : {}),
    ...(words.keepOpen === undefined ? {} : { keepOpenSeconds: words.keepOpen }),
    ...(words.after === undefined ? {} : { after: words.after }),
    ...(words.taskQueue === undefined ? {} : { taskQueue: words.taskQueue }),
    ...(words.config === undefined ? {} : { configDir: userPath(words.config) }),
    ...(words.limit === undefined
      ? {}
      : { limits: { ...(isRecord(file.limits) ? file.limits : {}), ...words.limit } }),
  };
}

/** What has no option of its own: `systemMessage`, `context`, `limits`, `clientTools`, in YAML or JSON. */
async function readSettingsFile(given: string): Promise<Record<string, unknown>> {
  const path = userPath(given);
  const content = await readTextIfPresent(path);
  if (content !== null) return parseYaml(content, path).value;
  throw new SteersmanError(
    `The file of settings ${path} does not exist.`,
    'See --help for how to start a run.',
    'usage',
  );
}

/** The text that is argument number `position` and the last; `-` reads it from stdin. Throws a SteersmanError when it came as several. */
export async function readWords(
  argument: string,
  command: Command,
  position: number,
  name: string,
): Promise<string> {
  const words = command.args.slice(position - 1);
  if (words.length > 1) {
    throw new SteersmanError(
      `The ${name} came as ${words.length} words: ${words.join(' ')}.`,
      `Put it in quotes: "${words.join(' ')}"`,
      'usage',
    );
  }
  const given = argument === '-' ? await text(process.stdin) : argument;
  if (name === 'goal' || given.trim() !== '') return given;
  throw new SteersmanError(`The ${name} is empty.`, 'Say it in quotes.', 'usage');
}
