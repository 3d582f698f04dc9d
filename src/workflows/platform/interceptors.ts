/** What stands between the SDK and a run. A worker may serve workflows of an application beside: those are left alone, but for what keeps the worker. */
import { type WorkflowInterceptorsFactory, workflowInfo } from '@temporalio/workflow';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { REFUSAL } from '../../run/limits/failure.js';
import { queryGuard } from './query-guard.js';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const ofRuns = workflowInfo().workflowType === WORKFLOW_TYPE ? [queryGuard, signalNames] : [];
  return { internals: [wholeSteps, ...ofRuns].flatMap(made => made().internals ?? []) };
};

/**
 * Keeps a worker from ending over a query. An interceptor of every workflow, an application's too, for the worker
 * serves all of them.
 *
 * A query may come with a history that the worker has to replay first. Where that step fails, is refused, or is cut off
 * because the worker stood still or was too slow, the workflow is left half way, and the SDK puts the query to it all
 * the same, before it lets go of it. With the answer would go what the step had begun, and for that the SDK's core ends
 * the whole worker. So a workflow whose step was not concluded takes no other.
 */
export const wholeSteps: WorkflowInterceptorsFactory = () => {
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

const RESERVED_PREFIX = '__temporal_';

/**
 * Lets signals with names that the SDK keeps for itself come to the default handler, which ignores them with a word.
 * Without it the SDK throws, the workflow task fails, and so does every try after it: one such signal would hold a
 * run for ever.
 */
export const signalNames: WorkflowInterceptorsFactory = () => ({
  internals: [
    {
      activate(input, next) {
        for (const { signalWorkflow: signal } of input.activation.jobs ?? []) {
          if (signal?.signalName?.startsWith(RESERVED_PREFIX))
            signal.signalName = `reserved: ${signal.signalName}`;
        }
        next(input);
      },
    },
  ],
});
