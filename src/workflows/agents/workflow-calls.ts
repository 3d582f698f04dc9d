/** Tools that are workflows of the application, on Temporal: a check by the worker, then a child workflow. */

import { type Workflow, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  isCancellation,
  ParentClosePolicy,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { CallChecked, CallToolInput } from '../../activities/types.js';
import { childId } from '../../core/agents/children.js';
import { type CallFailure, FAILURE } from '../../core/limits/failure.js';
import { cutText } from '../../core/text/fit.js';
import type { Called, CallOptions, WorkflowCall, WorkflowEnd } from '../ports.js';
import { startCancellable } from './start-child.js';

/** Of what a workflow throws, and of a line for the Web UI. */
const WHY_BYTES = 16_000;
const SUMMARY_BYTES = 200;

/** Asks the worker whether the call may be made as it is: its configuration may have changed since the start. */
export type CheckCall = (input: CallToolInput) => Promise<Called<CallChecked>>;

export async function callWorkflow(
  { workflow, taskQueue, check }: WorkflowCall,
  options: CallOptions,
  { checkCall, within }: { checkCall: CheckCall; within: <T>(start: () => Promise<T>) => Promise<T> },
): Promise<Called<WorkflowEnd>> {
  const checked = await checkCall(check);
  if (!checked.ok) return { ok: false, failure: { ...checked.failure, type: FAILURE.tool.notSent } };
  const { value } = checked;
  if ('ending' in value) return { ok: true, value: { kind: 'refused', ...value } };
  let isStarted = false;
  try {
    const returned = await within(async () => {
      const child = await startCancellable<Workflow>(workflow, {
        workflowId: childId(workflowInfo().workflowId, `${check.tool}/${check.callId}`),
        args: [value.arguments],
        // For `callingRun`, also where it continues as new.
        memo: { idempotencyKey: check.idempotencyKey },
        ...(taskQueue === undefined ? {} : { taskQueue }),
        staticSummary: cutText(options.summary, SUMMARY_BYTES),
        workflowExecutionTimeout: check.timeoutMs,
        retry: { maximumAttempts: options.attempts },
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        // Until it has ended, or its time has, nobody knows what it did.
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      });
      isStarted = true;
      return child.result();
    });
    return { ok: true, value: { kind: 'returned', value: returned } };
  } catch (error) {
    return endOf(error, isStarted);
  }
}

/** What it threw is a failed call that the model reads; that it was ended otherwise is a failure of the call. */
function endOf(error: unknown, isStarted: boolean): Called<WorkflowEnd> {
  const failed = (kind: CallFailure['kind'], message: string, type = ''): Called<WorkflowEnd> => ({
    ok: false,
    failure: { kind, type, message },
  });
  if (isCancellation(error)) return failed('cancelled', '', isStarted ? '' : FAILURE.tool.notSent);
  // The one of an earlier run of this run's id goes on still.
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return failed('application', error.message, FAILURE.tool.notSent);
  if (!(error instanceof ChildWorkflowFailure)) throw error;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return failed('timedOut', 'The workflow did not end within its time.');
  if (!(cause instanceof ApplicationFailure)) return failed('lost', cutText(error.message, WHY_BYTES));
  return { ok: true, value: { kind: 'threw', why: cutText(cause.message, WHY_BYTES) } };
}
