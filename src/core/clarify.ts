/** When a planner that goes round in circles asks the user instead (C34). */
import type { PlanOutput } from './outputs/team-outputs.js';

export interface PlanningRound {
  /** Null where it could not be read. */
  output: PlanOutput | null;
  /** Planner rounds used in this cycle, this one included. */
  round: number;
  /** Tasks after the merge. */
  taskCount: number;
  /** The user has been asked about this goal before: then the planner does the best it can. */
  askedBefore: boolean;
}

const MISSING =
  'The planner can not make a plan from this goal. What exactly is wanted, and what may be assumed?';

/**
 * The question to ask after a planner's round, or null to go by `planningDecision`: two rounds want more
 * planning and there is still no task, so what is missing is with the user. The planner's own summary is the
 * question, for that is where it says what is missing. A goal is asked about once.
 */
export function planningQuestion({ output, round, taskCount, askedBefore }: PlanningRound): string | null {
  if (output === null || !output.needsMorePlanning) return null;
  if (askedBefore || taskCount > 0 || round < 2) return null;
  return output.summary.trim() || MISSING;
}
