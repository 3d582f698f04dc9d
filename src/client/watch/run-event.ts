/** What a watcher of a run is told. */
import type { ToolProgress } from '../../run/limits/heartbeats.js';
import type { JournalEvent } from '../../run/state/journal.js';
import type { RunEnd } from '../record/run-end.js';
import type { TextDelta } from './live-text.js';
import type { Retry } from './pending-calls.js';

/**
 * What happens in a run, by its `type`. What has a `seq` is durable: each comes once, in order. All else is live, and
 * told to who watches at the time.
 */
export type RunEvent = OfAgent &
  (
    | JournalEvent
    /** More of the text of a model call. The whole reply comes with `model_call_ended`. */
    | ({ type: 'text' } & TextDelta)
    /** How far a tool call is, where its server tells it. */
    | ({ type: 'tool_progress' } & ToolProgress)
    /** A call that failed and is tried again. */
    | ({ type: 'retry' } & Retry)
    /** Something about the watching itself, in words: what it waits for, what could not be read. */
    | { type: 'notice'; text: string }
    /** The last one. */
    | { type: 'end'; end: RunEnd }
  );

/**
 * Whose it is, where a sub-agent tells it: absent on what the run tells itself. It comes between `subagent_started` and
 * `subagent_ended` of the run above. Gates are left out: the run asks them.
 */
export interface OfAgent {
  /** Its role. */
  agent?: string;
  /** Its place below the run, such as `search/1` or `editor/1/search/2`: with the run's id before it the id of a run. */
  path?: string;
}
