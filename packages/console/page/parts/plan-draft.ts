/** A plan while a person edits it, and the changes to send. Pure. */

import { visibleText } from 'steersman/base';
import type { Task } from 'steersman/client';

/** The fields of a task that a person sees and changes. */
export interface DraftTask {
  id: string;
  description: string;
  criterion: string;
  isNew: boolean;
  removed: boolean;
}

type Known = Pick<Task, 'id' | 'description' | 'completionCriteria' | 'status'>;

/** Returns the tasks that have not begun; others can't be changed. */
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

/** Returns all wanted tasks; an unchanged task has only its id. */
export function wholePlan(draft: readonly DraftTask[], tasks: readonly Known[]): SentTask[] {
  return draft.filter(isWanted).map(task => changeOf(task, tasks));
}

/** Returns only tasks that differ from the plan. */
export function planChanges(draft: readonly DraftTask[], tasks: readonly Known[]): SentTask[] {
  return wholePlan(draft, tasks).filter(task => Object.keys(task).length > 1);
}

/** Returns the ids of removed tasks of the plan. */
export function removedFrom(draft: readonly DraftTask[]): string[] {
  return draft.flatMap(({ id, isNew, removed }) => (removed && !isNew ? [id] : []));
}

/** A new task without a description is dropped. */
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
