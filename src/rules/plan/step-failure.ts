/** Decides how a plan continues after a failed task (L16). Only runs in the mode plan have a policy for it. */

import type { StepFailurePolicy } from '../../run/plan/plan.js';
import type { ModeName } from '../../run/position/modes.js';

export interface FailedStep {
  mode: ModeName;
  policy: StepFailurePolicy;
  canReplan: boolean;
  hasOrchestrator: boolean;
}

/** A policy other than `skip` precedes the orchestrator, which is asked in every mode with tasks. */
export function afterFailedStep({
  mode,
  policy,
  canReplan,
  hasOrchestrator,
}: FailedStep): 'orchestrate' | StepFailurePolicy {
  if (mode !== 'plan' || policy === 'skip') return hasOrchestrator ? 'orchestrate' : 'skip';
  return policy === 'replan' && !canReplan ? 'skip' : policy;
}
