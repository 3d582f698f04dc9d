/** What a watcher of a run is told. */
import type { ToolProgress } from '../../core/limits/heartbeats.js';
import type { JournalEvent } from '../../core/state/journal.js';
import type { RunEnd } from '../run/run-end.js';
import type { TextDelta } from './live-text.js';
import type { Retry } from './pending-calls.js';

/** What happens in a run, as a watcher is told. */
export type RunEvent =
  | OwnEvent
  /**
   * What happens in a sub-agent, or in one of its own: `child` is its place below the run, such as `search/1` or
   * `editor/1/search/2`, and with the run's id before it the id of a run. Comes between `subagent_started` and
   * `subagent_ended` of the journal. Gates are left out: its run asks them.
   */
  | { type: 'child'; child: string; agent: string; event: OwnEvent }
  /** The last one. */
  | { type: 'end'; end: RunEnd };

/** What happens in one run alone. */
export type OwnEvent =
  /** A durable event, numbered by its `seq`: each comes once, in order. */
  | { type: 'journal'; event: JournalEvent }
  /** Live text of a model call. The whole reply comes with the journal's `model_call_ended`. */
  | ({ type: 'text' } & TextDelta)
  /** How far a tool call is, where its server tells it. */
  | { type: 'progress'; progress: ToolProgress }
  /** A call that failed and is tried again. */
  | { type: 'retry'; retry: Retry }
  /** Something about the watching itself, in words: what it waits for, what could not be read. */
  | { type: 'notice'; text: string };
