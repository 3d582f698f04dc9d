/** Evidence of a goal's effects, collected without a model: the record, its slice of the state, and what a verdict rests on. */
import { idsOf, isOf, type TaskVerdict } from '../../rules/outputs/citations.js';
import type { Basis, EvidenceItem, Snapshot } from '../../run/evidence/evidence.js';
import type { ToolEnding } from '../../run/messages/message.js';
import type { VerdictOutput } from '../../run/outputs/contracts.js';
import type { Task } from '../../run/plan/plan.js';
import { Slice } from '../../run/state/slice.js';

/** A goal's record of the files that it wrote and of its calls. */
export const EVIDENCE_BYTES = 16_000;

/** Files that calls named but the snapshots had no room for. */
export interface Unkept {
  files: Pick<Snapshot, 'path' | 'taskIds'>[];
  /** Number of their latest change. */
  wrote: number;
}

/** A call that may have changed something, or did not do its task. */
export interface CallNote {
  taskId: string | null;
  /** The call on one line. */
  call: string;
  /** The paths that it named, as snapshots have them. */
  named: string[];
  ending: ToolEnding;
  isError: boolean;
  /** It may have changed something. */
  acted: boolean;
  /** The run saw only a part of the tool's output. */
  cut: boolean;
  /** The tool's output on one line, for commands, computations and failures; only the beginning of a long one. */
  said: string | null;
  /** The end of the output, if `said` is its beginning. */
  last?: string;
  /** Lines of the output that are left out. */
  left?: number;
  /** A command line whose exit code does not prove success, or code that reads no files. */
  silent?: true;
  /** The output held when the call ran; a later change may have undone it. */
  ran?: 'command' | 'code';
  /** The number of changes before it began. Absent in notes of older versions. */
  at?: number;
  /** The command line changes files after it has tested them. */
  undoes?: true;
  /** The call's own number among the changes, if it may have changed files without a snapshot. */
  alters?: number;
}

export interface Evidence {
  files: Snapshot[];
  calls: CallNote[];
  /** Files and calls that there was no room for. */
  left: number;
  /** The number of the goal's calls so far that may have changed files; it orders the notes. */
  changes?: number;
  unkept?: Unkept;
}

export function newEvidence(): Evidence {
  return { files: [], calls: [], left: 0 };
}

export const recorded = new Slice<Evidence>('evidence', {
  initial: newEvidence,
  bytes: EVIDENCE_BYTES + 100,
  earlier: state => {
    const { evidence } = state;
    delete state.evidence;
    return evidence as Evidence | undefined;
  },
});

/** A piece of evidence as a line, before it gets its id. */
export interface Entry extends Omit<EvidenceItem, 'id'> {
  /** The line without its id and tasks. */
  line: string;
  diff: string | null;
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
 * `holding`: cited evidence that is still valid; `changed`: files that the goal changed and that the verifier did not
 * read. A completed task rests on evidence if one such item shows that something was done for it. A goal does if each
 * changed file is cited too, because tasks that a later plan replaced are not judged, but their changes remain.
 */
export function basisOf(
  verdict: Pick<VerdictOutput, 'tasks'>,
  plan: readonly Pick<Task, 'id' | 'status'>[],
  { holding, changed }: Record<'holding' | 'changed', readonly EvidenceItem[]>,
): Exclude<Basis, 'checks'> {
  const judged = verdict.tasks.filter(({ id, completed }) =>
    plan.some(task => completed && task.id === id && task.status === 'completed'),
  );
  const rests = (task: TaskVerdict) => {
    const ids = idsOf(task);
    return holding.some(item => item.supports && isOf(item, task.id) && ids.includes(item.id));
  };
  const isWhole = judged.every(rests) && changed.every(item => holding.includes(item));
  return judged.length > 0 && isWhole ? 'evidence' : 'opinion';
}
