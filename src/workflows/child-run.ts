/** A run as a child of another workflow: what an application's own workflows call. */
import {
  ApplicationFailure,
  ChildWorkflowFailure,
  type ChildWorkflowHandle,
  type ChildWorkflowOptions,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { DEFAULT_MODE } from '../core/modes.js';
import type { RunSettings } from '../core/run-config.js';
import {
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
  WORKFLOW_TYPE,
} from './messages.js';

/** What a run is started with. Only `workspace` has no default. */
export type ChildRunSettings = Partial<Omit<RunSettings, 'workspace' | 'continueAsNew'>> &
  Pick<RunSettings, 'workspace'>;

/**
 * How the child is started: as `startChild` has it. Defaults: the queue of the parent, an id that the SDK gives, and
 * a run that is cancelled when its parent ends. Retry policies and cron schedules are not for runs: they are refused.
 */
export type ChildRunOptions = Omit<ChildWorkflowOptions, 'args' | 'retry' | 'cronSchedule'>;

/** A run that has begun. Messages can be sent to it until it ends; one that comes later fails. */
export interface ChildRun {
  /** Its workflow id. */
  readonly id: string;
  /** Waits for its end: as `executeRun` does. */
  result(): Promise<RunResult>;
  steer(input: SteerInput | string): Promise<void>;
  followUp(input: FollowUpInput | string): Promise<void>;
  pause(input?: PauseInput): Promise<void>;
  resume(input?: ReasonInput): Promise<void>;
  stop(input?: ReasonInput): Promise<void>;
  finish(): Promise<void>;
}

/** Starts a run as a child of this workflow; resolves when it has begun. */
export async function startRun(
  goal: string,
  settings: ChildRunSettings,
  options: ChildRunOptions = {},
): Promise<ChildRun> {
  const input: RunInput = { goal, settings: { mode: DEFAULT_MODE, autoApprove: false, ...settings } };
  const child = await startChild<StartedRun>(WORKFLOW_TYPE, {
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    ...options,
    args: [input],
  });
  return {
    id: child.workflowId,
    result: () => resultOf(child),
    steer: text => child.signal(steerSignal, asText(text)),
    followUp: text => child.signal(followUpSignal, asText(text)),
    pause: why => child.signal(pauseSignal, why),
    resume: why => child.signal(resumeSignal, why),
    stop: why => child.signal(stopSignal, why),
    finish: () => child.signal(finishSignal),
  };
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
    const result = resultIn(error);
    if (result === null) throw error;
    return result;
  }
}

/** A failed run leaves its result in its failure. */
function resultIn(error: unknown): RunResult | null {
  if (!(error instanceof ChildWorkflowFailure) || !(error.cause instanceof ApplicationFailure)) return null;
  const [result] = error.cause.details ?? [];
  return (result as RunResult | undefined) ?? null;
}

function asText<T extends { text: string }>(input: T | string): T | { text: string } {
  return typeof input === 'string' ? { text: input } : input;
}
