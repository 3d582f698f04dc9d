/** Reads the tasks of a plan (F18), from a role or a person. */

import { isRecord, jsonBytes, stringOr } from '../../base/json/json.js';
import { parseRecord } from '../../base/json/json-in-text.js';
import { BEGIN_BYTES } from '../../base/sizes/bounds.js';
import { cutText } from '../../base/text/fit.js';
import {
  expected,
  idOf,
  isAbsent,
  numberOrNull,
  readIds,
  stringsOf,
  textOrNull,
} from '../../base/text/output-fields.js';
import { oneLine } from '../../base/text/preview.js';
import { visibleText } from '../../base/text/unseen.js';
import type { PlannedCall, TaskChange } from '../../run/plan/plan.js';
import { planCycles, wholeTask } from '../../run/plan/plan.js';
import { readEstimate } from '../../run/plan/task-time.js';

/** Ordering takes quadratic time, so a plan of ten thousand tasks is refused. */
const MOST_TASKS_READ = 200;
/** The number of reported mistakes: a list with unknown ids may have thousands. */
const MOST_MISTAKES = 50;
/** Limits for one task; a role's texts are cut with a mark, an id is not. */
const NAME_BYTES = 120;
const DESCRIPTION_BYTES = 3_000;
const CRITERIA_BYTES = 1_500;
const MOST_CAPABILITIES = 20;

interface TaskList {
  /** The list's name in errors. */
  field: string;
  /** Ids of existing tasks: they may be dependencies, and omitted fields of such a task keep their values. */
  knownTaskIds: readonly string[];
  /** `executionOrder`, if a role sets it. */
  order?: unknown;
  /** A person's list: its texts are not cut, and null removes a field. In a role's list, null counts as omitted. */
  byPerson?: true;
}

/** Reads the tasks, in the order of `order` if set. New tasks are complete. Mistakes are added to `errors`. */
export function readPlannedTasks(list: readonly unknown[], given: TaskList, errors: string[]): TaskChange[] {
  if (list.length > MOST_TASKS_READ) {
    errors.push(`\`${given.field}\` must hold at most ${MOST_TASKS_READ} tasks, got ${list.length}.`);
    return [];
  }
  const mistakes: string[] = [];
  const drafts = list.flatMap((item, index) => readChange(item, `${given.field}[${index}]`, given, mistakes));
  mistakes.push(...dependencyErrors(drafts, given.field, given.knownTaskIds));
  errors.push(...mistakes.slice(0, MOST_MISTAKES));
  const isOrdered = Array.isArray(given.order);
  return inExecutionOrder(drafts, given.order).map((task, index) => {
    if (!given.knownTaskIds.includes(task.id)) return wholeTask(task, undefined, index + 1);
    return isOrdered ? { priority: index + 1, ...task } : task;
  });
}

/** Returns the task's change, or an empty list if it is ambiguous. */
function readChange(item: unknown, at: string, given: TaskList, errors: string[]): TaskChange[] {
  if (!isRecord(item)) {
    errors.push(expected(at, 'an object with id, description and priority', item));
    return [];
  }
  const named = idOf(item.id);
  // Existing tasks keep their id.
  const id = named !== null && (given.knownTaskIds.includes(named) || isOneLine(named)) ? named : null;
  if (id === null)
    errors.push(
      expected(`${at}.id`, textOrNull(item.id) ? 'a short id on one line' : 'a non-empty string', item.id),
    );
  const description = stringOr(item.description, '').trim();
  const isKept = isAbsent(item.description) && id !== null && given.knownTaskIds.includes(id);
  if (description === '' && !isKept)
    errors.push(expected(`${at}.description`, 'a non-empty text', item.description));
  const fields = readFields(item, at, given, errors);
  const call = readCall(item, at, given, errors);
  if (id === null || (description === '' && !isKept)) return [];
  return [
    {
      id,
      ...(description !== '' && { description: textOf(given, description, DESCRIPTION_BYTES) }),
      ...fields,
      ...(call !== undefined && { call }),
    },
  ];
}

/** Returns the call that does the whole task. Null removes an earlier call: a new description alone means other work. */
function readCall(
  { tool: name, description, parameters, arguments: args }: Record<string, unknown>,
  at: string,
  { byPerson }: TaskList,
  errors: string[],
): PlannedCall | null | undefined {
  const tool = stringOr(name, '').trim();
  const isLeft = byPerson ? name === undefined : isAbsent(name);
  if (tool === '') return isLeft && isAbsent(description) ? undefined : null;
  const given = parameters ?? args ?? {};
  const read = typeof given === 'string' ? parseRecord(given.trim() || '{}') : given;
  const call = isRecord(read) ? { tool, arguments: read } : null;
  // A role's call that can't be read as a whole is left to the role that carries out the task.
  if (call !== null && jsonBytes(call) <= BEGIN_BYTES && (byPerson || !lacksSecret(call))) return call;
  if (byPerson) errors.push(expected(`${at}.parameters`, `an object of up to ${BEGIN_BYTES} bytes`, given));
  return null;
}

/** True if the value of a secret was taken out of a role's call: the call is then not the one that the role meant. */
export function lacksSecret(call: unknown): boolean {
  return /\[secret [^\]\s]*\]/.test(JSON.stringify(call));
}

/** Tasks are named in instructions and at gates: an id must not begin a line there, nor hide anything. */
function isOneLine(id: string): boolean {
  return visibleText(oneLine(id)) === id;
}

/** Returns the fields except id and description, if they are set. */
function readFields(
  item: Record<string, unknown>,
  at: string,
  given: TaskList,
  errors: string[],
): Omit<TaskChange, 'id' | 'description'> {
  const isGiven = (value: unknown) => (given.byPerson ? value !== undefined : !isAbsent(value));
  const dependencies = readIds(item.dependencies, `${at}.dependencies`, errors);
  const priority = numberOrNull(item.priority);
  const estimatedDuration = readEstimate(item.estimatedDuration);
  const criteria = textOrNull(item.completionCriteria);
  const names = stringsOf(item.requiredCapabilities);
  return {
    ...(priority !== null && { priority }),
    ...(isGiven(item.dependencies) && { dependencies }),
    ...(isGiven(item.requiredCapabilities) && {
      requiredCapabilities: given.byPerson ? names : names.slice(0, MOST_CAPABILITIES).map(shortName),
    }),
    ...(isGiven(item.estimatedDuration) && { estimatedDuration }),
    ...(isGiven(item.completionCriteria) && {
      completionCriteria: criteria === null ? null : textOf(given, criteria, CRITERIA_BYTES),
    }),
  };
}

function textOf({ byPerson }: TaskList, text: string, bytes: number): string {
  return byPerson ? text : cutText(text, bytes);
}

function shortName(text: string): string {
  return cutText(text, NAME_BYTES);
}

function dependencyErrors(
  tasks: readonly TaskChange[],
  field: string,
  knownTaskIds: readonly string[],
): string[] {
  const errors: string[] = [];
  const known = new Set([...knownTaskIds, ...tasks.map(task => task.id)]);
  const seen = new Set<string>();
  for (const task of tasks) {
    if (seen.has(task.id)) errors.push(`\`${field}\` must have one task an id, got "${task.id}" twice.`);
    seen.add(task.id);
    for (const id of task.dependencies ?? []) {
      if (known.has(id)) continue;
      errors.push(`\`dependencies\` of "${task.id}" must name tasks of the plan, got "${id}".`);
    }
  }
  for (const cycle of planCycles(tasks.map(task => wholeTask(task, undefined, 1)))) {
    const circle = [...cycle, cycle[0]].map(id => `"${id}"`).join(' needs ');
    errors.push(`\`dependencies\` must not go in a circle, got ${circle}.`);
  }
  return errors;
}

/** Sorts by position in `executionOrder`; other tasks follow in their order. */
function inExecutionOrder(tasks: readonly TaskChange[], executionOrder: unknown): TaskChange[] {
  if (!Array.isArray(executionOrder)) return [...tasks];
  const position = new Map(executionOrder.map((id, index) => [idOf(id), index]));
  const rank = (task: TaskChange) => position.get(task.id) ?? executionOrder.length;
  return [...tasks].sort((a, b) => rank(a) - rank(b));
}
