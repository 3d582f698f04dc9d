/**
 * Activities are made by runs, and by nobody else: a run decides on permissions and asks people, an activity does
 * what it is told. A server also lets clients start an activity of its own, and other workflows on the same queue.
 */
import { ApplicationFailure } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { FAILURE } from '../core/failure.js';
import { WORKFLOW_TYPE } from '../workflows/messages.js';

export const onlyRuns: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute(input, next) {
      if (info.inWorkflow && info.workflowType === WORKFLOW_TYPE) return next(input);
      const message = `${info.activityType} is for runs of type ${WORKFLOW_TYPE} only: start a run instead.`;
      throw ApplicationFailure.nonRetryable(message, FAILURE.run.badInput);
    },
  },
});
