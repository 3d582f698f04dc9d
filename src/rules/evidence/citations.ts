/** Checks a verdict's citations against the run's evidence: the ids must exist, belong to the task, and show something. */

import { quoted } from '../../base/text/output-fields.js';
import type { Basis, EvidenceItem } from '../../run/evidence/evidence.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';
import type { Task } from '../../run/plan/plan.js';

type TaskVerdict = VerdictOutput['tasks'][number];

/** Returns the faults of citations, for the one re-ask. Without evidence, none are required. */
export function citationDoubts(
  { tasks }: Pick<VerdictOutput, 'tasks'>,
  evidence: readonly EvidenceItem[] | undefined,
): string[] {
  if (evidence === undefined) return [];
  return tasks.flatMap(task => idsOf(task).flatMap(cited => citationDoubt(task, cited, evidence) ?? []));
}

function citationDoubt({ id }: TaskVerdict, cited: string, evidence: readonly EvidenceItem[]): string | null {
  const item = evidence.find(each => each.id === cited);
  const which = `\`evidence\` of task "${quoted(id)}"`;
  if (item === undefined) {
    const known = evidence.map(each => each.id).join(', ');
    return `${which} must name what the request lists (${known || 'nothing: leave it empty'}), got "${quoted(cited)}".`;
  }
  return isOf(item, id) ? null : `${which} names ${cited}, which is of ${item.taskIds.join(', ')}.`;
}

function isOf({ taskIds }: EvidenceItem, taskId: string): boolean {
  return taskIds.length === 0 || taskIds.includes(taskId);
}

/** Reads ids as models write them: in brackets, in capitals, or several with commas. */
function idsOf({ evidence }: TaskVerdict): string[] {
  const ids = evidence.flatMap(text => text.toLowerCase().split(/[\s,;]+/));
  return [...new Set(ids.map(id => id.replace(/^[[("'`]+|[\])"'`.]+$/g, '')).filter(id => id !== ''))];
}

/** Returns the evidence that completed tasks cite, each item once. */
export function itemsCited(
  { tasks }: Pick<VerdictOutput, 'tasks'>,
  evidence: readonly EvidenceItem[],
): EvidenceItem[] {
  return evidence.filter(item =>
    tasks.some(task => task.completed && isOf(item, task.id) && idsOf(task).includes(item.id)),
  );
}

/**
 * `holding`: cited evidence that is still valid. A completed task rests on evidence if one such item shows that
 * something was done for it.
 */
export function basisOf(
  verdict: Pick<VerdictOutput, 'tasks'>,
  plan: readonly Pick<Task, 'id' | 'status'>[],
  holding: readonly EvidenceItem[],
): Exclude<Basis, 'checks'> {
  const judged = verdict.tasks.filter(({ id, completed }) =>
    plan.some(task => completed && task.id === id && task.status === 'completed'),
  );
  const rests = (task: TaskVerdict) => {
    const ids = idsOf(task);
    return holding.some(item => item.supports && isOf(item, task.id) && ids.includes(item.id));
  };
  return judged.length > 0 && judged.every(rests) ? 'evidence' : 'opinion';
}
