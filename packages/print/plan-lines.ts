/** Formats plans as lines for people: the whole plan once, then only changes. Pure. */

import { plural, preview, visibleText } from 'steersman/base';
import type { JournalPayloads } from 'steersman/client';
import { terminalText } from 'steersman/shared';

export type ShownTask = JournalPayloads['plan_updated']['tasks'][number];

const DESCRIPTION_CHARS = 120;

const MARKS: Record<string, string> = {
  pending: '[ ]',
  executing: '[>]',
  completed: '[x]',
  failed: '[!]',
  skipped: '[-]',
  blocked: '[#]',
};

export function taskLine({ id, description, status }: ShownTask): string {
  return `${MARKS[status] ?? '[?]'} ${id} · ${preview(terminalText(visibleText(description)), DESCRIPTION_CHARS)}`;
}

/**
 * Returns a line for the plan, then all of its tasks if `before` is empty, else the tasks that are new, changed, or
 * removed. Changes of a task's status were printed when they happened.
 */
export function planLines(
  { tasks, changed, cut }: JournalPayloads['plan_updated'],
  before: readonly ShownTask[],
): string[] {
  const left = cut.length > 0 ? [`over the limit, left out: ${cut.join(', ')}`] : [];
  const head = (...notes: string[]) => ['plan', plural(tasks.length, 'task'), ...notes, ...left].join(' · ');
  if (before.length === 0) return [head(...(changed ? [] : ['unchanged'])), ...tasks.map(taskLine)];
  const known = new Map(before.map(task => [task.id, task]));
  const news = tasks.flatMap(task => {
    const old = known.get(task.id);
    if (old === undefined) return [`+ ${taskLine(task)}`];
    return old.description === task.description ? [] : [`~ ${taskLine(task)}`];
  });
  const gone = before.filter(({ id }) => !tasks.some(task => task.id === id)).map(({ id }) => `- ${id}`);
  return [head(...(news.length + gone.length === 0 ? ['unchanged'] : [])), ...news, ...gone];
}
