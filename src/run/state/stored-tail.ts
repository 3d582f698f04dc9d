/** The run's data besides answer, usage and steps, stored when a goal has ended, for later queries. */

import { isRecord } from '../../base/json/json.js';
import type { ChildRecord } from '../agents/children.js';
import type { CheckResult } from '../checks/check.js';
import type { Basis } from '../evidence/evidence.js';
import type { Counters } from '../limits/limits.js';
import type { UsageEntry } from '../limits/usage-by.js';
import type { Artifact } from '../outputs/artifact.js';
import type { Task } from '../plan/plan.js';
import type { GoalRecord } from './goal.js';

export interface StoredTail {
  basis: Basis | null;
  exceptions: string[];
  goals: GoalRecord[];
  tasks: Task[];
  checks: CheckResult[];
  artifacts: Artifact[];
  value?: unknown;
  filesBefore?: { path: string; named: string; isNew: boolean; ref: string | null }[];
  children: ChildRecord[];
  usageBy: UsageEntry[];
  counters: Counters;
}

/** Every line of the run after a goal's end contains it. */
export const REST_BYTES = 200_000;

const LISTS = ['exceptions', 'goals', 'tasks', 'checks', 'artifacts', 'children', 'usageBy'];

export function isStoredTail(value: unknown): boolean {
  return isRecord(value) && isRecord(value.counters) && LISTS.every(name => Array.isArray(value[name]));
}
