/** Reads the tasks of a plan (F18): what `parsePlan` is made of. */
import { cutText, fitsText } from '../fit.js';
import { isRecord, stringOr } from '../json.js';
import type { PlannedTask } from '../plan.js';
import { planCycles } from '../plan-order.js';
import { readEstimate } from '../task-time.js';
import { expected, idOf, numberOrNull, readIds, stringsOf, textOrNull } from './output-fields.js';

/** Ordering takes quadratic time, so no model may give it ten thousand tasks. */
const MOST_TASKS_READ = 200;
/** What one task may say; its texts are cut with a mark, its id is not. */
const LONGEST_ID_BYTES = 120;
const DESCRIPTION_BYTES = 3_000;
const CRITERIA_BYTES = 1_500;
const MOST_DEPENDENCIES = 40;
const MOST_CAPABILITIES = 20;

/**
 * The tasks of a list, in the order of `order` (`executionOrder`) where given. Mistakes go to `errors`;
 * `field` is the list's name in them. `knownTaskIds` may be named as dependencies.
 */
export function readPlannedTasks(
  list: readonly unknown[],
  given: { field: string; knownTaskIds: readonly string[]; order: unknown },
  errors: string[],
): PlannedTask[] {
  if (list.length > MOST_TASKS_READ) {
    errors.push(`\`${given.field}\` must hold at most ${MOST_TASKS_READ} tasks, got ${list.length}.`);
    return [];
  }
  const drafts = readDrafts(list, given.field, errors);
  for (const error of dependencyErrors(drafts, given.field, given.knownTaskIds)) errors.push(error);
  return inExecutionOrder(drafts, given.order).map((task, index) => ({
    ...task,
    priority: task.priority ?? index + 1,
  }));
}

type DraftTask = Omit<PlannedTask, 'priority'> & { priority: number | null };

function readDrafts(list: readonly unknown[], field: string, errors: string[]): DraftTask[] {
  return list.flatMap((item, index) => {
    const at = `${field}[${index}]`;
    if (!isRecord(item)) {
      errors.push(expected(at, 'an object with id, description and priority', item));
      return [];
    }
    const id = idOf(item.id);
    const description = stringOr(item.description, '').trim();
    if (id === null) errors.push(expected(`${at}.id`, 'a non-empty string', item.id));
    else if (!fitsText(id, LONGEST_ID_BYTES)) errors.push(expected(`${at}.id`, 'a short id', item.id));
    if (description === '') errors.push(expected(`${at}.description`, 'a non-empty text', item.description));
    const dependencies = readIds(item.dependencies, `${at}.dependencies`, errors);
    if (dependencies.length > MOST_DEPENDENCIES)
      errors.push(expected(`${at}.dependencies`, `at most ${MOST_DEPENDENCIES} task ids`, item.dependencies));
    if (id === null || description === '') return [];
    return {
      id,
      description: cutText(description, DESCRIPTION_BYTES),
      priority: numberOrNull(item.priority),
      dependencies,
      requiredCapabilities: stringsOf(item.requiredCapabilities).slice(0, MOST_CAPABILITIES).map(shortName),
      estimatedDuration: readEstimate(item.estimatedDuration),
      completionCriteria: cutOrNull(textOrNull(item.completionCriteria)),
    };
  });
}

function shortName(text: string): string {
  return cutText(text, LONGEST_ID_BYTES);
}

function cutOrNull(text: string | null): string | null {
  return text === null ? null : cutText(text, CRITERIA_BYTES);
}

function dependencyErrors(
  tasks: readonly DraftTask[],
  field: string,
  knownTaskIds: readonly string[],
): string[] {
  const errors: string[] = [];
  const known = new Set([...knownTaskIds, ...tasks.map(task => task.id)]);
  const seen = new Set<string>();
  for (const task of tasks) {
    if (seen.has(task.id)) errors.push(`\`${field}\` must have one task an id, got "${task.id}" twice.`);
    seen.add(task.id);
    for (const id of task.dependencies) {
      if (known.has(id)) continue;
      errors.push(`\`dependencies\` of "${task.id}" must name tasks of the plan, got "${id}".`);
    }
  }
  for (const cycle of planCycles(tasks.map(task => ({ ...task, priority: 1 })))) {
    const circle = [...cycle, cycle[0]].map(id => `"${id}"`).join(' needs ');
    errors.push(`\`dependencies\` must not go in a circle, got ${circle}.`);
  }
  return errors;
}

/** Sorted by position in `executionOrder`; tasks that it does not name keep their order after the others. */
function inExecutionOrder(tasks: readonly DraftTask[], executionOrder: unknown): DraftTask[] {
  if (!Array.isArray(executionOrder)) return [...tasks];
  const position = new Map(executionOrder.map((id, index) => [idOf(id), index]));
  const rank = (task: DraftTask) => position.get(task.id) ?? executionOrder.length;
  return [...tasks].sort((a, b) => rank(a) - rank(b));
}
