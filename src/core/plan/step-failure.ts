/** What a failed task does to the rest of its plan (L16): in the mode plan the run's policy says so, elsewhere nothing. */
import type { ModeName } from '../agents/modes.js';

/**
 * `skip`: what waits for it is blocked, the others go on. `abort`: the goal is summed up with what there is.
 * `replan`: the planner mends what is left. `ask`: a person chooses one of these; where nobody can be asked, `skip`.
 */
export const STEP_FAILURE_POLICIES = ['skip', 'abort', 'replan', 'ask'] as const;
export type StepFailurePolicy = (typeof STEP_FAILURE_POLICIES)[number];

export type StepDecision = Exclude<StepFailurePolicy, 'ask'>;

export function heedsPolicy(mode: ModeName): boolean {
  return mode === 'plan' || mode === 'auto';
}

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
