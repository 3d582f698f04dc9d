/** Sub-agents on Temporal: each is a child workflow of the run's own type, which ends with it. */

import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { errorText } from '../../core/error-text.js';
import { preview } from '../../core/preview.js';
import type { AgentEnd } from '../../core/subagent.js';
import { childId, reportOf } from '../../core/subagent.js';
import { resultOf, type StartedRun } from '../child-run.js';
import { pauseSignal, resumeSignal, steerSignal, stopSignal, WORKFLOW_TYPE } from '../messages.js';
import type { Ports } from '../ports.js';

const SUMMARY_CHARS = 100;

const SIGNALS = { pause: pauseSignal, resume: resumeSignal, stop: stopSignal, steer: steerSignal } as const;

/** Those of a part: none is open where the next begins. */
export function subagents(): Pick<Ports, 'callSubagent' | 'tellSubagent'> {
  const open = new Map<string, Promise<ChildWorkflowHandle<StartedRun>>>();
  return {
    callSubagent: async ({ id, goal, settings }) => {
      const started = startChild<StartedRun>(WORKFLOW_TYPE, {
        workflowId: childId(workflowInfo().workflowId, id),
        args: [{ goal, settings }],
        staticSummary: preview(`${settings.role}: ${goal}`, SUMMARY_CHARS),
        memo: { goal: preview(goal), mode: settings.mode, startedAt: new Date(Date.now()).toISOString() },
        // It is a part of this run's work, and its usage is counted here: nobody goes on before it has ended.
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      });
      open.set(id, started);
      try {
        return { kind: 'ended', report: reportOf(await resultOf(await started)) };
      } catch (error) {
        return endWithoutResult(error);
      } finally {
        open.delete(id);
      }
    },
    // Told in the order in which they were sent, also what comes before it has begun.
    tellSubagent: (id, { signal, input }, lost) => {
      const started = open.get(id);
      if (started === undefined) lost();
      else started.then(child => child.signal<unknown[]>(SIGNALS[signal].name, input)).catch(lost);
    },
  };
}

/** Anything that is not the child's own end is a bug and goes on as it is. */
function endWithoutResult(error: unknown): AgentEnd {
  if (isCancellation(error)) return { kind: 'cancelled' };
  if (error instanceof ChildWorkflowFailure) return { kind: 'lost', why: errorText(error.cause ?? error) };
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'lost', why: error.message };
  throw error;
}
