/** Decides on an orchestrator's proposals (F21), by phases and limits. */

import { fill, type Words } from '../../base/words/words.js';
import { isLacking } from '../../rules/agents/capabilities.js';
import { blockDependants } from '../../rules/plan/plan-order.js';
import { roleNamed } from '../../run/agents/role.js';
import { type Ceilings, ceilingFault, type Limits } from '../../run/limits/limits.js';
import type { OrchestrationOutput } from '../../run/outputs/contracts.js';
import { isOpen, type Task } from '../../run/plan/plan.js';
import type { Position } from '../../run/position/position.js';

/** Phases that may follow execution, in which the orchestrator is asked. */
const NEXT_PHASES: readonly Position['phase'][] = ['planning', 'verification', 'wrap_up'];

export interface OrchestrationCase {
  tasks: readonly Task[];
  /** The goal may be planned once more: see `plansLeft`. */
  canReplan: boolean;
  limits: Limits;
  ceilings: Ceilings;
  used: { turns: number; tokens: number };
  models: readonly string[];
  roles: readonly string[];
  /** Why a person must confirm, from the reply's envelope: see `confirmationReasons`. */
  concerns: readonly string[];
  words: Words;
}

export interface OrchestrationDecision {
  accepted: boolean;
  /** The approval that it needs: a rule may approve `gate`, but never `person`: see `Enlarger`. */
  confirm: 'none' | 'gate' | 'person';
  /** The reason in a sentence of the run's language: for the journal, and if refused, for the orchestrator. */
  why: string;
  /** The text for the user; null for a refused proposal, which changes nothing. */
  tellUser: string | null;
}

/** Decides on one proposal. Giving up work needs confirmation; only a person may change a limit. */
export function decideOrchestration(
  proposal: OrchestrationOutput,
  given: OrchestrationCase,
): OrchestrationDecision {
  switch (proposal.action) {
    case 'PHASE_TRANSITION':
      return decideTransition(proposal, given);
    case 'RESOURCE_ALLOCATE':
      return decideAllocation(proposal, given);
    case 'EXCEPTION_HANDLE':
      return decideHandling(proposal, given);
  }
}

type Transition = Extract<OrchestrationOutput, { action: 'PHASE_TRANSITION' }>;

function decideTransition(proposal: Transition, given: OrchestrationCase): OrchestrationDecision {
  const { words } = given;
  const to = NEXT_PHASES.find(known => known === proposal.to);
  if (to === undefined)
    return refused(
      fill(words.decidedNoPhase, { phase: String(proposal.to), phases: NEXT_PHASES.join(', ') }),
    );
  const open = given.tasks.filter(isOpen).length;
  if (to === 'verification' && open > 0) return refused(fill(words.decidedOpenTasks, { count: open }));
  if (to === 'planning' && !given.canReplan) return refused(words.decidedNoPlan);
  return accepted(
    proposal,
    given,
    fill(words.decidedPhase, { phase: to }),
    to === 'wrap_up' ? 'gate' : 'none',
  );
}

type Allocation = Extract<OrchestrationOutput, { action: 'RESOURCE_ALLOCATE' }>;

function decideAllocation(proposal: Allocation, given: OrchestrationCase): OrchestrationDecision {
  const { resource, target, amount, model } = proposal;
  const { words } = given;
  if (resource === 'model') {
    if (model === null || !given.models.includes(model))
      return refused(
        fill(words.decidedNoModel, {
          model: model ?? words.decidedNamedNone,
          models: given.models.join(', '),
        }),
      );
    if (target === null || !given.roles.includes(roleNamed(target, given.roles)))
      return refused(fill(words.decidedNoRole, { role: target ?? words.decidedNamedNone }));
    return accepted(proposal, given, fill(words.decidedModel, { role: target, model }));
  }
  if (amount === null || !Number.isInteger(amount) || amount < 1)
    return refused(fill(words.decidedNoAmount, { resource, amount: amount ?? words.decidedNamedNone }));
  const over = ceilingFault({ [resource === 'rounds' ? 'execution' : resource]: amount }, given.ceilings);
  if (over !== null) return refused(over);
  if (resource === 'rounds') return decideRounds(proposal, amount, given);
  // A higher amount raises a limit, a lower one gives up work that the goal was allowed: a person decides on both.
  if (amount <= given.used[resource])
    return refused(fill(words.decidedUsed, { amount: given.used[resource], resource }));
  if (amount === given.limits[resource]) return refused(fill(words.decidedSame, { amount, resource }));
  return accepted(proposal, given, fill(words.decidedLimit, { amount, resource }), 'person');
}

/** Rounds belong to one task; a failed task that gets more is retried with them. */
function decideRounds(proposal: Allocation, amount: number, given: OrchestrationCase): OrchestrationDecision {
  const { tasks, limits, words } = given;
  const task = tasks.find(candidate => candidate.id === proposal.target);
  if (task === undefined || !(isOpen(task) || task.status === 'failed'))
    return refused(fill(words.decidedNotOpen, { id: proposal.target ?? words.decidedNamedNone }));
  if (amount <= task.rounds)
    return refused(fill(words.decidedRoundsUsed, { id: task.id, count: task.rounds }));
  const has = task.maxRounds ?? limits.execution;
  if (amount < has) return refused(fill(words.decidedRoundsHad, { id: task.id, count: has }));
  const fault = task.status === 'failed' ? retryFault(task, given) : null;
  if (fault !== null) return refused(fault);
  const what = fill(words.decidedRounds, { id: task.id, amount });
  return accepted(proposal, given, what, amount > has ? 'person' : 'none');
}

function retryFault({ id, retries }: Task, { tasks, limits, words }: OrchestrationCase): string | null {
  if (retries >= limits.taskRetries) return fill(words.decidedRetried, { id, count: retries });
  return reopenFault(words, tasks, { id, status: 'pending', maxTasks: limits.tasks });
}

type Handling = Extract<OrchestrationOutput, { action: 'EXCEPTION_HANDLE' }>;

function decideHandling(proposal: Handling, given: OrchestrationCase): OrchestrationDecision {
  const { handling, taskId } = proposal;
  const { words } = given;
  switch (handling) {
    case 'retry':
    case 'skip': {
      const task = given.tasks.find(candidate => candidate.id === taskId);
      if (task === undefined)
        return refused(fill(words.decidedNoTask, { id: taskId ?? words.decidedNamedNone }));
      const legal = handling === 'retry' ? task.status === 'failed' : !UNSKIPPABLE.includes(task.status);
      if (!legal) return refused(fill(words[NOT[handling]], { status: task.status }));
      const skipped = { id: task.id, status: 'skipped', maxTasks: given.limits.tasks } as const;
      const fault = handling === 'retry' ? retryFault(task, given) : reopenFault(words, given.tasks, skipped);
      if (fault !== null) return refused(fault);
      return accepted(proposal, given, fill(words[DONE[handling]], { id: task.id }));
    }
    case 'replan':
      if (!given.canReplan) return refused(words.decidedNoPlan);
      return accepted(proposal, given, words.decidedReplan);
    case 'ask_user':
      return accepted(proposal, given, words.decidedAsk);
    case 'stop':
      return accepted(proposal, given, words.decidedStop, 'gate');
  }
}

/** A task at work next to the failed one continues: its result is its own. */
const UNSKIPPABLE: readonly Task['status'][] = ['executing', 'completed', 'skipped'];
const DONE = { retry: 'decidedRetry', skip: 'decidedSkip' } as const;
const NOT = { retry: 'decidedNoRetry', skip: 'decidedNoSkip' } as const;

function accepted(
  { reason }: OrchestrationOutput,
  { concerns }: OrchestrationCase,
  what: string,
  confirm: OrchestrationDecision['confirm'] = 'none',
): OrchestrationDecision {
  const tellUser = [what, reason, ...concerns].filter(part => part !== '').join(' ');
  const worried = confirm === 'none' && concerns.length > 0;
  return { accepted: true, confirm: worried ? 'gate' : confirm, why: what, tellUser };
}

function refused(why: string): OrchestrationDecision {
  return { accepted: false, confirm: 'none', why, tellUser: null };
}

// Reopens a failed task, and those that it blocked, within the limit of open tasks for every requester.

export function reopenTask(
  tasks: readonly Task[],
  id: string,
  status: 'pending' | 'skipped',
): ReturnType<typeof blockDependants> {
  const reason = status === 'skipped' ? 'orchestrated' : null;
  const freed = tasks.map((task): Task => {
    if (task.id === id) return { ...task, status, reason };
    return task.status === 'blocked' && !isLacking(task)
      ? { ...task, status: 'pending', reason: null }
      : task;
  });
  return blockDependants(freed);
}

export function reopenFault(
  words: Words,
  tasks: readonly Task[],
  { id, status, maxTasks }: { id: string; status: 'pending' | 'skipped'; maxTasks: number },
): string | null {
  const open = reopenTask(tasks, id, status).tasks.filter(isOpen).length;
  if (open <= maxTasks || open <= tasks.filter(isOpen).length) return null;
  return fill(words.decidedTooMany, { open, count: maxTasks });
}
