/** How long a task was to take, and has taken: a soft limit, at which nothing is ended. */
import { numberOrNull } from '../../base/text/output-fields.js';
import type { Task } from './plan.js';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 24 * 3_600_000;

/** A planner's `estimatedDuration` in milliseconds: from a second to a day; anything else says nothing, null. */
export function readEstimate(value: unknown): number | null {
  const ms = numberOrNull(value);
  return ms === null || ms < SHORTEST_MS || ms > LONGEST_MS ? null : Math.round(ms);
}

export function begun(task: Task, workedMs: number): Task {
  const { overdue: _, ...rest } = task;
  return {
    ...rest,
    status: 'executing',
    reason: null,
    begunMs: task.estimatedDuration === null ? null : workedMs,
  };
}

export interface Overdue {
  estimatedMs: number;
  takenMs: number;
}

export function overdue({ estimatedDuration, begunMs }: Task, workedMs: number): Overdue | null {
  if (estimatedDuration === null || begunMs === null) return null;
  const takenMs = workedMs - begunMs;
  return takenMs > estimatedDuration ? { estimatedMs: estimatedDuration, takenMs } : null;
}

/** As people say it: "45 s", "12 min", "1.5 h". */
export function durationText(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 360_000) / 10} h`;
}
