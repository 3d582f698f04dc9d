/** Values of core that many tests start from. */

import { BEHAVIOUR, type PinnedModel, type PinnedRun } from '../../src/run/agents/run-config.js';
import { DEFAULT_LIMITS } from '../../src/run/limits/limits.js';
import type { PlannedTask, Task } from '../../src/run/plan/plan.js';
import type { Permissions } from '../../src/run/tools/permission.js';

export const NO_PERMISSIONS: Permissions = { auto: [], confirm: [], deny: [] };

/** A model of which no more is known. */
export function modelFacts(contextTokens: number, costKnown: boolean): PinnedModel {
  return { contextTokens, maxOutputTokens: null, costKnown };
}

/** A task as a plan names it. */
export function plannedTask(id: string, more: Partial<PlannedTask> = {}): PlannedTask {
  return {
    id,
    description: `Do ${id}`,
    priority: 1,
    dependencies: [],
    requiredCapabilities: [],
    estimatedDuration: null,
    completionCriteria: null,
    call: null,
    ...more,
  };
}

/** A task that has not begun. */
export function task(id: string, more: Partial<Task> = {}): Task {
  return {
    ...plannedTask(id),
    status: 'pending',
    rounds: 0,
    maxRounds: null,
    retries: 0,
    result: null,
    reason: null,
    begunMs: null,
    cycle: 1,
    ...more,
  };
}

/** What a run without roles and tools pins. */
export function pinnedRun(more: Partial<PinnedRun> = {}): PinnedRun {
  return {
    roles: {},
    agents: [],
    prefix: { system: '' },
    projectNotes: null,
    language: 'en',
    tools: [],
    fallbackServer: null,
    limits: DEFAULT_LIMITS,
    models: [],
    modelInfo: {},
    resolver: [],
    behaviour: BEHAVIOUR,
    asksProgram: false,
    dedupe: 'enforce',
    permissions: NO_PERMISSIONS,
    review: { plans: false, results: false, actions: false },
    orchestrate: false,
    onBudget: 'ask',
    onStepFailure: 'skip',
    modes: {},
    ceilings: {},
    gateTimeoutMs: 1,
    modelTimeoutMs: 1,
    searchAttributes: [],
    warnings: [],
    ...more,
  };
}
