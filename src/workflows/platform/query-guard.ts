/**
 * Prevents queries from creating a history that cannot be replayed. It intercepts every run, and adds nothing to history.
 *
 * The fault is the platform's; plain SDK code has it too. A query that waited too long for the worker that caches the run goes
 * to another worker, or back to the same one, with the full history so far. The last events may not belong to a workflow task
 * yet. The SDK applies them to the run as if a task had begun, and keeps both the resulting commands and the run; the real task
 * then brings only later events. The run then processes in two activations what every replay processes in one, and its history
 * may never replay.
 *
 * If those events end with a task that a worker began and did not end, because it died, the activation has a new time. It is
 * then recognised by its position: it is the first activation after a replay, and the query that caused it follows at once. A
 * real task may rarely look the same, which then costs one replay.
 *
 * Any other such activation is recognised by its time. Each workflow task has a new time; an activation that only a query
 * caused brings new events at the previous task's time. The guard refuses it. The query fails with `REFUSAL`, the run
 * leaves the cache, and the next task or query replays it from its history. The refusal writes no event. The client repeats the
 * query (`shared/query-errors.ts`). See docs/operations.md, "Queries and paused workers".
 */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { REFUSAL } from '../../run/limits/failure.js';

/** An activation of a run, as the SDK's core passes it to workflow code. */
export interface Step {
  /** Time of the workflow task, which sets the run's clock. */
  time: string;
  /** Length of the history that the activation includes. */
  events: number;
  isReplay: boolean;
}

/** True for an activation that brings events without a workflow task. `last` is null for the first activation. */
export function isOutsideTask(last: Step | null, step: Step): boolean {
  return last !== null && !step.isReplay && step.time === last.time && step.events > last.events;
}

export const queryGuard: WorkflowInterceptorsFactory = () => {
  let last: Step | null = null;
  /** True if the last activation was the first after a replay: a query may have caused it. */
  let isDoubtful = false;
  return {
    internals: [
      {
        activate(input, next) {
          const step = stepOf(input);
          if (isQueryAlone(input)) {
            if (isDoubtful) throw new Error(REFUSAL);
            // A complete replay has no new events, so the next activation belongs to a task.
            if (last !== null) last = { ...last, isReplay: false };
          }
          if (step !== null) {
            // A plain error fails the activation, not the run.
            if (isOutsideTask(last, step)) throw new Error(REFUSAL);
            isDoubtful = last?.isReplay === true && !step.isReplay;
            last = step;
          }
          next(input);
        },
      },
    ],
  };
};

type Internals = NonNullable<ReturnType<WorkflowInterceptorsFactory>['internals']>[number];
type ActivateInput = Parameters<NonNullable<Internals['activate']>>[0];

/** The SDK's query id for a query that arrives without a workflow task. */
const ALONE = 'legacy_query';

function isQueryAlone({ activation }: ActivateInput): boolean {
  return activation.jobs?.some(({ queryWorkflow }) => queryWorkflow?.queryId === ALONE) === true;
}

/** Reads the SDK's internal activation. Null: it only answers queries, or is not the first batch of several. */
function stepOf({ activation, batchIndex }: ActivateInput): Step | null {
  const { jobs, timestamp, historyLength, isReplaying } = activation;
  if (batchIndex > 0 || !jobs?.some(job => !job.queryWorkflow)) return null;
  if (!timestamp || typeof historyLength !== 'number') {
    throw new TypeError('The SDK gives activations of another form: see the guard of queries.');
  }
  return {
    time: `${timestamp.seconds ?? 0}.${timestamp.nanos ?? 0}`,
    events: historyLength,
    isReplay: isReplaying === true,
  };
}
