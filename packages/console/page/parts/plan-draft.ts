/** A plan while somebody edits it, and what of it is sent. Pure. */

import { visibleText } from 'steersman/base';
import type { Task } from 'steersman/client';

/** What of a task a person sees and changes. */
export interface DraftTask {
  id: string;
  description: string;
  criterion: string;
  isNew: boolean;
  removed: boolean;
}

type Known = Pick<Task, 'id' | 'description' | 'completionCriteria' | 'status'>;

/** Tasks that have not begun: no others can be changed. */
export function draftOf(tasks: readonly Known[]): DraftTask[] {
  return tasks
    .filter(({ status }) => status === 'pending')
    .map(({ id, description, completionCriteria }) => ({
      ...{ id, description: visibleText(description), criterion: visibleText(completionCriteria ?? '') },
      ...{ isNew: false, removed: false },
    }));
}

export function withNewTask(draft: readonly DraftTask[], taken: readonly string[]): DraftTask[] {
  const ids = new Set([...taken, ...draft.map(({ id }) => id)]);
  let number = ids.size + 1;
  while (ids.has(`t${number}`)) number += 1;
  return [...draft, { id: `t${number}`, description: '', criterion: '', isNew: true, removed: false }];
}

interface SentTask {
  id: string;
  description?: string;
  completionCriteria?: string | null;
}

/** All tasks that are to be done: of one that is as it was its id alone. */
export function wholePlan(draft: readonly DraftTask[], tasks: readonly Known[]): SentTask[] {
  return draft.filter(isWanted).map(task => changeOf(task, tasks));
}

/** Only what differs from the plan. */
export function planChanges(draft: readonly DraftTask[], tasks: readonly Known[]): SentTask[] {
  return wholePlan(draft, tasks).filter(task => Object.keys(task).length > 1);
}

/** Tasks of the plan that are not to be done. */
export function removedFrom(draft: readonly DraftTask[]): string[] {
  return draft.flatMap(({ id, isNew, removed }) => (removed && !isNew ? [id] : []));
}

/** A new task without a word is none. */
function isWanted({ description, removed, isNew }: DraftTask): boolean {
  return !removed && !(isNew && description.trim() === '');
}

function changeOf({ id, description, criterion }: DraftTask, tasks: readonly Known[]): SentTask {
  const old = tasks.find(task => task.id === id);
  const wanted = criterion.trim();
  return {
    id,
    ...(description.trim() !== visibleText(old?.description ?? '').trim() && {
      description: description.trim(),
    }),
    ...(wanted !== visibleText(old?.completionCriteria ?? '').trim() && {
      completionCriteria: wanted === '' ? null : wanted,
    }),
  };
}
