/**
 * Role output: tolerant finding of the JSON (G13), strict reading of its fields (G10, G11, F9). Only
 * `JSON.parse` and guards, so that a library update can't change a replay. Completion is read from
 * fields, never from words (F6). The flat component dialect is read here; an envelope dialect would be
 * unwrapped to the same fields before the guards.
 */
import { isEmptyPhrase } from './empty-phrase.js';
import { booleanOrNull, isRecord, stringOr } from './json.js';
import { fencedObjects, parseRecord, topLevelObjects } from './json-in-text.js';
import {
  expected,
  idOf,
  isAbsent,
  quoted,
  readBoolean,
  readNeededBoolean,
  stringsOf,
} from './output-fields.js';
import { type EchoedTask, type PlannedTask, TASK_STATUSES, type TaskStatus } from './plan.js';
import { readPlannedTasks } from './planned-tasks.js';
import type { OutputContract } from './role.js';

/**
 * What became of an output. `errors` are sentences for the one re-ask: field, expected, got. `value` of a
 * failure is what will do when the re-ask is spent, for outputs that are readable and only break a rule
 * (F9, F11, L8); null when there is nothing to work with.
 */
export type Parsed<T> = { ok: true; value: T } | { ok: false; errors: string[]; value: T | null };

export interface PlanOutput {
  summary: string;
  needsMorePlanning: boolean;
  /** In plan order: as written, or by `executionOrder` where given (C20). */
  tasks: PlannedTask[];
}

export type NextAction = 'continue' | 'complete' | 'skip' | 'retry';

export interface ExecutionOutput {
  summary: string;
  /** Null when absent (F1). */
  taskCompleted: boolean | null;
  shouldContinue: boolean | null;
  nextAction: NextAction | null;
  /** The echoed list (F5), without entries that have no id or no known status. */
  todos: EchoedTask[];
}

export interface VerdictOutput {
  allCompleted: boolean;
  userNeedsSatisfied: boolean;
  overallFeedback: string;
  /** The answer to the user; null when absent or blank. */
  summary: string | null;
  improvements: string[];
  tasks: { id: string; completed: boolean; feedback: string }[];
}

/** What each output contract is read into. */
export interface OutputOf {
  plan: PlanOutput;
  execution: ExecutionOutput;
  verdict: VerdictOutput;
  text: string;
}

const NEXT_ACTIONS: readonly NextAction[] = ['continue', 'complete', 'skip', 'retry'];

/**
 * The JSON object of a reply (G13), or null: the whole text, else the last complete top-level object in a
 * fenced block or in prose. One that says `type: "component"` goes before fenced ones, and those before
 * others, because replies quote other JSON too. A broken or cut object gives null, never a part of it.
 * Time is linear in the text.
 */
export function extractJson(text: string): Record<string, unknown> | null {
  const whole = parseRecord(text.trim());
  if (whole !== null) return whole;
  const fenced = fencedObjects(text);
  const inProse = topLevelObjects(text);
  const component = [...fenced, ...inProse].findLast(object => object.type === 'component');
  return component ?? fenced.at(-1) ?? inProse.at(-1) ?? null;
}

/**
 * Reads a plan (L8, F18) from `todos` or `tasks`. Harmless gaps have defaults (priority: the position);
 * errors are missing ids or descriptions, duplicate ids, unknown or circular dependencies; a doubt is no
 * task at all, unless more planning is asked for. `knownTaskIds`: tasks of earlier plans, which may be named
 * as dependencies. `mergePlan` cuts plans that are too long; only absurd ones are an error here.
 */
export function parsePlan(
  json: Record<string, unknown>,
  knownTaskIds: readonly string[] = [],
): Parsed<PlanOutput> {
  const errors: string[] = [];
  const needsMorePlanning = readBoolean(json, 'needsMorePlanning', errors) ?? false;
  const field = isAbsent(json.todos) && !isAbsent(json.tasks) ? 'tasks' : 'todos';
  const list = json[field] ?? (needsMorePlanning ? [] : undefined);
  if (!Array.isArray(list)) errors.push(expected(field, 'an array of tasks', list));
  const tasks = readPlannedTasks(
    Array.isArray(list) ? list : [],
    { field, knownTaskIds, order: json.executionOrder },
    errors,
  );
  const value = { summary: stringOr(json.summary, ''), needsMorePlanning, tasks };
  if (errors.length > 0) return { ok: false, errors, value: null };
  const empty = tasks.length === 0 && !needsMorePlanning;
  return judged(value, empty ? [expected(field, 'an array of at least one task', list)] : []);
}

/** A readable output: right as it is, or to be asked for once more because of `doubts`. */
function judged<T>(value: T, doubts: string[]): Parsed<T> {
  return doubts.length === 0 ? { ok: true, value } : { ok: false, errors: doubts, value };
}

/** Reads an executor's reply (F1 to F3, F5). Doubts: no summary, or an empty phrase for a result (F11). */
export function parseExecution(json: Record<string, unknown>): Parsed<ExecutionOutput> {
  const errors: string[] = [];
  const doubts: string[] = [];
  const summary = stringOr(json.summary, '').trim();
  const taskCompleted = readBoolean(json, 'taskCompleted', errors);
  const shouldContinue = readBoolean(json, 'shouldContinue', errors);
  const nextAction = readNextAction(json.nextAction, errors);
  if (errors.length > 0) return { ok: false, errors, value: null };
  const saysDone = taskCompleted ?? nextAction === 'complete';
  if (summary === '') doubts.push(expected('summary', 'a non-empty string', json.summary));
  else if (saysDone && isEmptyPhrase(summary)) doubts.push(emptyPhraseDoubt('the task result', summary));
  const value = { summary, taskCompleted, shouldContinue, nextAction, todos: readEcho(json.todos) };
  return judged(value, doubts);
}

function readNextAction(value: unknown, errors: string[]): NextAction | null {
  if (isAbsent(value)) return null;
  const action = NEXT_ACTIONS.find(known => known === stringOr(value, '').trim().toLowerCase());
  if (action === undefined) errors.push(expected('nextAction', `one of ${NEXT_ACTIONS.join(', ')}`, value));
  return action ?? null;
}

function readEcho(list: unknown): EchoedTask[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item): EchoedTask[] => {
    if (!isRecord(item)) return [];
    const id = idOf(item.id);
    const status = statusOf(item.status);
    return id === null || status === null ? [] : [{ id, status }];
  });
}

function statusOf(value: unknown): TaskStatus | null {
  return TASK_STATUSES.find(status => status === stringOr(value, '').trim().toLowerCase()) ?? null;
}

/** F11: an answer that holds nothing is asked for once more; it decides nothing else. */
function emptyPhraseDoubt(what: string, summary: string): string {
  return `\`summary\` must hold ${what} itself, got only "${quoted(summary)}".`;
}

/**
 * Reads a verdict (F8, F9). Doubts: success without a summary or with an empty phrase, anything else
 * without improvements. Contradictions are judged by `decideVerdict`.
 */
export function parseVerdict(json: Record<string, unknown>): Parsed<VerdictOutput> {
  const errors: string[] = [];
  const value = {
    allCompleted: readNeededBoolean(json, 'allCompleted', errors),
    userNeedsSatisfied: readNeededBoolean(json, 'userNeedsSatisfied', errors),
    overallFeedback: stringOr(json.overallFeedback, ''),
    summary: stringOr(json.summary, '').trim() || null,
    improvements: readImprovements(json.improvements, errors),
    tasks: readTaskVerdicts(json.tasks, errors),
  };
  return errors.length > 0 ? { ok: false, errors, value: null } : judged(value, verdictDoubts(value, json));
}

function verdictDoubts(verdict: VerdictOutput, json: Record<string, unknown>): string[] {
  if (!verdict.allCompleted || !verdict.userNeedsSatisfied) {
    if (verdict.improvements.length > 0) return [];
    const wanted = 'an array with at least one improvement, since not everything is done,';
    return [expected('improvements', wanted, json.improvements)];
  }
  if (verdict.summary === null) {
    const wanted = 'the answer to the user, since allCompleted and userNeedsSatisfied are true,';
    return [expected('summary', wanted, json.summary)];
  }
  return isEmptyPhrase(verdict.summary) ? [emptyPhraseDoubt('the answer to the user', verdict.summary)] : [];
}

function readImprovements(value: unknown, errors: string[]): string[] {
  if (isAbsent(value)) return [];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  list.forEach((item, index) => {
    if (typeof item !== 'string') errors.push(expected(`improvements[${index}]`, 'a string', item));
  });
  return stringsOf(list);
}

function readTaskVerdicts(value: unknown, errors: string[]): VerdictOutput['tasks'] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) {
    errors.push(expected('tasks', 'an array of { id, completed, feedback }', value));
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    const record = isRecord(item) ? item : {};
    const id = idOf(record.id);
    const completed = booleanOrNull(record.completed);
    if (id === null) errors.push(expected(`tasks[${index}].id`, 'a task id', record.id));
    if (completed === null) errors.push(expected(`tasks[${index}].completed`, 'a boolean', record.completed));
    if (id === null || completed === null) return [];
    return [{ id, completed, feedback: stringOr(record.feedback, '') }];
  });
}

type Reader<T> = (text: string, knownTaskIds: readonly string[]) => Parsed<T>;

const READERS: { [C in OutputContract]: Reader<OutputOf[C]> } = {
  plan: (text, known) => readJson(text, json => parsePlan(json, known)),
  execution: text => readJson(text, parseExecution),
  verdict: text => readJson(text, parseVerdict),
  text: text =>
    text.trim() === ''
      ? { ok: false, errors: ['The reply must hold a text, got nothing.'], value: null }
      : { ok: true, value: text.trim() },
};

function readJson<T>(text: string, read: (json: Record<string, unknown>) => Parsed<T>): Parsed<T> {
  const json = extractJson(text);
  if (json !== null) return read(json);
  const got = text.trim() === '' ? 'nothing' : `text that begins with "${quoted(text)}"`;
  return {
    ok: false,
    errors: [`The reply must be one complete, valid JSON object, got ${got}.`],
    value: null,
  };
}

/**
 * Reads a role's final reply by its contract. `repairedText` is what the model activity mended where the
 * raw text could not be read: it counts only when the raw text is not right as it stands. `knownTaskIds`
 * are tasks that a plan's dependencies may name besides its own.
 */
export function parseRoleOutput<C extends OutputContract>(
  contract: C,
  text: string,
  options: { repairedText?: string | undefined; knownTaskIds?: readonly string[] } = {},
): Parsed<OutputOf[C]> {
  const known = options.knownTaskIds ?? [];
  const raw = READERS[contract](text, known);
  if (raw.ok || options.repairedText === undefined) return raw;
  const repaired = READERS[contract](options.repairedText, known);
  return repaired.ok || raw.value === null ? repaired : raw;
}

const FORMS: Record<OutputContract, string> = {
  plan:
    '{ "type": "component", "component": "planner-response", "summary": string, "needsMorePlanning": boolean, ' +
    '"todos": [{ "id": string, "description": string, "priority": number, "dependencies": [id] }] }',
  execution:
    '{ "type": "component", "component": "executor-response", "summary": string, "taskCompleted": boolean, ' +
    '"shouldContinue": boolean, "nextAction": "continue" | "complete" | "skip" | "retry", ' +
    '"todos": [{ "id": string, "status": string }] }',
  verdict:
    '{ "type": "component", "component": "verifier-response", "allCompleted": boolean, ' +
    '"userNeedsSatisfied": boolean, "overallFeedback": string, "summary": string when both are true, ' +
    '"improvements": [string] when not, "tasks": [{ "id": string, "completed": boolean, "feedback": string }] }',
  text: 'plain text',
};

const MOST_ERRORS_NAMED = 10;

/** The message that asks a role once to mend its output: the errors, then the expected form in brief. */
export function reaskText(contract: OutputContract, errors: readonly string[]): string {
  const named = errors.slice(0, MOST_ERRORS_NAMED).map(error => `- ${error}`);
  if (errors.length > named.length) named.push(`- and ${errors.length - named.length} more of the kind.`);
  const form =
    contract === 'text'
      ? 'Answer again with text for the reader.'
      : `Answer again with one JSON object and nothing else, in this form:\n${FORMS[contract]}`;
  return `Your last reply could not be used:\n${named.join('\n')}\n\n${form}`;
}
