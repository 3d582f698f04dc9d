/** A task's estimated and actual time: a soft limit that ends nothing. */
import { numberOrNull } from '../../base/text/output-fields.js';
import type { Task } from './plan.js';

const SHORTEST_MS = 1_000;
const LONGEST_MS = 24 * 3_600_000;

/** Reads a planner's `estimatedDuration` in milliseconds, from a second to a day; null for anything else. */
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

/** Returns a duration for people: "45 s", "12 min", "1.5 h". */
export function durationText(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 360_000) / 10} h`;
}
