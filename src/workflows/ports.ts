/**
 * All that modes and the turn loop know of the world. Temporal implements it in `temporal-ports.ts`;
 * the simulation implements it in memory and drives the same code.
 */
import type {
  CallModelInput,
  CallModelResult,
  CallToolInput,
  CallToolResult,
  EditArtifactInput,
  ResolveModelInput,
  StoreTextInput,
} from '../activities/types.js';
import type { ArtifactEdited } from '../core/artifacts.js';
import type { CallFailure } from '../core/failure.js';
import type { ModelRequestPage } from '../core/model-request.js';
import type { RunSettings } from '../core/run-config.js';
import type { RunState } from '../core/run-state.js';
import type { AgentEnd } from '../core/subagent.js';

import type { SteerInput } from './messages.js';

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
  /** A stop may cancel it while it runs. */
  interruptible: boolean;
}

export interface ChildStart {
  /** Unique in the run, such as `search/1`. */
  id: string;
  goal: string;
  settings: RunSettings;
}

export type ToChild =
  | { signal: 'pause' | 'resume' | 'stop'; input: unknown }
  | { signal: 'steer'; input: SteerInput };

export interface Ports {
  /** Milliseconds since the epoch, the same in every replay. */
  now(): number;
  callModel(input: CallModelInput, options: CallOptions): Promise<Called<CallModelResult>>;
  /** Asks the worker's program which model answers. */
  resolveModel(input: ResolveModelInput): Promise<Called<{ model: string | null }>>;
  /** Leaves what the next model call sends where that call may find it. Nothing depends on it. */
  offer(page: ModelRequestPage, check: string): void;
  /** Several may be in flight at once. */
  callTool(input: CallToolInput, options: CallOptions): Promise<Called<CallToolResult>>;
  editArtifact(input: EditArtifactInput, options: CallOptions): Promise<Called<ArtifactEdited>>;
  /** Keeps a text by reference, in a few tries; `once`: in a single one. A stop ends the wait. */
  storeText(input: StoreTextInput, options: { once: boolean }): Promise<Called<{ ref: string }>>;
  /** Resolves when `done` is true, or after `timeoutMs`; null waits for ever. `what`: one line for the Web UI. */
  wait(done: () => boolean, timeoutMs: number | null, what: string): Promise<void>;
  /** Starts a run of its own with this goal and the settings of this one; returns its id. */
  startRun(id: string, goal: string): Promise<string>;
  /** Runs a sub-agent to its end, whatever that is. */
  callSubagent(child: ChildStart): Promise<AgentEnd>;
  /** Passes a message on to a sub-agent that runs: a signal of ours. `lost`: it found nobody who would read it. */
  tellSubagent(id: string, message: ToChild, lost: () => void): void;
  /** Cancels the interruptible calls in flight, if there are any. */
  interrupt(): void;
  /** Throws the platform's cancellation if the run was cancelled. */
  throwIfCancelled(): void;
  /** True when the run should continue as new at the next safe point. */
  handoverDue(state: RunState): boolean;
  /** True when the server wants the run to continue as new, also while it waits. */
  handoverSuggested(): boolean;
  /** Continues the run as new with this state. Never returns. */
  handOver(state: RunState): Promise<never>;
  /** Shows the state to watchers; called at safe points. */
  show(state: RunState): void;
}
