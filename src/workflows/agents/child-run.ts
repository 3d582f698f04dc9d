/** Runs as children of an application's own workflows. */

import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  type ExternalWorkflowHandle,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { isTexts, type JsonSchema } from '../../base/json/json.js';
import { readAgentMessage } from '../../rules/agents/agent-message.js';
import { CALLED_BY_WORKFLOW } from '../../rules/agents/subagent.js';
import { memoOf, type RunSettings, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import type { Gate } from '../../run/gates/gate.js';
import { type AnswerSchema, answerSchema } from '../../run/outputs/answer-schema.js';
import { modeFor } from '../../run/position/modes.js';
import {
  answerSignal,
  type FollowUpInput,
  finishSignal,
  followUpSignal,
  type PauseInput,
  pauseSignal,
  type ReasonInput,
  type RunResult,
  resumeSignal,
  type SteerInput,
  steerSignal,
  stopSignal,
  subagentSignal,
} from '../run/definitions.js';
import { resultOf, type StartedRun, startCancellable } from './start-child.js';

/** Settings of a run. Only `workspace` has no default. */
export type ChildRunSettings<T = unknown> = Partial<
  Omit<RunSettings, 'workspace' | 'continueAsNew' | 'answer'>
> &
  Pick<RunSettings, 'workspace'> & {
    /** Each goal must end with a value that fits this: `value` of the result. A zod schema or a JSON Schema. */
    answer?: AnswerSchema<T>;
  };

/**
 * Options of the child, like those of `startChild`. Defaults: the parent's queue, an id of the SDK, and cancellation when the
 * parent ends. Runs refuse retry policies and cron schedules.
 */
export interface ChildRunOptions extends Omit<ChildWorkflowOptions, 'args' | 'retry' | 'cronSchedule'> {
  /**
   * Gets each open gate of the run and of its sub-agents; the run must be started `attended`. Its return value is the answer;
   * null leaves the gate to others. It may take long, call activities, and wait for signals. There are no gates for used-up
   * budgets: this workflow sets `limits` itself.
   */
  onGate?: (gate: Gate) => GateReply | null | Promise<GateReply | null>;
}

/** An answer in the form of the update `answerGate`, such as `{ decision: 'approve' }` or `{ text: 'the red one' }`. */
export type GateReply = Record<string, unknown>;

/** Sends messages to a run. They fail once the run has ended. */
export interface RunHandle {
  /** Its workflow id. */
  readonly id: string;
  steer(input: SteerInput | string): Promise<void>;
  followUp(input: FollowUpInput | string): Promise<void>;
  pause(input?: PauseInput): Promise<void>;
  resume(input?: ReasonInput): Promise<void>;
  stop(input?: ReasonInput): Promise<void>;
  finish(): Promise<void>;
  /**
   * Answers a gate of a run that a workflow has started. The run refuses an answer that does not fit, and its gate stays open.
   * A run that a client has started refuses all: clients answer its gates.
   */
  answer(gateId: string, reply: GateReply): Promise<void>;
}

/** A run that has begun. */
export interface ChildRun<T = unknown> extends RunHandle {
  /** Waits for its end, like `executeRun`. */
  result(): Promise<RunResult<T>>;
}

/** Starts a run as a child of this workflow; resolves when it has begun. */
export async function startRun<T = unknown>(
  goal: string,
  { answer, ...settings }: ChildRunSettings<T>,
  { onGate, ...options }: ChildRunOptions = {},
): Promise<ChildRun<T>> {
  const { workflowId = `${workflowInfo().workflowId}/run-${uuid4().slice(0, 8)}` } = options;
  const asks = onGate === undefined ? {} : { calledAs: hearGates(workflowId, onGate) };
  // The cast is unchecked, because the run checks its input and refuses an invalid schema.
  const typed = answer === undefined ? {} : { answer: answerSchema(answer) as JsonSchema };
  const all = { mode: modeFor(settings.role), autoApprove: false, ...settings, ...typed, ...asks };
  const child = await startCancellable<StartedRun>(WORKFLOW_TYPE, {
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    memo: memoOf(goal, all),
    ...options,
    workflowId,
    args: [{ goal, settings: all }],
  });
  return { ...handleOf(child), result: () => resultOf(child) as Promise<RunResult<T>> };
}

/** Returns a handle of the run with this id, however it was started. */
export function runHandle(id: string): RunHandle {
  return handleOf(getExternalWorkflowHandle(id));
}

/** The run that called this workflow as a tool. */
export interface CallingRun extends RunHandle {
  /** Identifies this call, the same in every attempt: for systems that ignore repeats of a key. */
  readonly idempotencyKey: string;
  /** The `context` that the run was started with. */
  readonly values: Readonly<Record<string, string>>;
}

/** Returns the run that called this workflow as a tool; null without one. */
export function callingRun(): CallingRun | null {
  const { parent, memo } = workflowInfo();
  const key = memo?.idempotencyKey;
  if (!parent || typeof key !== 'string') return null;
  const values = isTexts(memo?.values) ? memo.values : {};
  return { ...runHandle(parent.workflowId), idempotencyKey: key, values };
}

function handleOf(
  run: Pick<ChildWorkflowHandle<StartedRun>, 'workflowId' | 'signal'> | ExternalWorkflowHandle,
): RunHandle {
  return {
    id: run.workflowId,
    steer: text => run.signal(steerSignal, asText(text)),
    followUp: text => run.signal(followUpSignal, asText(text)),
    pause: why => run.signal(pauseSignal, why),
    resume: why => run.signal(resumeSignal, why),
    stop: why => run.signal(stopSignal, why),
    finish: () => run.signal(finishSignal),
    answer: (gateId, reply) => run.signal(answerSignal, { ...reply, gateId }),
  };
}

type OnGate = NonNullable<ChildRunOptions['onGate']>;

/** Handlers by workflow id. The signal has one handler for all runs that this workflow started. */
const askers = new Map<string, OnGate>();

/** Listens for the run's gates, as a run does for its sub-agents. Returns the name that the run is `calledAs`. */
function hearGates(id: string, onGate: OnGate): string {
  askers.set(id, onGate);
  setHandler(
    subagentSignal,
    async raw => {
      const message = readAgentMessage(raw);
      if (message?.type !== 'gate_opened') return;
      const reply = await askers.get(message.run)?.(message.gate);
      // A run that has ended waits for no answer. A throw in a handler would fail this workflow too.
      if (reply)
        await runHandle(message.run)
          .answer(message.gate.id, reply)
          .catch(() => {});
    },
    { unfinishedPolicy: HandlerUnfinishedPolicy.ABANDON },
  );
  return CALLED_BY_WORKFLOW;
}

/**
 * Runs a goal to its end and returns its result for every outcome: check `outcome`, which may be `failed`.
 * @throws ChildWorkflowFailure if there is no result: the run was cancelled, terminated, or could not start.
 */
export async function executeRun<T = unknown>(
  goal: string,
  settings: ChildRunSettings<T>,
  options: ChildRunOptions = {},
): Promise<RunResult<T>> {
  const run = await startRun(goal, settings, options);
  return run.result();
}

function asText<T extends { text: string }>(input: T | string): T | { text: string } {
  return typeof input === 'string' ? { text: input } : input;
}
