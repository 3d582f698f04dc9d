/** Children on Temporal, which end with their run: sub-agents, of the run's own type, and workflows of the application. */

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
import { resultOf, type StartedRun } from './child-run.js';
import { startCancellable } from './start-child.js';

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
  /** All that it was told: the server keeps no order of signals that are on their way at the same time. */
  told: Promise<void>;
}

/** Those of a part: none is open where the next begins. */
export function subagents(): Pick<Ports, 'callSubagent' | 'tellSubagent' | 'cancelSubagents'> {
  // Of all that run, until it is cancelled: each new one stays with its parent for ever.
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
          // Its type is that of every run: this says what it is.
          staticDetails: [
            `- sub-agent \`${id}\` of \`${workflowInfo().workflowId}\``,
            `- role: ${settings.role}`,
            `- workspace: \`${settings.workspace}\``,
          ].join('\n'),
          memo: { ...memoOf(goal, settings), startedAt: new Date(Date.now()).toISOString() },
          // It is a part of this run's work, and its usage is counted here: nobody goes on before it has ended.
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
        // Whoever told it something is heard of before the run goes on.
        await agent.told;
      }
    },
    // Also what comes before it has begun.
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

/** What a run that was called as a sub-agent, under this id, tells the one that called it: one after the other. */
export function caller(calledAs: string | undefined): Pick<Ports, 'tellCaller' | 'callerTold'> {
  const { parent, workflowId: run } = workflowInfo();
  if (calledAs === undefined || parent === undefined) return { tellCaller: () => {}, callerTold: () => null };
  const handle = getExternalWorkflowHandle(parent.workflowId);
  let told: Promise<void> | null = null;
  return {
    tellCaller: message => {
      const before = told ?? Promise.resolve();
      const now = before
        // Also in a run that was cancelled. A caller that is gone misses nothing.
        .then(() =>
          CancellationScope.nonCancellable(() =>
            handle.signal(subagentSignal, { ...message, id: calledAs, run }),
          ),
        )
        .catch(() => {})
        .then(() => {
          if (told === now) told = null;
        });
      told = now;
    },
    callerTold: () => told,
  };
}

/** Anything that is not the child's own end is a bug and goes on as it is. */
function endWithoutResult(error: unknown): AgentEnd {
  if (isCancellation(error)) return { kind: 'cancelled' };
  if (error instanceof ChildWorkflowFailure) return { kind: 'lost', why: errorText(error.cause ?? error) };
  if (error instanceof WorkflowExecutionAlreadyStartedError)
    return { kind: 'lost', why: error.message, notStarted: true };
  throw error;
}

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
