/** Starts children that receive a cancellation even after they have continued as new. Reads the result of a child that is a run. */
import type { Workflow } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  startChild,
  type WithWorkflowArgs,
} from '@temporalio/workflow';
import type { RunInput, RunResult } from '../run/definitions.js';

/**
 * Works like `startChild`. The platform's own cancel request names the execution that was started, which has closed if the
 * child has continued as new. The request then has no effect, and the parent waits until all of the child's work is done. This
 * therefore also requests cancellation by workflow id, which reaches the current execution.
 */
export async function startCancellable<T extends Workflow>(
  workflow: string,
  options: WithWorkflowArgs<T, ChildWorkflowOptions>,
): Promise<ChildWorkflowHandle<T>> {
  const scope = CancellationScope.current();
  const child = await startChild<T>(workflow, options);
  if (options.cancellationType === ChildWorkflowCancellationType.ABANDON) return child;
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  child.result().then(end, end);
  scope.cancelRequested.catch(() => {
    if (!hasEnded) cancelByName(child.workflowId);
  });
  return child;
}

/** Ignores failures: a child that has just ended needs no cancellation. */
function cancelByName(workflowId: string): void {
  CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(() => {});
}

export type StartedRun = (input: RunInput) => Promise<RunResult>;

/** Returns the result, even of a run that failed. */
export async function resultOf(child: ChildWorkflowHandle<StartedRun>): Promise<RunResult> {
  try {
    return await child.result();
  } catch (error) {
    // A failed run has its result in its failure.
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    const [result] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
    if (!result) throw error;
    return result as RunResult;
  }
}
