/**
 * Strict reading of what planner, executor and verifier say (G10, F9). Each reader takes the fields of
 * its contract, in whichever dialect they came.
 */

import { type Capabilities, missing } from '../agents/capabilities.js';
import { type EchoedTask, TASK_STATUSES, type TaskChange, type TaskStatus } from '../plan/plan.js';
import { booleanOrNull, isRecord, stringOr } from '../text/json.js';
import { isEmptyPhrase } from './empty-phrase.js';
import {
  expected,
  idOf,
  isAbsent,
  judged,
  type Parsed,
  quoted,
  readBoolean,
  readNeededBoolean,
  stringsOf,
} from './output-fields.js';
import { readPlannedTasks } from './planned-tasks.js';

export interface PlanOutput {
  summary: string;
  needsMorePlanning: boolean;
  /** In plan order: as written, or by `executionOrder` where given. */
  tasks: TaskChange[];
  /** Ids of open tasks that it gives up. */
  dropped: string[];
}

type NextAction = 'continue' | 'complete' | 'skip' | 'retry';

export interface ExecutionOutput {
  summary: string;
  /** Null when absent. */
  taskCompleted: boolean | null;
  shouldContinue: boolean | null;
  nextAction: NextAction | null;
  /** The echoed list, without entries that have no id or no known status. */
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

const NEXT_ACTIONS: readonly NextAction[] = ['continue', 'complete', 'skip', 'retry'];

/**
 * Reads a plan from `todos` or `tasks`. Harmless gaps have defaults (priority: the position);
 * errors are missing ids or descriptions, duplicate ids, unknown or circular dependencies; a doubt is no
 * task at all, unless there are some already or more planning is asked for, and a capability that `has` does not hold. `knownTaskIds`: tasks of earlier plans, which may be named
 * as dependencies, and given up as `skipped`. `mergePlan` cuts plans that are too long; only absurd ones are
 * an error here.
 */
export function parsePlan(
  json: Record<string, unknown>,
  knownTaskIds: readonly string[] = [],
  has: Capabilities = null,
): Parsed<PlanOutput> {
  const errors: string[] = [];
  const needsMorePlanning = readBoolean(json, 'needsMorePlanning', errors) ?? false;
  const field = isAbsent(json.todos) && !isAbsent(json.tasks) ? 'tasks' : 'todos';
  const list = json[field] ?? (needsMorePlanning ? [] : undefined);
  if (!Array.isArray(list)) errors.push(expected(field, 'an array of tasks', list));
  const entries: readonly unknown[] = Array.isArray(list) ? list : [];
  const dropped = droppedIds(entries);
  const tasks = readPlannedTasks(
    // Of one that is given up only the id counts.
    entries.map(entry => (isDropped(entry) ? { id: entry.id, description: '-' } : entry)),
    { field, knownTaskIds, order: json.executionOrder },
    errors,
  ).filter(({ id }) => !dropped.includes(id));
  const value = { summary: stringOr(json.summary, ''), needsMorePlanning, tasks, dropped };
  if (errors.length > 0) return { ok: false, errors, value: null };
  const empty = tasks.length === 0 && knownTaskIds.length === 0 && !needsMorePlanning;
  if (empty) return judged(value, [expected(field, 'an array of at least one task', list)]);
  return judged(value, capabilityDoubts(tasks, has));
}

const NAMES_TOLD = 60;

function capabilityDoubts(tasks: readonly TaskChange[], has: Capabilities): string[] {
  const names = (has ?? []).slice(0, NAMES_TOLD).join(', ') || 'absent';
  return tasks.flatMap(({ id, requiredCapabilities = [] }) => {
    const lacking = missing(requiredCapabilities, has).map(name => `"${quoted(name)}"`);
    if (lacking.length === 0) return [];
    return [
      `\`requiredCapabilities\` of "${id}" must name what there is (${names}), got ${lacking.join(', ')}. ` +
        'Plan it without, or the task is not carried out.',
    ];
  });
}

function isDropped(entry: unknown): entry is Record<string, unknown> {
  return isRecord(entry) && statusOf(entry.status) === 'skipped';
}

function droppedIds(entries: readonly unknown[]): string[] {
  return entries.flatMap(entry => (isDropped(entry) ? (idOf(entry.id) ?? []) : []));
}

/** Reads an executor's reply. Doubts: no summary, or an empty phrase for a result. */
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

/** An answer that holds nothing is asked for once more; it decides nothing else. */
function emptyPhraseDoubt(what: string, summary: string): string {
  return `\`summary\` must hold ${what} itself, got only "${quoted(summary)}".`;
}

/**
 * Reads a verdict. Doubts: success without a summary, with an empty phrase, or without a word on
 * each of `knownTaskIds`; anything else without improvements. Contradictions are judged by `decideVerdict`.
 */
export function parseVerdict(
  json: Record<string, unknown>,
  knownTaskIds: readonly string[] = [],
): Parsed<VerdictOutput> {
  const errors: string[] = [];
  const value = {
    allCompleted: readNeededBoolean(json, 'allCompleted', errors),
    userNeedsSatisfied: readNeededBoolean(json, 'userNeedsSatisfied', errors),
    overallFeedback: stringOr(json.overallFeedback, ''),
    summary: stringOr(json.summary, '').trim() || null,
    improvements: readImprovements(json.improvements, errors),
    tasks: readTaskVerdicts(json.tasks, errors),
  };
  return errors.length > 0
    ? { ok: false, errors, value: null }
    : judged(value, verdictDoubts(value, json, knownTaskIds));
}

function verdictDoubts(
  verdict: VerdictOutput,
  json: Record<string, unknown>,
  knownTaskIds: readonly string[],
): string[] {
  if (!verdict.allCompleted || !verdict.userNeedsSatisfied) {
    if (verdict.improvements.length > 0) return [];
    const wanted = 'an array with at least one improvement, since not everything is done,';
    return [expected('improvements', wanted, json.improvements)];
  }
  const named = new Set(verdict.tasks.map(({ id }) => id));
  const left = knownTaskIds.filter(id => !named.has(id));
  const doubts =
    left.length > 0 ? [`\`tasks\` must name every task of the plan, ${left.join(', ')} left out.`] : [];
  if (verdict.summary === null) {
    const wanted = 'the answer to the user, since allCompleted and userNeedsSatisfied are true,';
    doubts.push(expected('summary', wanted, json.summary));
  } else if (isEmptyPhrase(verdict.summary)) {
    doubts.push(emptyPhraseDoubt('the answer to the user', verdict.summary));
  }
  return doubts;
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
