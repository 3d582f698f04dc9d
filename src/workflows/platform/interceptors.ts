/** The interceptors between the SDK and runs. An application's workflows on the same worker only get `wholeSteps`. */
import { type WorkflowInterceptorsFactory, workflowInfo } from '@temporalio/workflow';
import { WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { REFUSAL } from '../../run/limits/failure.js';
import { queryGuard } from './query-guard.js';

export const interceptors: WorkflowInterceptorsFactory = () => {
  const ofRuns = workflowInfo().workflowType === WORKFLOW_TYPE ? [queryGuard, signalNames] : [];
  return { internals: [wholeSteps, ...ofRuns].flatMap(made => made().internals ?? []) };
};

/**
 * Prevents a query from ending its worker. It intercepts every workflow, even an application's, because one worker serves all.
 *
 * A query may arrive with a history that the worker must replay first. If that activation fails, is refused, or is cut off (the
 * worker was suspended or too slow), the workflow is half replayed. The SDK still passes it the query before it evicts the
 * workflow. The answer would then include the commands of the activation, for which the SDK's core ends the whole worker.
 * Therefore a workflow whose last activation was not concluded accepts no further one.
 */
export const wholeSteps: WorkflowInterceptorsFactory = () => {
  let isUnfinished = false;
  return {
    internals: [
      {
        activate(input, next) {
          // Further batches belong to the same activation.
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
 * Renames signals with names that the SDK reserves, so that the default handler gets and ignores them. Without this the SDK
 * throws, the workflow task fails at every attempt, and one such signal would block a run forever.
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
