/** The events that a watcher of a run receives. */
import type { ToolProgress } from '../../run/limits/heartbeats.js';
import type { JournalEvent } from '../../run/state/journal.js';
import type { RunEnd } from '../record/run-end.js';
import type { TextDelta } from './live-text.js';
import type { Retry } from './pending-calls.js';

/**
 * An event of a run, by `type`. Events with `seq` are durable: each arrives once, in order. Others are live, only for
 * current watchers.
 */
export type RunEvent = OfAgent &
  (
    | JournalEvent
    /** A further part of a model call's text. `model_call_ended` has the complete reply. */
    | ({ type: 'text' } & TextDelta)
    /** Progress of a tool call, if its server reports it. */
    | ({ type: 'tool_progress' } & ToolProgress)
    /** A call that failed and is retried. */
    | ({ type: 'retry' } & Retry)
    /** A message about the watch itself: what it waits for, or could not read. */
    | { type: 'notice'; text: string }
    /** The last event. */
    | { type: 'end'; end: RunEnd }
  );

/**
 * The sub-agent of an event; absent for the run's own. Its events come between `subagent_started` and `subagent_ended`
 * of the parent run. Gates are left out, because the parent run opens them.
 */
export interface OfAgent {
  /** Its role. */
  agent?: string;
  /**
   * Its path below the run, such as `search/1` or `editor/1/search/2`. The id of its own run is the run's id, `/` and
   * this path.
   */
  path?: string;
}

/**
 * Returns the number from which a watch of the run can be resumed, by `since`; null for live events, and for those of
 * sub-agents, which have numbers of their own.
 */
export function ownSeq(event: RunEvent): number | null {
  return 'seq' in event && event.path === undefined ? event.seq : null;
}
