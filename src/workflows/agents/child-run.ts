/** A run as a child of another workflow: what an application's own workflows call. */

import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  type ExternalWorkflowHandle,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setHandler,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import { readAgentMessage } from '../../rules/agents/agent-message.js';
import { CALLED_BY_WORKFLOW } from '../../rules/agents/subagent.js';
import { memoOf, type RunSettings, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import type { Gate } from '../../run/gates/gate.js';
import { modeFor } from '../../run/position/modes.js';
import {
  answerSignal,
  type FollowUpInput,
  finishSignal,
  followUpSignal,
  type PauseInput,
  pauseSignal,
  type ReasonInput,
  type RunInput,
  type RunResult,
  resumeSignal,
  type SteerInput,
  steerSignal,
  stopSignal,
  subagentSignal,
} from '../run/definitions.js';
import { startCancellable } from './start-child.js';

/** What a run is started with. Only `workspace` has no default. */
export type ChildRunSettings = Partial<Omit<RunSettings, 'workspace' | 'continueAsNew'>> &
  Pick<RunSettings, 'workspace'>;

/**
 * How the child is started: as `startChild` has it. Defaults: the queue of the parent, an id that the SDK gives, and
 * a run that is cancelled when its parent ends. Retry policies and cron schedules are not for runs: they are refused.
 */
export interface ChildRunOptions extends Omit<ChildWorkflowOptions, 'args' | 'retry' | 'cronSchedule'> {
  /**
   * Gets each gate of the run that waits for somebody, and of its sub-agents: start it `attended`. What it returns is
   * the answer; null leaves the gate to others. It may take its time: call activities, wait for a signal of its own.
   * A budget that is used up is not asked about: `limits` are this workflow's to choose.
   */
  onGate?: (gate: Gate) => GateReply | null | Promise<GateReply | null>;
}

/** An answer as the update `answerGate` has it, such as `{ decision: 'approve' }` or `{ text: 'the red one' }`. */
export type GateReply = Record<string, unknown>;

/** What is said to a run until it ends; what comes later fails. */
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
   * Answers a gate of a run that a workflow has started. What does not fit is refused by the run, and the gate stays
   * open; so is every answer to a run that a client has started: clients answer its gates.
   */
  answer(gateId: string, reply: GateReply): Promise<void>;
}

/** A run that has begun. */
export interface ChildRun extends RunHandle {
  /** Waits for its end: as `executeRun` does. */
  result(): Promise<RunResult>;
}

/** Starts a run as a child of this workflow; resolves when it has begun. */
export async function startRun(
  goal: string,
  settings: ChildRunSettings,
  { onGate, ...options }: ChildRunOptions = {},
): Promise<ChildRun> {
  const { workflowId = `${workflowInfo().workflowId}/run-${uuid4().slice(0, 8)}` } = options;
  const asks = onGate === undefined ? {} : { calledAs: hearGates(workflowId, onGate) };
  const all = { mode: modeFor(settings.role), autoApprove: false, ...settings, ...asks };
  const child = await startCancellable<StartedRun>(WORKFLOW_TYPE, {
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    memo: memoOf(goal, all),
    ...options,
    workflowId,
    args: [{ goal, settings: all }],
  });
  return { ...handleOf(child), result: () => resultOf(child) };
}

/** A run of this id, whoever started it. */
export function runHandle(id: string): RunHandle {
  return handleOf(getExternalWorkflowHandle(id));
}

/** The run that called this workflow as a tool. */
export interface CallingRun extends RunHandle {
  /** Names this call and no other, of any run, in every try: for systems that do nothing twice under one key. */
  readonly idempotencyKey: string;
}

/** The run that called this workflow as a tool; null where none did. */
export function callingRun(): CallingRun | null {
  const { parent, memo } = workflowInfo();
  const key = memo?.idempotencyKey;
  return parent && typeof key === 'string' ? { ...runHandle(parent.workflowId), idempotencyKey: key } : null;
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

/** By workflow id. A workflow has modules of its own, and one handler for all runs that it started. */
const askers = new Map<string, OnGate>();

/** Hears what the run asks, as a run hears its sub-agents. Returns the name by which the run knows that it is heard. */
function hearGates(id: string, onGate: OnGate): string {
  askers.set(id, onGate);
  setHandler(
    subagentSignal,
    async raw => {
      const message = readAgentMessage(raw);
      if (message?.type !== 'gate_opened') return;
      const reply = await askers.get(message.run)?.(message.gate);
      // A run that has ended meanwhile waits for no answer: what a handler throws would end this workflow too.
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
 * Runs a goal to its end and gives its result, whatever the outcome: look at `outcome`, which may also be `failed`.
 * @throws ChildWorkflowFailure where there is no result: the run was cancelled, terminated, or could not start.
 */
export async function executeRun(
  goal: string,
  settings: ChildRunSettings,
  options: ChildRunOptions = {},
): Promise<RunResult> {
  const run = await startRun(goal, settings, options);
  return run.result();
}

export type StartedRun = (input: RunInput) => Promise<RunResult>;

/** Also of a run that failed. */
export async function resultOf(child: ChildWorkflowHandle<StartedRun>): Promise<RunResult> {
  try {
    return await child.result();
  } catch (error) {
    // A failed run leaves its result in its failure.
    const cause = error instanceof ChildWorkflowFailure ? error.cause : undefined;
    const [result] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
    if (!result) throw error;
    return result as RunResult;
  }
}

function asText<T extends { text: string }>(input: T | string): T | { text: string } {
  return typeof input === 'string' ? { text: input } : input;
}
