/**
 * Values that fill a prompt's placeholders and vary during a run. The prompt keeps the placeholder's name; the
 * instruction has the value.
 */

import { fitted } from '../../base/text/fit.js';
import { delimit } from '../../base/words/prompt.js';
import type { CallPlaceholder, PinnedRole } from '../../run/agents/role.js';
import { modelsInUse, type PinnedRun } from '../../run/agents/run-config.js';
import { budgetTokens } from '../../run/limits/budget-tokens.js';
import type { RunState } from '../../run/state/run-state.js';
import { stepLine, stepsOf } from '../../run/state/trace.js';
import { resourcesOf } from '../agents/capabilities.js';
import { limitsOf, ownChainOf } from '../limits/in-force.js';
import { systemState, taskContext } from './steering-instructions.js';

const VALUE_BYTES = 8_000;
const STEPS_SHOWN = 20;

export type CallValues = Readonly<Partial<Record<CallPlaceholder, (state: RunState) => string>>>;

const VALUES: CallValues = {
  USER_GOAL: state => delimit('goal', state.goal.text),
  SYSTEM_STATE: state => json(systemState(state, state.idleSince !== null)),
  TASK_CONTEXT: state =>
    delimit('task_context', json(fitted(taskContext(state, state.idleSince !== null), VALUE_BYTES))),
  TASK_LIST: ({ tasks }) => {
    const list = tasks.map(({ id, description, status, dependencies, priority }) => ({
      id,
      description,
      status,
      dependencies,
      priority,
    }));
    return delimit('task_list', json(fitted(list, VALUE_BYTES)));
  },
  RESOURCE_POOL: state =>
    delimit('resource_pool', json(state.pinned ? resourcePool(state, state.pinned) : { models: [] })),
  HISTORY: state =>
    delimit('history', stepsOf(state.log.journal.events).slice(-STEPS_SHOWN).map(stepLine).join('\n')),
};

export function withCallContext(
  state: RunState,
  { context = [] }: Pick<PinnedRole, 'context'>,
  instruction: string,
  ofFeatures: CallValues = {},
): string {
  const values = { ...VALUES, ...ofFeatures };
  const missing = context.filter(name => !instruction.includes(`${name}:\n`));
  return [instruction, ...missing.map(name => `${name}:\n${values[name]?.(state) ?? ''}`)].join('\n\n');
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

type Pool = Pick<PinnedRun, 'roles' | 'models' | 'resolver' | 'resources' | 'tools'>;

/** Returns what a goal may still use: models, roles, limits, and capabilities that are counted. */
export function resourcePool(state: RunState, pinned: Pool) {
  const { execution, turns, tokens } = limitsOf(state);
  return {
    models: modelsInUse(pinned),
    roles: Object.values(pinned.roles).map(role => ({
      role: role.name,
      model: ownChainOf(state, role)[0] ?? null,
    })),
    limits: { rounds: execution, turns, tokens },
    used: { turns: state.goal.counters.turns, tokens: budgetTokens(state.goal.usage) },
    ...(pinned.resources && { capabilities: heldNow(state, pinned, pinned.resources) }),
  };
}

/** Returns how many there are of each counted capability, and which tasks hold one now. */
function heldNow({ tasks }: RunState, pinned: Pool, counts: Readonly<Record<string, number>>) {
  const atWork = tasks.filter(({ status }) => status === 'executing');
  return Object.entries(counts).map(([capability, count]) => ({
    capability,
    count,
    tasks: atWork.filter(task => resourcesOf(pinned, task).includes(capability)).map(({ id }) => id),
  }));
}
