/**
 * What the prompt of a role may name to be told with each instruction. It varies while a run lasts, and a
 * prompt must not: so the name stays in the prompt, and the value stands under it at the end of the instruction.
 */

import type { CallPlaceholder, PinnedRole } from '../agents/role.js';
import type { RunState } from '../state/run-state.js';
import { stepLine } from '../state/trace.js';
import { fitted } from '../text/fit.js';
import { inventory } from './inventory.js';
import { delimit } from './prompt.js';
import { resourcePool } from './review-instructions.js';
import { systemState, taskContext } from './steering-instructions.js';

const VALUE_BYTES = 8_000;
const STEPS_SHOWN = 20;

const VALUES: Readonly<Record<CallPlaceholder, (state: RunState) => string>> = {
  USER_GOAL: state => delimit('goal', state.goal.text),
  SYSTEM_STATE: state => json(systemState(state, state.idleSince !== null)),
  TASK_CONTEXT: state =>
    delimit('task_context', json(fitted(taskContext(state, state.idleSince !== null), VALUE_BYTES))),
  TASK_LIST: state => delimit('task_list', json(fitted(state.tasks.map(listed), VALUE_BYTES))),
  RESOURCE_POOL: state =>
    delimit('resource_pool', json(state.pinned ? resourcePool(state, state.pinned) : { models: [] })),
  ARTIFACTS: state => inventory(state.artifacts),
  HISTORY: state => delimit('history', state.log.trace.steps.slice(-STEPS_SHOWN).map(stepLine).join('\n')),
};

/** The instruction, with what the role's prompt names and the instruction does not say itself. */
export function withCallContext(
  state: RunState,
  { context = [] }: Pick<PinnedRole, 'context'>,
  instruction: string,
): string {
  const missing = context.filter(name => !instruction.includes(`${name}:\n`));
  return [instruction, ...missing.map(name => `${name}:\n${VALUES[name](state)}`)].join('\n\n');
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function listed({ id, description, status, dependencies, priority }: RunState['tasks'][number]) {
  return { id, description, status, dependencies, priority };
}
