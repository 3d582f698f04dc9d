/** Every signal and query of a run, with its types: what clients import. */
import { defineQuery, defineSignal } from '@temporalio/workflow';
import type { ModelRequestPage } from '../activities/types.js';
import type { JournalEvent, Outcome } from '../core/journal.js';
import type { Counters, Limits } from '../core/limits.js';
import type { Message, Usage } from '../core/message.js';
import type { Task } from '../core/plan.js';
import type { RunSettings } from '../core/run-config.js';
import type { Phase, RunState } from '../core/run-state.js';
import type { TraceReport } from '../core/trace.js';

export const WORKFLOW_TYPE = 'steersmanRun';
export const DEFAULT_TASK_QUEUE = 'steersman';

/** A start, or the next part of a run that continued as new. */
export type RunInput = { goal: string; settings: RunSettings } | { resume: RunState };

/** What a run gives when it ends: its result, a failure's first detail, or (cancelled) the memo `result`. */
export interface RunResult {
  id: string;
  mode: string;
  outcome: Outcome;
  goal: string;
  answer: string;
  tasks: Task[];
  usage: Usage;
  counters: Counters;
  /** By reference where it is over 64 KB: then `steps` is empty and `ref` names it. */
  trace: TraceReport & { ref?: string };
}

/** Answer of the query `state`: what `show --json` prints, without what only the server knows. */
export interface RunView {
  id: string;
  runId: string;
  outcome: Outcome | null;
  mode: string;
  phase: Phase | 'loading' | 'ended';
  goal: string;
  model: string;
  part: number;
  previousRunId: string | null;
  cursor: RunState['cursor'];
  tasks: Task[];
  counters: Counters;
  limits: Limits | null;
  usage: Usage;
  budget: { tokens: number; wallTimeMs: number; costUsd: number | null };
  threads: Record<string, { messages: number; tokens: number; epoch: number; dropped: number }>;
  lastEventSeq: number;
  answer: string | null;
}

export interface EventsPage {
  events: JournalEvent[];
  /** Events after `since` that are no longer kept here: an earlier part of the run has them. */
  missed: number;
  previousRunId: string | null;
  /** The run goes on: ask again after the last `seq`. */
  open: boolean;
}

export interface StopInput {
  reason?: string;
}

export const stopSignal = defineSignal<[StopInput?]>('stop');

export const stateQuery = defineQuery<RunView>('state');
export const eventsQuery = defineQuery<EventsPage, [number?]>('events');
export const modelRequestQuery = defineQuery<
  ModelRequestPage,
  [string?, { from?: number; headKey?: string }?]
>('modelRequest');
/** Arguments of a tool call in flight that are too large to travel with its activity. */
export const toolRequestQuery = defineQuery<Record<string, unknown>, [string]>('toolRequest');
export const transcriptQuery = defineQuery<Message[], [string?, number?]>('transcript');
export const traceQuery = defineQuery<TraceReport>('trace');
