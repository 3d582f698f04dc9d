/**
 * Keeps a worker from ending over a query. An interceptor of every workflow, an application's too, for the worker
 * serves all of them.
 *
 * A query may come with a history that the worker has to replay first. Where that step fails, is refused, or is cut off
 * because the worker stood still or was too slow, the workflow is left half way, and the SDK puts the query to it all
 * the same, before it lets go of it. With the answer would go what the step had begun, and for that the SDK's core ends
 * the whole worker. So a workflow whose step was not concluded takes no other.
 */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { REFUSAL } from '../../core/limits/failure.js';

export const interceptors: WorkflowInterceptorsFactory = () => {
  let isUnfinished = false;
  return {
    internals: [
      {
        activate(input, next) {
          // The other batches of a step belong to it.
          if (isUnfinished && input.batchIndex === 0) throw new Error(REFUSAL);
          isUnfinished = true;
          next(input);
        },
        concludeActivation(input, next) {
          isUnfinished = false;
          return next(input);
        },
      },
    ],
  };
};
