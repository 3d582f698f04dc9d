/** A schedule as programs see it, read from what Temporal has. Pure. */
import { type ScheduleDescription, ScheduleOverlapPolicy } from '@temporalio/client';
import type { RunSettings } from '../../core/agents/run-config.js';
import { readStart } from '../../core/agents/run-input.js';
import { timesText } from './schedule-when.js';

/** What to do when a run is to start while the one before is open: names of Temporal's overlap policies. */
export const OVERLAPS = ['skip', 'buffer_one', 'cancel_other', 'allow_all'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** A run that a schedule has started. */
export interface ScheduledRun {
  id: string;
  /** ISO 8601. */
  startedAt: string;
}

/** How a schedule stands. */
export interface ScheduleSnapshot {
  id: string;
  /** Empty where what it starts can not be read here. */
  goal: string;
  /** In words, such as `30 2 * * * (Europe/Paris)` or `every 6h`. */
  when: string;
  paused: boolean;
  /** What was said at the last pause or resume; empty for nothing. */
  note: string;
  overlap: Overlap | null;
  taskQueue: string;
  /** What its runs are started with; null where that can not be read here. */
  settings: RunSettings | null;
  /** The next starts, ISO 8601; none while it is paused. */
  next: string[];
  /** The latest runs, newest first. */
  runs: ScheduledRun[];
  /** Ids of those that are open, at most 100. */
  open: string[];
  /** Starts since it was made, and those that were skipped because a run was open. */
  started: number;
  skipped: number;
}

export function policyOf(overlap: Overlap): ScheduleOverlapPolicy {
  return ScheduleOverlapPolicy[overlap.toUpperCase() as Uppercase<Overlap>];
}

export function snapshotOf({
  scheduleId,
  spec,
  state,
  policies,
  action,
  info,
}: ScheduleDescription): ScheduleSnapshot {
  const start = readStart(action.args?.[0]);
  return {
    id: scheduleId,
    goal: start.ok ? start.goal : '',
    when: timesText(spec),
    paused: state.paused,
    note: state.note ?? '',
    overlap: OVERLAPS.find(name => policyOf(name) === policies.overlap) ?? null,
    taskQueue: action.taskQueue ?? '',
    settings: start.ok ? start.settings : null,
    next: state.paused ? [] : info.nextActionTimes.map(time => time.toISOString()),
    runs: info.recentActions
      .map(({ takenAt, action: { workflow } }) => ({
        id: workflow.workflowId,
        startedAt: takenAt.toISOString(),
      }))
      .reverse(),
    open: info.runningActions.map(({ workflow }) => workflow.workflowId),
    started: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
  };
}
