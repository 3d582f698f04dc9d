/** The interface between a run and the world. `temporal-ports.ts` implements it; the simulation does so in memory. */
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
  CheckEnd,
  CompareFileInput,
  KeepEnd,
  KeepInput,
  LookFinds,
  LookInput,
  MomentEnd,
  MomentInput,
  Opened,
  OpenSessionInput,
  ResolveModelInput,
  RunCheckInput,
  StoreTextInput,
} from '../../activities/types.js';
import type { FromCaller, ToCaller } from '../../rules/agents/agent-message.js';
import type { ComparedFile, EditFails } from '../../rules/gates/whole-write.js';
import type { ModelRequestPage } from '../../rules/prompts/model-request.js';
import type { AgentEnd } from '../../run/agents/children.js';
import type { PinnedRun, RunSettings } from '../../run/agents/run-config.js';
import type { CallFailure } from '../../run/limits/failure.js';
import type { RunState } from '../../run/state/run-state.js';

import type { PauseInput, ReasonInput, SteerInput } from './definitions.js';

export type Called<T> = { ok: true; value: T } | { ok: false; failure: CallFailure };

export interface CallOptions {
  /** One line for the Web UI. */
  summary: string;
  /** Start-to-close limit of each attempt. */
  timeoutMs: number;
  /** Schedule-to-close limit of all attempts together. Default: none. */
  wholeMs?: number;
  /** Attempts before the failure is returned. */
  attempts: number;
  /** Delay before the second attempt; it doubles with each more, and a failure may set another. Default 1,000. */
  retryDelayMs?: number;
  /** Maximum delay. Default: a hundred times the first. */
  maxRetryDelayMs?: number;
  /** A stop may cancel the call while it runs. */
  interruptible: boolean;
  /** Task queue of one particular worker, which must begin it soon. Default: the run's queue. */
  queue?: string;
  /** Any worker of the queue may take it, because the run's worker has failed. Default: the run's worker is preferred. */
  anyWorker?: boolean;
}

/** A workflow of the application, as a tool. */
export interface WorkflowCall {
  /** The workflow type. */
  workflow: string;
  taskQueue?: string;
  /** Question to the worker before the workflow starts. */
  check: CallToolInput;
}

export type WorkflowEnd =
  | { kind: 'returned'; value: unknown }
  | { kind: 'threw'; why: string }
  /** Not started. */
  | { kind: 'refused'; ending: 'denied' | 'invalid'; note: string };

export interface ChildStart {
  /** Unique in the run, such as `search/1`. */
  id: string;
  goal: string;
  settings: RunSettings;
}

export type ToChild =
  | { signal: 'pause'; input: PauseInput }
  | { signal: 'resume' | 'stop'; input: ReasonInput }
  | { signal: 'steer'; input: SteerInput }
  | { signal: 'caller'; input: FromCaller }
  /** In the form of the update `answerGate`. */
  | { signal: 'answer'; input: Record<string, unknown> };

export interface Ports {
  /** Identifies this run in all its segments. Unlike a workflow id it is never used again. */
  readonly chainId: string;
  /** Identifies this execution: it differs in each segment, and after a reset. */
  readonly runId: string;
  /** Milliseconds since the epoch, the same in every replay. */
  now(): number;
  callModel(input: CallModelInput, options: CallOptions): Promise<Called<CallModelResult>>;
  /** Asks the worker's program which model answers. */
  resolveModel(input: ResolveModelInput): Promise<Called<{ model: string | null }>>;
  /** Publishes the request of the next model call, where that call may find it. Losing it does no harm. */
  offer(page: ModelRequestPage, check: string): void;
  /** Lists the tools of the run again, as at its start. */
  reloadTools(): Promise<Called<Pick<PinnedRun, 'tools' | 'fallbackServer'>>>;
  /** Several may be in flight at once. */
  callTool(input: CallToolInput, options: CallOptions): Promise<Called<CallToolResult>>;
  /** Runs a workflow of the application to its end. A failure of the workflow itself is a `WorkflowEnd`. */
  callWorkflow(call: WorkflowCall, options: CallOptions): Promise<Called<WorkflowEnd>>;
  /** Runs an activity of a feature, which answers soon or times out. The caller knows its types. */
  activity(name: string, input: unknown, options: CallOptions): Promise<Called<unknown>>;
  /** Runs a check of the goal. */
  runCheck(input: RunCheckInput, options: CallOptions): Promise<Called<CheckEnd>>;
  /** Looks at the file that a call is about to write, within a few seconds. A stop ends the wait. */
  compareFile(input: CompareFileInput): Promise<Called<ComparedFile | EditFails>>;
  /** Looks at files of the workspace, within a minute. A stop ends the wait. */
  look<I extends LookInput>(input: I): Promise<Called<LookFinds[I['at']]>>;
  /** Stores a text by reference, in a few attempts; `once`: one attempt. A stop ends the wait. */
  storeText(input: StoreTextInput, options: { once: boolean }): Promise<Called<{ ref: string }>>;
  /** Stores the records between two marks in the store of sessions, in a few attempts; `once`: a failure is not retried. */
  keep(input: Pick<KeepInput, 'after' | 'upTo'>, options: { once: boolean }): Promise<Called<KeepEnd>>;
  /** Reads the messages of the conversation to begin with, up to `tokens`. A stop ends the wait. */
  openSession(
    input: Pick<OpenSessionInput, 'session' | 'tokens' | 'noAnswer' | 'rollsBack'>,
  ): Promise<Called<Opened>>;
  /** Notifies the worker of a moment, in a few attempts; a stop waits for it. */
  tell(input: MomentInput): Promise<Called<MomentEnd>>;
  /** Resolves when `done` is true, or after `timeoutMs` (null: never). `what`: one line for the Web UI. */
  wait(done: () => boolean, timeoutMs: number | null, what: string): Promise<void>;
  /** Starts an independent run with this goal and the settings of this one; returns its id. */
  startRun(id: string, goal: string): Promise<string>;
  /** Runs a sub-agent to its end, whether it succeeds or fails. */
  callSubagent(child: ChildStart): Promise<AgentEnd>;
  /** Sends a message to a running sub-agent by signal, in order. `told` reports whether the agent was found running. */
  tellSubagent(id: string, message: ToChild, told: (found: boolean) => void): void;
  /** Cancels the running sub-agents; their calls end when they have ended. */
  cancelSubagents(): void;
  /** Sends a message to the run that called this one as a sub-agent, in order; a top-level run sends nothing. */
  tellCaller(message: ToCaller): void;
  /** Resolves when the caller has all messages; null if no message is in transit. Await it before the run ends. */
  callerTold(): Promise<void> | null;
  /** Cancels the interruptible calls in flight, if there are any. */
  cancelCalls(): void;
  /** Throws the platform's cancellation if the run was cancelled. */
  throwIfCancelled(): void;
  /** True when the run should continue as new at the next safe point. */
  handoverDue(state: RunState): boolean;
  /** True when parallel tasks should go to a safe point, because the run must continue as new. */
  handoverNear(state: RunState): boolean;
  /** True when the server wants the run to continue as new, also while it waits. */
  handoverSuggested(): boolean;
  /** Continues the run as new with this state. Never returns. */
  handOver(state: RunState): Promise<never>;
  /** Shows the state to watchers, with the sections of features; called at safe points. */
  show(state: RunState, ofFeatures: readonly string[]): void;
}
