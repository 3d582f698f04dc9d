/** Decides on an orchestrator's proposals (F21), by phases and limits. */

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
}

export interface OrchestrationDecision {
  accepted: boolean;
  /** The approval that it needs: a rule may approve `gate`, but never `person`: see `Enlarger`. */
  confirm: 'none' | 'gate' | 'person';
  /** The reason in a sentence: for the journal, and if refused, for the orchestrator. */
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
  const to = NEXT_PHASES.find(known => known === proposal.to);
  if (to === undefined)
    return refused(`${proposal.to} can not follow execution: ${NEXT_PHASES.join(', ')} can.`);
  const open = given.tasks.filter(isOpen).length;
  if (to === 'verification' && open > 0) return refused(`${open} task(s) are open still.`);
  if (to === 'planning' && !given.canReplan) return refused('No further plan is left under the limits.');
  return accepted(proposal, given, `Goes from execution to ${to}.`, to === 'wrap_up' ? 'gate' : 'none');
}

type Allocation = Extract<OrchestrationOutput, { action: 'RESOURCE_ALLOCATE' }>;

function decideAllocation(proposal: Allocation, given: OrchestrationCase): OrchestrationDecision {
  const { resource, target, amount, model } = proposal;
  if (resource === 'model') {
    if (model === null || !given.models.includes(model))
      return refused(`The run has no model ${model ?? '(none named)'}: it has ${given.models.join(', ')}.`);
    if (target === null || !given.roles.includes(roleNamed(target, given.roles)))
      return refused(`There is no role ${target ?? '(none named)'}.`);
    return accepted(proposal, given, `${target} uses ${model} from here on.`);
  }
  if (amount === null || !Number.isInteger(amount) || amount < 1)
    return refused(`An amount of ${resource} is a whole number from 1, got ${amount ?? 'none'}.`);
  const over = ceilingFault({ [resource === 'rounds' ? 'execution' : resource]: amount }, given.ceilings);
  if (over !== null) return refused(over);
  if (resource === 'rounds') return decideRounds(proposal, amount, given);
  // A higher amount raises a limit, a lower one gives up work that the goal was allowed: a person decides on both.
  if (amount <= given.used[resource])
    return refused(`The goal has used ${given.used[resource]} ${resource} already.`);
  if (amount === given.limits[resource]) return refused(`The goal has ${amount} ${resource} already.`);
  return accepted(proposal, given, `The goal gets ${amount} ${resource}.`, 'person');
}

/** Rounds belong to one task; a failed task that gets more is retried with them. */
function decideRounds(proposal: Allocation, amount: number, given: OrchestrationCase): OrchestrationDecision {
  const { tasks, limits } = given;
  const task = tasks.find(candidate => candidate.id === proposal.target);
  if (task === undefined || !(isOpen(task) || task.status === 'failed'))
    return refused(`${proposal.target ?? 'No task'} is neither open nor failed.`);
  if (amount <= task.rounds) return refused(`${task.id} has used ${task.rounds} rounds already.`);
  const has = task.maxRounds ?? limits.execution;
  if (amount < has) return refused(`${task.id} has ${has} rounds anyway.`);
  const fault = task.status === 'failed' ? retryFault(task, given) : null;
  if (fault !== null) return refused(fault);
  return accepted(proposal, given, `${task.id} gets ${amount} rounds.`, amount > has ? 'person' : 'none');
}

function retryFault({ id, retries }: Task, { tasks, limits }: OrchestrationCase): string | null {
  if (retries >= limits.taskRetries)
    return `${id} was tried again ${retries} time(s) already, which is the limit.`;
  return reopenFault(tasks, { id, status: 'pending', maxTasks: limits.tasks });
}

type Handling = Extract<OrchestrationOutput, { action: 'EXCEPTION_HANDLE' }>;

function decideHandling(proposal: Handling, given: OrchestrationCase): OrchestrationDecision {
  const { handling, taskId } = proposal;
  switch (handling) {
    case 'retry':
    case 'skip': {
      const task = given.tasks.find(candidate => candidate.id === taskId);
      if (task === undefined) return refused(`There is no task ${taskId ?? '(none named)'}.`);
      const legal = handling === 'retry' ? task.status === 'failed' : !UNSKIPPABLE.includes(task.status);
      if (!legal) return refused(`A task that is ${task.status} can not be ${PAST[handling]}.`);
      const skipped = { id: task.id, status: 'skipped', maxTasks: given.limits.tasks } as const;
      const fault = handling === 'retry' ? retryFault(task, given) : reopenFault(given.tasks, skipped);
      if (fault !== null) return refused(fault);
      return accepted(proposal, given, `${task.id} is ${PAST[handling]}.`);
    }
    case 'replan':
      if (!given.canReplan) return refused('No further plan is left under the limits.');
      return accepted(proposal, given, 'The goal is planned anew; finished tasks stay.');
    case 'ask_user':
      return accepted(proposal, given, 'A person is asked how to go on.');
    case 'stop':
      return accepted(proposal, given, 'The run stops with the results so far.', 'gate');
  }
}

/** A task at work next to the failed one continues: its result is its own. */
const UNSKIPPABLE: readonly Task['status'][] = ['executing', 'completed', 'skipped'];
const PAST = { retry: 'tried again', skip: 'skipped' } as const;

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
  tasks: readonly Task[],
  { id, status, maxTasks }: { id: string; status: 'pending' | 'skipped'; maxTasks: number },
): string | null {
  const open = reopenTask(tasks, id, status).tasks.filter(isOpen).length;
  if (open <= maxTasks || open <= tasks.filter(isOpen).length) return null;
  return `The plan would have ${open} open tasks, and the limit tasks is ${maxTasks}.`;
}
