/**
 * Lets signals with names that the SDK keeps for itself come to the default handler, which ignores them with a word.
 * Without it the SDK throws, the workflow task fails, and so does every try after it: one such signal would hold a
 * run for ever. An interceptor of every run, without any state.
 */
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

const RESERVED_PREFIX = '__temporal_';

export const interceptors: WorkflowInterceptorsFactory = () => ({
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
