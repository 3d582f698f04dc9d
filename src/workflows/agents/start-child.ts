/** Children that hear of a cancellation, also where they have continued as new. */
import type { Workflow } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  getExternalWorkflowHandle,
  startChild,
  type WithWorkflowArgs,
} from '@temporalio/workflow';

/**
 * As `startChild`. The platform's own request to cancel names the run that was started, which is over where the child
 * has continued as new: nothing comes of it, and whoever waits for the child's end waits for all of its work. So the
 * child is asked once more by its workflow id, which means the run at hand.
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

/** A child that has just ended needs it no more. */
function cancelByName(workflowId: string): void {
  CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(() => {});
}
