/**
 * Keeps queries from making a history that can't be replayed. An interceptor of every run, without any state
 * in history.
 *
 * The fault (of the platform; plain SDK code has it too): a query that waited too long for the worker that has
 * the run in its cache goes to another worker, or back to the same one, with the full history up to that
 * moment. Events at its end may belong to no workflow task yet. The SDK applies them to the run as if a task
 * had begun, keeps the commands that this makes, and keeps the run; the real task brings only later events.
 * So the run has taken in two steps what every replay takes in one, and its history may never replay.
 *
 * Where those events end with a task that a worker has begun and not ended, because it died, the step has a time
 * of its own. It is told by what follows: the first step after a replay, and then at once the query that caused
 * it. A real task may look like that too, once, and then costs a replay.
 *
 * Any other such step is told by its time: a workflow task has a time of its own, and a step that only a query caused
 * brings new events at the time of the task before it. The guard refuses it. The query fails, with `REFUSAL`,
 * the run leaves the cache, and the next task or query replays it from its history. Nothing is written. Who
 * asked asks again (`shared/query-errors.ts`). See docs/operations.md, "Queries and paused workers".
 */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { REFUSAL } from '../../run/limits/failure.js';

/** One step of a run, as the SDK's core hands it to workflow code. */
export interface Step {
  /** Of the workflow task, by which the run's clock goes. */
  time: string;
  /** Events of the history that the step knows. */
  events: number;
  isReplay: boolean;
}

/** True for a step that no workflow task has caused, though it brings events. Null: there was none before. */
export function isOutsideTask(last: Step | null, step: Step): boolean {
  return last !== null && !step.isReplay && step.time === last.time && step.events > last.events;
}

export const queryGuard: WorkflowInterceptorsFactory = () => {
  let last: Step | null = null;
  /** The last step was the first after a replay: a query may have caused it. */
  let isDoubtful = false;
  return {
    internals: [
      {
        activate(input, next) {
          const step = stepOf(input);
          if (isQueryAlone(input)) {
            if (isDoubtful) throw new Error(REFUSAL);
            // What was replayed whole has no events of its own: the next step is a task's.
            if (last !== null) last = { ...last, isReplay: false };
          }
          if (step !== null) {
            // A plain error fails the step and not the run.
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

/** How the SDK names a query that came by itself, not with a workflow task. */
const ALONE = 'legacy_query';

function isQueryAlone({ activation }: ActivateInput): boolean {
  return activation.jobs?.some(({ queryWorkflow }) => queryWorkflow?.queryId === ALONE) === true;
}

/** Of the SDK's internal activations. Null: it only answers queries, or is not the first batch of several. */
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
