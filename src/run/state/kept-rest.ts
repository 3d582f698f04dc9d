/** What a run leaves besides its answer, its usage and its steps: kept when a goal has ended, for who asks later. */

import { isRecord } from '../../base/json/json.js';
import type { ChildRecord } from '../agents/children.js';
import type { CheckResult } from '../checks/check.js';
import type { Basis } from '../evidence/evidence.js';
import type { Counters } from '../limits/limits.js';
import type { UsageEntry } from '../limits/usage-by.js';
import type { Artifact } from '../outputs/artifact.js';
import type { Task } from '../plan/plan.js';
import type { GoalRecord } from './goal.js';

export interface KeptRest {
  basis: Basis | null;
  exceptions: string[];
  goals: GoalRecord[];
  tasks: Task[];
  checks: CheckResult[];
  artifacts: Artifact[];
  children: ChildRecord[];
  usageBy: UsageEntry[];
  counters: Counters;
}

/** It stands in each line of the run that follows the end of a goal. */
export const REST_BYTES = 200_000;

const LISTS = ['exceptions', 'goals', 'tasks', 'checks', 'artifacts', 'children', 'usageBy'];

export function isKeptRest(value: unknown): boolean {
  return isRecord(value) && isRecord(value.counters) && LISTS.every(name => Array.isArray(value[name]));
}
