/** The options of `npm start` and the verb `start`. */

import { readFile, realpath } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  definedOptions,
  notEmpty,
  numberUpTo,
  positiveInteger,
  readLimits,
  userPath,
} from '@steersman/print';
import { leftOutLine, promptText } from '@steersman/session';
import { type Command, Option } from 'commander';
import { errorText, isRecord, preview } from 'steersman/base';
import {
  type Check,
  checkStart,
  DEFAULT_LIMITS,
  type Limits,
  readConversation,
  Sessions,
  STEP_FAILURE_POLICIES,
  type StartOptions,
  type StartPicture,
  SteersmanError,
} from 'steersman/client';
import { CONFIG_OPTION, errorCode, parseYaml } from 'steersman/config';
import { DEFAULT_MODE, MODES_HELP, modeFor } from 'steersman/run';
import { errorLine, startCall, verbCall } from 'steersman/shared';

export function addStartOptions(command: Command): Command {
  return addRunOptions(command)
    .option('--id <id>', 'id of the run (default: the goal’s first words and a random suffix)')
    .option(
      '--attended',
      'a person will answer what is asked (default: in a terminal session, and of start without --yes)',
    )
    .option('--no-attended', 'no person attends: questions take the safe answer at once')
    .option('--approve-plan', 'the plan waits for a person before it is carried out')
    .option('--keep-open <seconds>', 'stay open for follow-ups after an answer', positiveInteger)
    .option(
      '--session <id>',
      'continue this conversation: the run knows what was said; if a run of it is open, the goal is queued there',
    )
    .option('--continue', 'continue the newest conversation of this workspace')
    .option('--after <id>', 'continue from an ended run: this one knows its goals and answers')
    .option(
      '--messages <file>',
      'begin with the conversation of this JSON file: chat completions, Responses, Anthropic, or from sessions export',
    )
    .option(
      '--picture <file>',
      'a picture that belongs to the goal, for models that see it (PNG, JPEG, GIF, WebP); repeatable',
      (file: string, files: string[] = []) => [...files, notEmpty(file)],
    )
    .option(
      '--prompt <server:name>',
      'use this prompt of a tool server as the goal; its arguments follow as name=value',
    );
}

/** Adds the options that say how a goal is pursued, for starts and schedules. */
export function addRunOptions(command: Command): Command {
  return command
    .option(
      '--mode <mode>',
      `how the goal is pursued: ${MODES_HELP} (default: ${DEFAULT_MODE}; with --role, ${modeFor('')})`,
    )
    .option('--role <role-file>', 'the role that works on the goal: its file is prompts/core/<role-file>.md')
    .option('--model <endpoint/model>', 'model of every role, in place of those that steersman.yaml names')
    .option('--configuration <name>', 'models of this run: one of models.configurations of steersman.yaml')
    .option(
      '--temperature <number>',
      "0 to 2, for every role (default: the role's, else the endpoint's)",
      numberUpTo(2),
    )
    .option(
      '--max-output-tokens <number>',
      "tokens of one reply, for every role (default: the role's, else 16384 or 8192)",
      positiveInteger,
    )
    .option('--workspace <dir>', 'folder that tools work in (default: the current folder)')
    .option('--yes', 'approve without asking what needs consent, such as tools that write')
    .option('--project-notes', 'give the roles what AGENTS.md of the workspace says about the project')
    .option(
      '--limit <name=value>',
      `a limit of this run, such as turns=50; repeatable. The limits are: ${Object.keys(DEFAULT_LIMITS).join(', ')}`,
      (word: string, limits: Partial<Limits> = {}) => ({ ...limits, ...readLimits([word]) }),
    )
    .option(
      '--check <command>',
      'a check that the goal must pass: a command that ends with code 0 in the workspace; repeatable',
      (command: string, checks: Check[] = []) => [...checks, { run: notEmpty(command) }],
    )
    .option('--answer <file>', 'JSON Schema that the answer must fit: the result has it as `value` (--json)')
    .option(
      '--settings <file>',
      'YAML or JSON with systemMessage, context, limits, checks, clientTools of this run',
    )
    .addOption(
      new Option('--on-step-failure <policy>', 'what the mode plan does when a task has failed').choices(
        STEP_FAILURE_POLICIES,
      ),
    )
    .option('--config <dir>', CONFIG_OPTION)
    .option('--task-queue <name>', 'queue of your own worker (STEERSMAN_TASK_QUEUE)');
}

/** Names that are the same on the command line and in the options of a start. */
const SAME = [
  'id',
  'mode',
  'role',
  'model',
  'configuration',
  'temperature',
  'maxOutputTokens',
  'taskQueue',
  'attended',
  'approvePlan',
  'onStepFailure',
  'projectNotes',
  'after',
  'session',
] as const;

export interface StartWords extends Pick<StartOptions, (typeof SAME)[number] | 'workspace'> {
  /** A person is asked, unless an option says otherwise or approves everything. */
  waits?: true;
  config?: string;
  continue?: boolean;
  yes?: boolean;
  keepOpen?: number;
  messages?: string;
  picture?: string[];
  prompt?: string;
  settings?: string;
  answer?: string;
  /** Limits by name, which are validated with the other options. */
  limit?: Partial<Limits>;
  /** Each check is a command. */
  check?: Check[];
}

export interface ReadStart {
  goal: string;
  start: StartOptions;
}

/** Reads and validates a start before anything is started. Throws a SteersmanError that names all faults. */
export async function readStart(
  argument: string | undefined,
  words: StartWords,
  command: Command,
): Promise<ReadStart> {
  const goal = await readGoal(argument, words, command);
  const start = { ...(await startOptions(words)), keptPermissions: true };
  await checkStart(goal, start);
  return { goal, start };
}

async function readGoal(
  argument: string | undefined,
  { prompt, config, workspace = '.' }: StartWords,
  command: Command,
): Promise<string> {
  if (prompt !== undefined) {
    const expanded = await promptText(prompt, command.args, { config, workspace: userPath(workspace) });
    errorLine([`The goal, by ${prompt}:`, expanded.text, ...leftOutLine(expanded), ''].join('\n'));
    return expanded.text;
  }
  // With several arguments, it is unclear which words are the goal.
  if (argument !== undefined) return readWords(argument, command, 1, 'goal');
  throw new SteersmanError(
    'There is no goal.',
    `Say what to do: ${startCall('"Summarise what is in this folder"')}`,
    'usage',
  );
}

/** Returns the options of the command line merged over those of `--settings`. */
export async function startOptions(words: StartWords): Promise<StartOptions> {
  const { clientTools, ...file } = words.settings === undefined ? {} : await readSettingsFile(words.settings);
  const { config, yes, keepOpen, limit, check, messages, picture, answer, workspace = '.' } = words;
  // Values of the file are validated with the others, under the file's own names.
  return {
    ...(words.waits && { attended: yes !== true }),
    ...file,
    ...definedOptions({
      ...Object.fromEntries(SAME.map(name => [name, words[name]])),
      tools: clientTools as StartOptions['tools'] & object,
      keepOpenSeconds: keepOpen,
      messages: messages === undefined ? undefined : await readMessagesFile(messages),
      pictures: picture && (await Promise.all(picture.map(readPicture))),
      answer: answer === undefined ? undefined : await readSchemaFile(answer),
      configDir: config === undefined ? undefined : userPath(config),
      checks: check && [...(Array.isArray(file.checks) ? file.checks : []), ...check],
      limits: limit && { ...(isRecord(file.limits) ? file.limits : {}), ...limit },
    }),
    workspace: userPath(workspace),
    autoApprove: yes === true,
    ...(words.continue === true && { session: await newestSession(userPath(workspace), words) }),
  };
}

async function newestSession(workspace: string, { session }: Pick<StartWords, 'session'>): Promise<string> {
  if (session !== undefined)
    throw new SteersmanError('--continue and --session: give one of the two.', '', 'usage');
  const real = await realpath(workspace).catch(() => workspace);
  const [newest] = await new Sessions().list({ limit: 1, workspace: real });
  if (newest) return newest.id;
  throw new SteersmanError(
    `The workspace ${real} has no conversation to continue.`,
    `List all conversations: ${verbCall('sessions list')}`,
    'not_found',
  );
}

async function readMessagesFile(given: string): Promise<StartOptions['messages'] & object> {
  const path = userPath(given);
  const contents = await readNamed(path, 'messages');
  try {
    return readConversation(JSON.parse(contents));
  } catch (error) {
    const why =
      error instanceof SteersmanError ? error.message : `it is not JSON: ${preview(errorText(error))}`;
    const remedy = error instanceof SteersmanError ? error.remedy : 'It must be one JSON document.';
    throw new SteersmanError(`${path}: ${why}`, remedy, 'usage');
  }
}

const TYPES: Readonly<Record<string, StartPicture['mimeType']>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
};

async function readPicture(given: string): Promise<StartPicture> {
  const path = userPath(given);
  const mimeType = TYPES[extname(path).toLowerCase()];
  const kinds = Object.keys(TYPES).join(', ');
  if (mimeType === undefined)
    throw new SteersmanError(`The picture ${path} must be of one of these kinds: ${kinds}.`, '', 'usage');
  const bytes = await readFile(path).catch((error: unknown) => unreadable(path, 'the picture', error));
  return { name: basename(path).slice(0, 100), mimeType, base64: bytes.toString('base64') };
}

/** Reads a JSON Schema, which is validated with the other options. YAML is not read, because null is a value here. */
async function readSchemaFile(given: string): Promise<StartOptions['answer'] & object> {
  const path = userPath(given);
  const text = await readNamed(path, 'the schema');
  const refused = (why: string) =>
    new SteersmanError(
      `The file of the schema ${path}: ${why}.`,
      'It must be one JSON Schema of an object.',
      'usage',
    );
  let schema: StartOptions['answer'] & object;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw refused(`it is not JSON: ${preview(errorText(error))}`);
  }
  // As an option null would stand for no schema.
  if (schema === null) throw refused('it holds null');
  return schema;
}

/** Reads settings that have no option: `systemMessage`, `context`, `limits`, `checks`, `clientTools`, in YAML or JSON. */
async function readSettingsFile(given: string): Promise<Record<string, unknown>> {
  const path = userPath(given);
  return parseYaml(await readNamed(path, 'settings'), path).value;
}

/** Reads a file that a person names, which may be a pipe: --settings <(…) */
async function readNamed(path: string, what: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => unreadable(path, what, error));
}

function unreadable(path: string, what: string, error: unknown): never {
  const why = errorCode(error) === 'ENOENT' ? 'does not exist' : `cannot be read (${errorCode(error)})`;
  throw new SteersmanError(
    `The file of ${what} ${path} ${why}.`,
    'See --help for how to start a run.',
    'usage',
  );
}

/** Returns the text of the last argument; `-` reads stdin. Throws a SteersmanError if it came as several words. */
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
  throw new SteersmanError(`The ${name} is empty.`, 'Write a text, in quotes.', 'usage');
}
