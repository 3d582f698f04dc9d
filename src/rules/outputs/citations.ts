/** Checks a verdict's citations against the run's evidence: the ids must exist, belong to the task, and show something. */

import { quoted } from '../../base/text/output-fields.js';
import type { EvidenceItem } from '../../run/evidence/evidence.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';

export type TaskVerdict = VerdictOutput['tasks'][number];

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

/** Returns a fault for each task that is completed by its verdict, but cites only calls that failed. */
export function failureDoubts(
  { tasks }: Pick<VerdictOutput, 'tasks'>,
  evidence: readonly EvidenceItem[] = [],
): string[] {
  const failed = new Set(evidence.flatMap(item => (item.failed ? item.id : [])));
  return tasks.flatMap(task => {
    const ids = idsOf(task);
    if (!task.completed || ids.length === 0 || !ids.every(id => failed.has(id))) return [];
    const which = `\`evidence\` of task "${quoted(task.id)}"`;
    return `${which} names only what failed (${ids.join(', ')}). Name what shows that the task is done, or leave it empty; if nothing does, the task is not completed.`;
  });
}

export function isOf({ taskIds }: EvidenceItem, taskId: string): boolean {
  return taskIds.length === 0 || taskIds.includes(taskId);
}

/** Reads ids as models write them: in brackets, in capitals, or several with commas. */
export function idsOf({ evidence }: TaskVerdict): string[] {
  const ids = evidence.flatMap(text => text.toLowerCase().split(/[\s,;]+/));
  const bare = (id: string) => id.replace(/^[[("'`]+/, '').replace(/(?<![\])"'`.])[\])"'`.]+$/, '');
  return [...new Set(ids.map(bare).filter(id => id !== ''))];
}
