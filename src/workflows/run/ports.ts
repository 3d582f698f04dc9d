/** All that a run knows of the world. `temporal-ports.ts` implements it, and so does the simulation, in memory. */
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
  TransformInput,
} from '../../activities/types.js';
import type { ContextChange } from '../../conversation/transform.js';
import type { FromCaller, ToCaller } from '../../rules/agents/agent-message.js';
import type { ComparedFile } from '../../rules/gates/whole-write.js';
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
  /** Start-to-close limit: of one try. */
  timeoutMs: number;
  /** Schedule-to-close limit: of all tries together. Default: none. */
  wholeMs?: number;
  /** Tries before the failure comes back. */
  attempts: number;
  /** Before the second try, doubling with each more; a failure may ask for another delay. Default 1,000. */
  retryDelayMs?: number;
  /** No delay grows beyond. Default: a hundred times the first. */
  maxRetryDelayMs?: number;
  /** A stop may cancel it while it runs. */
  interruptible: boolean;
  /** Task queue of one worker alone, which has to begin it soon. Default: that of the run. */
  queue?: string;
  /** Any worker of the queue may take it: the one that is at hand has failed. Default: that one has precedence. */
  anyWorker?: boolean;
}

/** A workflow of the application, as a tool. */
export interface WorkflowCall {
  /** Its type. */
  workflow: string;
  taskQueue?: string;
  /** What the worker is asked before it begins. */
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
  /** As the update `answerGate` has it. */
  | { signal: 'answer'; input: Record<string, unknown> };

export interface Ports {
  /** Of this run and of no other: the same in all its parts, whatever its workflow id. */
  readonly chainId: string;
  /** Of this execution: another in each part of the run, and where it was reset. */
  readonly runId: string;
  /** Milliseconds since the epoch, the same in every replay. */
  now(): number;
  callModel(input: CallModelInput, options: CallOptions): Promise<Called<CallModelResult>>;
  /** Asks the worker's program which model answers. */
  resolveModel(input: ResolveModelInput): Promise<Called<{ model: string | null }>>;
  /** Asks a transform of the worker's program what is to be changed before a call. A stop ends the wait. */
  transform(input: TransformInput): Promise<Called<Required<ContextChange>>>;
  /** Leaves what the next model call sends where that call may find it. Nothing depends on it. */
  offer(page: ModelRequestPage, check: string): void;
  /** Lists the tools of the run anew, as at its start. */
  reloadTools(): Promise<Called<Pick<PinnedRun, 'tools' | 'fallbackServer'>>>;
  /** Several may be in flight at once. */
  callTool(input: CallToolInput, options: CallOptions): Promise<Called<CallToolResult>>;
  /** Runs a workflow of the application to its end; a failure is one that it did not say itself. */
  callWorkflow(call: WorkflowCall, options: CallOptions): Promise<Called<WorkflowEnd>>;
  /** An activity of a feature, which answers soon or is given up: who calls it knows its types. */
  activity(name: string, input: unknown, options: CallOptions): Promise<Called<unknown>>;
  /** Makes a check of the goal. */
  runCheck(input: RunCheckInput, options: CallOptions): Promise<Called<CheckEnd>>;
  /** Looks at the file that a call is about to write, in a few seconds. A stop ends the wait. */
  compareFile(input: CompareFileInput): Promise<Called<ComparedFile>>;
  /** Looks at files of the workspace, in a minute at most. A stop ends the wait. */
  look<I extends LookInput>(input: I): Promise<Called<LookFinds[I['at']]>>;
  /** Keeps a text by reference, in a few tries; `once`: in a single one. A stop ends the wait. */
  storeText(input: StoreTextInput, options: { once: boolean }): Promise<Called<{ ref: string }>>;
  /** Keeps what lies between two marks in the store of sessions, in a few tries; `once`: a store that fails is asked no second time, and only a worker that dies is replaced. */
  keep(input: Pick<KeepInput, 'after' | 'upTo'>, options: { once: boolean }): Promise<Called<KeepEnd>>;
  /** Reads what the run begins with of its conversation, up to so many tokens. A stop ends the wait. */
  openSession(input: Pick<OpenSessionInput, 'session' | 'tokens' | 'noAnswer'>): Promise<Called<Opened>>;
  /** Tells the worker of a moment, in a few tries; a stop waits for it. */
  tell(input: MomentInput): Promise<Called<MomentEnd>>;
  /** Resolves when `done` is true, or after `timeoutMs`; null waits for ever. `what`: one line for the Web UI. */
  wait(done: () => boolean, timeoutMs: number | null, what: string): Promise<void>;
  /** Starts a run of its own with this goal and the settings of this one; returns its id. */
  startRun(id: string, goal: string): Promise<string>;
  /** Runs a sub-agent to its end, whatever that is. */
  callSubagent(child: ChildStart): Promise<AgentEnd>;
  /** Passes a message on to a sub-agent that runs, in order: a signal of ours. `told`: whether it found it running. */
  tellSubagent(id: string, message: ToChild, told: (found: boolean) => void): void;
  /** Cancels the sub-agents that run; their calls end when they have. */
  cancelSubagents(): void;
  /** Tells the run that called this one as a sub-agent, in order; where none did, nobody. */
  tellCaller(message: ToCaller): void;
  /** Resolves when the caller has what it was told; null where nothing is on its way. Whatever ends a run waits for it. */
  callerTold(): Promise<void> | null;
  /** Cancels the interruptible calls in flight, if there are any. */
  interrupt(): void;
  /** Throws the platform's cancellation if the run was cancelled. */
  throwIfCancelled(): void;
  /** True when the run should continue as new at the next safe point. */
  handoverDue(state: RunState): boolean;
  /** True when tasks that run side by side should come to a safe point, for the run is to continue as new. */
  handoverNear(state: RunState): boolean;
  /** True when the server wants the run to continue as new, also while it waits. */
  handoverSuggested(): boolean;
  /** Continues the run as new with this state. Never returns. */
  handOver(state: RunState): Promise<never>;
  /** Shows the state to watchers, with the sections of features; called at safe points. */
  show(state: RunState, ofFeatures: readonly string[]): void;
}
