/** Reads start requests, for clients and for the workflow, which trusts no client (ST5). Accepts any JSON. */

import {
  canonicalJson,
  isRecord,
  isText,
  isTexts,
  jsonBytes,
  nestsDeeper,
  stringOr,
  utf8Length,
} from '../../base/json/json.js';
import {
  ANSWER_SCHEMA_BYTES,
  KNOWN_MODELS_BYTES,
  MESSAGE_BYTES,
  SETTINGS_BYTES,
} from '../../base/sizes/bounds.js';
import { expected, isAbsent, quoted } from '../../base/text/output-fields.js';
import { isSound } from '../../base/text/schema-faults.js';
import { replaceUnseen } from '../../base/text/unseen.js';
import { newestWithin, readMessages } from '../../conversation/read-messages.js';
import { MOST_AGENT_DEPTH } from '../../run/agents/role.js';
import { PICTURE_TYPES, type RunSettings, wantsApproval } from '../../run/agents/run-config.js';
import { checksFault } from '../../run/checks/check.js';
import { limitsFault } from '../../run/limits/limits.js';
import type { Message } from '../../run/messages/message.js';
import { readKnownModels } from '../../run/models/model-use.js';
import { STEP_FAILURE_POLICIES } from '../../run/plan/plan.js';
import {
  heedsPolicy,
  isModeName,
  isOneRole,
  MODES,
  mayPlan,
  ONE_ROLE_MODES,
} from '../../run/position/modes.js';
import type { ClientTool } from '../../run/tools/tool.js';
import { CALLED_BY_WORKFLOW, isSubagent } from './subagent.js';

/** Longer goals do not fit a workflow input well: the goal should name a file instead. */
export const MAX_GOAL_BYTES = 1_000_000;
/** The message is in the prompt of every role, and the run pins them all. */
const MAX_SYSTEM_MESSAGE_BYTES = 20_000;
const MAX_CONTEXT_BYTES = 16_000;
const MAX_CLIENT_TOOLS = 64;
const MAX_CLIENT_TOOLS_BYTES = 40_000;
export const MAX_ALLOWED_TOOLS = 100;
/** Limit of characters of one entry of `allowTools`: a tool's name, with the digest of a permanently allowed tool. */
export const LONGEST_ALLOWED_TOOL = 150;
const DEEPEST_SCHEMA = 64;
const LONGEST_NAME = 200;
const LONGEST_PATH = 4_096;
/** A run may be kept open for a week. */
const MAX_KEEP_OPEN_SECONDS = 604_800;

export type StartRead =
  | { ok: true; goal: string; settings: RunSettings; given: InitialMessages }
  | { ok: false; errors: string[] };

/** The messages that a run begins with: at most 400 KB; `leftOut`: the number beyond that. */
export interface InitialMessages {
  messages: Message[];
  leftOut: number;
  /** Runs of its conversation whose end is unknown. */
  untold?: string[];
}

export const NOTHING_GIVEN: InitialMessages = { messages: [], leftOut: 0 };

/** Returns a valid start request, or all its faults with their paths. Null counts as absent. */
export function readStart(raw: unknown): StartRead {
  if (!isRecord(raw)) return { ok: false, errors: [expected('input', 'an object { goal, settings }', raw)] };
  const errors = unknownKeys(raw, ['goal', 'settings', 'messages', 'leftOut'], '');
  const goal = goalError(raw.goal);
  if (goal !== null) errors.push(goal);
  const { settings } = raw;
  if (!isRecord(settings)) {
    errors.push(expected('settings', 'an object { mode, workspace, autoApprove }', settings));
    return { ok: false, errors };
  }
  errors.push(...unknownKeys(settings, Object.keys(FAULTS), 'settings.'), ...settingFaults(settings));
  const given = readMessages(raw.messages ?? []);
  if (!given.ok) errors.push(...given.errors);
  else if (given.messages.length > 0 && !isAbsent(settings.session))
    errors.push(
      'A conversation begins with what the store has of it: give `messages` or `settings.session`.',
    );
  // A sub-agent belongs to its caller's conversation, whose name may come from another client.
  if (
    !isAbsent(settings.session) &&
    !isSubagent({ calledAs: stringOr(settings.calledAs, CALLED_BY_WORKFLOW) })
  )
    errors.push(...[nameFault(settings.session, 'settings.session')].filter(fault => fault !== null));
  if (!isAbsent(settings.model) && !isAbsent(settings.configuration))
    errors.push('One model serves every role: give `settings.model` or `settings.configuration`, not both.');
  const mode = isModeName(settings.mode) ? settings.mode : null;
  if (settings.approvePlan === true && mode !== null && !mayPlan(mode))
    errors.push(`\`settings.approvePlan\`: runs of the mode ${mode} have no plan to approve.`);
  if (!isAbsent(settings.onStepFailure) && mode !== null && !heedsPolicy(mode))
    errors.push(`\`settings.onStepFailure\`: the mode ${mode} does not use it; only plan and auto do.`);
  if (!isAbsent(settings.role) && mode !== null && !isOneRole(mode))
    errors.push(
      `\`settings.role\`: the mode ${mode} has its own roles. A role can be named only for ${ONE_ROLE_MODES.join(' or ')}.`,
    );
  // Known models are bounded by the calling run, and clients may not set them.
  const { knownModels: _known, pictures, ...own } = settings;
  if (!isAbsent(pictures) && utf8Length(stringOr(raw.goal, '')) > MESSAGE_BYTES)
    errors.push(`With \`settings.pictures\` a goal has at most ${MESSAGE_BYTES} bytes.`);
  const all = errors.length === 0 ? tooLarge(own, 'settings', SETTINGS_BYTES) : null;
  if (all !== null) errors.push(all);
  if (errors.length > 0 || !given.ok) return { ok: false, errors };
  const present = Object.entries(settings).filter(([, value]) => !isAbsent(value));
  // The cast is safe: every key was checked by its entry in FAULTS.
  const read = Object.fromEntries(present) as unknown as RunSettings;
  // A tool without a schema accepts anything.
  const whole = ({ name, description, inputSchema }: Partial<ClientTool> & { name: string }) => {
    return { name, description: description ?? '', inputSchema: inputSchema ?? { type: 'object' } };
  };
  if (read.clientTools) read.clientTools = read.clientTools.map(whole);
  const { messages, leftOut } = newestWithin(given.messages);
  const before = Number.isSafeInteger(raw.leftOut) ? Math.max(0, Number(raw.leftOut)) : 0;
  return { ok: true, goal: String(raw.goal), settings: read, given: { messages, leftOut: leftOut + before } };
}

/**
 * Returns why a run can't have a cron schedule or a retry policy: Temporal would restart it with the input of a later
 * segment, in the middle of the work.
 */
export function chainFault({ cronSchedule, retryPolicy }: Chain): string | null {
  if (cronSchedule !== undefined)
    return 'A run takes no cron schedule. Start it without one, or start runs repeatedly by a schedule (`schedule create`).';
  if (retryPolicy !== undefined && retryPolicy.maximumAttempts !== 1)
    return 'A run takes no retry policy, because it retries its calls itself. Start it without one.';
  return null;
}

interface Chain {
  cronSchedule?: string;
  retryPolicy?: { maximumAttempts?: number };
}

export function goalError(goal: unknown): string | null {
  if (typeof goal !== 'string' || goal.trim() === '')
    return 'The goal is empty: say what the team should do.';
  const bytes = utf8Length(goal);
  if (bytes > MAX_GOAL_BYTES) {
    return `The goal is ${bytes} bytes long, and at most ${MAX_GOAL_BYTES} are taken: put the text in a file of the workspace and name that file in the goal.`;
  }
  return null;
}

/**
 * Returns the fault of a run's or conversation's name: it is shown in lists, and a conversation's later runs add a
 * number to it.
 */
export function nameFault(name: unknown, at: string): string | null {
  const wanted = `a text of 1 to ${LONGEST_NAME} visible characters without spaces`;
  const isOne = isText(name) && /^\S+$/u.test(name) && name.length <= LONGEST_NAME && !/\p{Cs}/u.test(name);
  if (!isOne || replaceUnseen(name, () => ' ') !== name) return expected(at, wanted, name);
  return /~\d+$/.test(name)
    ? `\`${at}\` must not end in ~ and a number: later runs of a conversation have such names.`
    : null;
}

type Fault = (value: unknown, at: string) => string | null;

/** Returns the fault of a value that is not `wanted`, in words. */
function unless(fits: (value: unknown) => boolean, wanted: string): Fault {
  return (value, at) => (fits(value) ? null : expected(at, wanted, value));
}

const boolean = unless(value => typeof value === 'boolean', 'true or false');

function oneOf(words: readonly string[]): Fault {
  return unless(value => words.some(word => word === value), `one of ${words.join(', ')}`);
}

function wholeNumber(what: string, most: number): Fault {
  const fits = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
  return unless(fits, `a whole number ${what}up to ${most}`);
}

function text(maxBytes: number): Fault {
  return (value, at) => {
    if (!isText(value) || value.trim() === '') return expected(at, 'a text that is not empty', value);
    const bytes = utf8Length(value);
    return bytes > maxBytes ? `\`${at}\` has ${bytes} bytes, and at most ${maxBytes} are taken.` : null;
  };
}

const MOST_TEMPERATURE = 2;

function isTemperature(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MOST_TEMPERATURE;
}

/** Only the worker knows the declared modes. */
const MODE_WORDS = `one of ${MODES.join(', ')}, or the name of a mode that steersman.yaml declares`;

/** Each setting has a check, so that none is accepted unread. */
const FAULTS: Record<keyof RunSettings, Fault> = {
  mode: unless(isModeName, MODE_WORDS),
  role: text(LONGEST_NAME),
  workspace: unless(
    value => isText(value) && value.startsWith('/') && !value.includes('\0') && value.length <= LONGEST_PATH,
    "an absolute path on the worker's host",
  ),
  model: text(LONGEST_NAME),
  configuration: text(LONGEST_NAME),
  temperature: unless(isTemperature, `a number from 0 to ${MOST_TEMPERATURE}`),
  maxOutputTokens: unless(
    value => Number.isSafeInteger(value) && Number(value) >= 1,
    'a whole number from 1',
  ),
  systemMessage: text(MAX_SYSTEM_MESSAGE_BYTES),
  autoApprove: boolean,
  allowTools: toolNamesFault,
  limits: startLimitsFault,
  context: (value, at) =>
    isTexts(value)
      ? tooLarge(value, at, MAX_CONTEXT_BYTES)
      : expected(at, 'an object whose values are texts', value),
  attended: boolean,
  approvePlan: boolean,
  onStepFailure: oneOf(STEP_FAILURE_POLICIES),
  checks: checksFault,
  answer: answerFault,
  keepOpenSeconds: wholeNumber('of seconds ', MAX_KEEP_OPEN_SECONDS),
  projectNotes: boolean,
  pictures: picturesFault,
  clientTools: clientToolsFault,
  session: text(LONGEST_NAME),
  startedBy: text(LONGEST_NAME),
  calledAs: text(LONGEST_NAME),
  knownModels: (value, at) =>
    readKnownModels(value)
      ? tooLarge(value, at, KNOWN_MODELS_BYTES)
      : expected(at, 'an object { chosen: { all, roles }, out }', value),
  agentDepth: wholeNumber('', MOST_AGENT_DEPTH),
  continueAsNew: oneOf(['suggested', 'every-safe-point']),
};

/** Refuses requests that make a run part of another's work: such a run has no account, and fewer checks. */
export function callerFault(settings: RunSettings): string | null {
  const given = (['calledAs', 'knownModels', 'agentDepth'] as const).filter(
    name => settings[name] !== undefined,
  );
  if (given.length === 0) return null;
  return `Only a run that calls another sets ${given.map(name => `\`settings.${name}\``).join(', ')}: leave it out.`;
}

const NEEDED: readonly (keyof RunSettings)[] = ['mode', 'workspace', 'autoApprove'];

function settingFaults(settings: Record<string, unknown>): string[] {
  const faults = Object.entries(FAULTS).map(([name, fault]) => {
    const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
    const mayBeAbsent = !NEEDED.some(needed => needed === name);
    return mayBeAbsent && isAbsent(value) ? null : fault(value, `settings.${name}`);
  });
  return faults.filter(fault => fault !== null);
}

function unknownKeys(given: Record<string, unknown>, known: readonly string[], prefix: string): string[] {
  return Object.keys(given)
    .filter(key => !known.includes(key))
    .slice(0, 5)
    .map(key => `There is no ${prefix}${key.slice(0, 80)}: there are ${known.join(', ')}.`);
}

function startLimitsFault(value: unknown, at: string): string | null {
  if (isRecord(value) && Object.keys(value).length === 0) return null;
  const fault = limitsFault(value);
  return fault === null ? null : `${at}: ${fault}`;
}

function toolNamesFault(value: unknown, at: string): string | null {
  const isName = (name: unknown) => isText(name) && name !== '' && name.length <= LONGEST_ALLOWED_TOOL;
  if (!Array.isArray(value) || !value.every(isName)) return expected(at, 'a list of names of tools', value);
  return tooMany(value, at, 'names', MAX_ALLOWED_TOOLS);
}

const MOST_PICTURES = 10;
/** The whole start must fit the server's limit of an input. */
const MOST_PICTURE_CHARS = 1_000_000;
const LONGEST_PICTURE_NAME = 100;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

function picturesFault(value: unknown, at: string): string | null {
  if (!Array.isArray(value)) return expected(at, 'a list of { name, mimeType, base64 }', value);
  const many = tooMany(value, at, 'pictures', MOST_PICTURES);
  if (many !== null) return many;
  const faults = value.map((picture: unknown, index) => pictureFault(picture, `${at}[${index}]`));
  const chars = value.reduce((sum, each) => sum + (isRecord(each) ? stringOr(each.base64, '').length : 0), 0);
  const large = `\`${at}\` have ${chars} characters in base64, and at most ${MOST_PICTURE_CHARS} are taken: make them smaller, or put them into the workspace and name them in the goal, where the tool read shows them.`;
  return faults.find(fault => fault !== null) ?? (chars > MOST_PICTURE_CHARS ? large : null);
}

function pictureFault(picture: unknown, at: string): string | null {
  if (!isRecord(picture)) return expected(at, 'an object { name, mimeType, base64 }', picture);
  const { name, mimeType, base64 } = picture;
  const isName = isText(name) && name.trim() !== '' && name.length <= LONGEST_PICTURE_NAME;
  if (!isName) return expected(`${at}.name`, `a name of up to ${LONGEST_PICTURE_NAME} characters`, name);
  if (!PICTURE_TYPES.some(type => type === mimeType))
    return expected(`${at}.mimeType`, `one of ${PICTURE_TYPES.join(', ')}`, mimeType);
  return isText(base64) && BASE64.test(base64)
    ? null
    : expected(`${at}.base64`, 'the picture in base64', base64);
}

function clientToolsFault(value: unknown, at: string): string | null {
  if (!Array.isArray(value)) return expected(at, 'a list of { name, description, inputSchema }', value);
  const many = tooMany(value, at, 'tools', MAX_CLIENT_TOOLS);
  if (many !== null) return many;
  const faults = value.map((tool: unknown, index) => clientToolFault(tool, `${at}[${index}]`));
  return faults.find(fault => fault !== null) ?? tooLarge(value, at, MAX_CLIENT_TOOLS_BYTES);
}

function clientToolFault(tool: unknown, at: string): string | null {
  if (!isRecord(tool)) return expected(at, 'an object { name, description, inputSchema }', tool);
  const { name, description, inputSchema } = tool;
  if (!isAbsent(description) && !isText(description))
    return expected(`${at}.description`, 'a text', description);
  if (!isAbsent(inputSchema) && !isRecord(inputSchema))
    return expected(`${at}.inputSchema`, 'a JSON Schema object', inputSchema);
  return text(LONGEST_NAME)(name, `${at}.name`);
}

/** The value must be an object, because endpoints can bind replies only to schemas of objects. */
function answerFault(value: unknown, at: string): string | null {
  if (!isRecord(value)) return expected(at, 'a JSON Schema object', value);
  const large = tooLarge(value, at, ANSWER_SCHEMA_BYTES);
  if (large !== null) return large;
  if (!isSound(value))
    return `\`${at}\` is not a usable JSON Schema: look for keywords in another form, unknown types, and references that lead nowhere.`;
  return value.type === undefined || value.type === 'object'
    ? null
    : `\`${at}.type\` must be object: put anything else, such as a list, into a property.`;
}

function tooMany(list: readonly unknown[], at: string, what: string, most: number): string | null {
  return list.length > most ? `\`${at}\` has ${list.length} ${what}, and at most ${most} are taken.` : null;
}

function tooLarge(value: unknown, at: string, maxBytes: number): string | null {
  if (nestsDeeper(value, DEEPEST_SCHEMA)) return `\`${at}\` is nested deeper than ${DEEPEST_SCHEMA} levels.`;
  const bytes = jsonBytes(value);
  return bytes > maxBytes ? `\`${at}\` has ${bytes} bytes, and at most ${maxBytes} are taken.` : null;
}

/** Names a setting of an open run that differs from what a start asks for, in words; null if all of them fit. */
export function settingThatDiffers(settings: RunSettings, given: Record<string, unknown>): string | null {
  const { workspace, autoApprove, context = settings.context ?? {} } = given;
  if (!isAbsent(workspace) && workspace !== settings.workspace)
    return `works in ${quoted(settings.workspace)}`;
  if (!isAbsent(autoApprove) && autoApprove !== settings.autoApprove)
    return settings.autoApprove ? 'its calls are approved unasked' : 'its calls are not approved unasked';
  // The context names the account, among other values.
  if (canonicalJson(context) !== canonicalJson(settings.context ?? {})) return 'its context differs';
  return demandThatLacks(settings, given);
}

/**
 * Names a demand of the start that the open run lacks. There, the goal would end without its check, its value or its
 * approved plan.
 */
function demandThatLacks(settings: RunSettings, given: Record<string, unknown>): string | null {
  const { answer, checks, approvePlan } = given;
  if (approvePlan === true && !wantsApproval(settings)) return 'its plans are not approved by a person';
  if (!isAbsent(answer) && canonicalJson(answer) !== canonicalJson(settings.answer ?? null))
    return 'its answers need not fit this schema';
  const own = (settings.checks ?? []).map(check => canonicalJson(check));
  const isMade = (check: unknown) => own.includes(canonicalJson(check));
  return isAbsent(checks) || (Array.isArray(checks) && checks.every(isMade))
    ? null
    : 'it lacks checks of this start';
}
