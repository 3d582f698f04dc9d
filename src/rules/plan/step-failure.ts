/** What a failed task does to the rest of its plan (L16): in the mode plan the run's policy says so, elsewhere nothing. */

import type { StepFailurePolicy } from '../../run/plan/plan.js';
import type { ModeName } from '../../run/position/modes.js';

export interface FailedStep {
  mode: ModeName;
  policy: StepFailurePolicy;
  canReplan: boolean;
  hasOrchestrator: boolean;
}

/** A policy that says more than to go on comes before the orchestrator, which is asked in every mode with tasks. */
export function afterFailedStep({
  mode,
  policy,
  canReplan,
  hasOrchestrator,
}: FailedStep): 'orchestrate' | StepFailurePolicy {
  if (mode !== 'plan' || policy === 'skip') return hasOrchestrator ? 'orchestrate' : 'skip';
  return policy === 'replan' && !canReplan ? 'skip' : policy;
}
