/** Children that end with their run: sub-agents, which are runs too, and workflows of the application. */

import { type Workflow, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { CallChecked, CallToolInput } from '../../activities/types.js';
import { errorText } from '../../base/text/error-text.js';
import { cutText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { reportOf, sessionOf } from '../../rules/agents/subagent.js';
import { type AgentEnd, childId } from '../../run/agents/children.js';
import { memoOf, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import { type CallFailure, FAILURE } from '../../run/limits/failure.js';
import {
  answerSignal,
  callerSignal,
  pauseSignal,
  resumeSignal,
  steerSignal,
  stopSignal,
  subagentSignal,
} from '../run/definitions.js';
import type { Called, CallOptions, Ports, WorkflowCall, WorkflowEnd } from '../run/ports.js';
import { resultOf, type StartedRun, startCancellable } from './start-child.js';

const SUMMARY_CHARS = 100;

const SIGNALS = {
  pause: pauseSignal,
  resume: resumeSignal,
  stop: stopSignal,
  steer: steerSignal,
  answer: answerSignal,
  caller: callerSignal,
} as const;

interface OpenAgent {
  started: Promise<ChildWorkflowHandle<StartedRun>>;
  /** Resolves when all messages are sent. They go one by one, because the server does not order concurrent signals. */
  told: Promise<void>;
}

/** Returns the sub-agents of one segment of a run; all have ended when the next begins. */
export function subagents(): Pick<Ports, 'callSubagent' | 'tellSubagent' | 'cancelSubagents'> {
  // All calls share a scope until it is cancelled; a scope per call would leak in its parent.
  let calls = new CancellationScope();
  const open = new Map<string, OpenAgent>();
  return {
    callSubagent: async ({ id, goal, settings }) => {
      if (calls.consideredCancelled) calls = new CancellationScope();
      const start = () =>
        startCancellable<StartedRun>(WORKFLOW_TYPE, {
          workflowId: childId(workflowInfo().workflowId, id),
          args: [
            { goal, settings: { ...settings, session: sessionOf(workflowInfo().workflowId, settings) } },
          ],
          staticSummary: preview(`${settings.role}: ${goal}`, SUMMARY_CHARS),
          // All runs have the same workflow type, so this describes the sub-agent.
          staticDetails: [
            `- sub-agent \`${id}\` of \`${workflowInfo().workflowId}\``,
            `- role: ${settings.role}`,
            `- workspace: \`${settings.workspace}\``,
          ].join('\n'),
          memo: { ...memoOf(goal, settings), startedAt: new Date(Date.now()).toISOString() },
          // A sub-agent does part of this run's work and its usage counts here, so the run waits for its end.
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
        });
      const scope = calls;
      const agent: OpenAgent = { started: scope.run(start), told: Promise.resolve() };
      open.set(id, agent);
      try {
        const child = await agent.started;
        return { kind: 'ended', report: reportOf(await scope.run(() => resultOf(child))) };
      } catch (error) {
        return endWithoutResult(error);
      } finally {
        open.delete(id);
        // Senders get the outcome of their messages before the run continues.
        await agent.told;
      }
    },
    // Messages may be sent before it has begun.
    tellSubagent: (id, { signal, input }, told) => {
      const agent = open.get(id);
      if (agent === undefined) return told(false);
      agent.told = agent.told
        .then(() => agent.started)
        .then(child => child.signal<unknown[]>(SIGNALS[signal].name, input))
        .then(
          () => told(true),
          () => told(false),
        );
    },
    cancelSubagents: () => calls.cancel(),
  };
}

/** Sends a sub-agent's messages to the run that called it, one after the other. `calledAs`: the agent's id there. */
export function caller(calledAs: string | undefined): Pick<Ports, 'tellCaller' | 'callerTold'> {
  const { parent, workflowId: run } = workflowInfo();
  if (calledAs === undefined || parent === undefined) return { tellCaller: () => {}, callerTold: () => null };
  const handle = getExternalWorkflowHandle(parent.workflowId);
  let sending: Promise<void> | null = null;
  return {
    tellCaller: message => {
      const before = sending ?? Promise.resolve();
      const now = before
        // Send even in a cancelled run. A caller that is gone misses nothing.
        .then(() =>
          CancellationScope.nonCancellable(() =>
            handle.signal(subagentSignal, { ...message, id: calledAs, run }),
          ),
        )
        .catch(() => {})
        .then(() => {
          if (sending === now) sending = null;
        });
      sending = now;
    },
    callerTold: () => sending,
  };
}

/** Returns the end of a child without a result. Any other error is a bug and is rethrown. */
function endWithoutResult(error: unknown): AgentEnd {
  if (isCancellation(error)) return { kind: 'cancelled' };
  if (error instanceof ChildWorkflowFailure) return { kind: 'lost', why: errorText(error.cause ?? error) };
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return { kind: 'lost', why: error.message, notStarted: true };
  throw error;
}

/** Limits of a workflow's error message, and of a line for the Web UI. */
const WHY_BYTES = 16_000;
const SUMMARY_BYTES = 200;

/** Asks the worker if the call is allowed as it is, because its configuration may have changed since the start. */
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
        // Read by `callingRun`, even after the workflow continued as new.
        memo: { idempotencyKey: check.idempotencyKey, values: check.context },
        ...(taskQueue === undefined ? {} : { taskQueue }),
        staticSummary: cutText(options.summary, SUMMARY_BYTES),
        workflowExecutionTimeout: check.timeoutMs,
        retry: { maximumAttempts: options.attempts },
        parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        // Its effects are unknown until it has ended or timed out.
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

/** A workflow's own error is a failed call that the model reads; any other end is a failure of the call. */
function endOf(error: unknown, isStarted: boolean): Called<WorkflowEnd> {
  const failed = (kind: CallFailure['kind'], message: string, type = ''): Called<WorkflowEnd> => ({
    ok: false,
    failure: { kind, type, message },
  });
  if (isCancellation(error)) return failed('cancelled', '', isStarted ? '' : FAILURE.tool.notSent);
  // The workflow of an earlier run with the same id is still open.
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return failed('application', error.message, FAILURE.tool.notSent);
  if (!(error instanceof ChildWorkflowFailure)) throw error;
  const { cause } = error;
  if (cause instanceof TimeoutFailure) return failed('timedOut', 'The workflow did not end within its time.');
  if (!(cause instanceof ApplicationFailure)) return failed('lost', cutText(error.message, WHY_BYTES));
  return { ok: true, value: { kind: 'threw', why: cutText(cause.message, WHY_BYTES) } };
}
