/** What a prompt names that varies while a run lasts: the name stays in the prompt, the value stands under the instruction. */

import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { wordsOf } from '../../base/words/words.js';
import type { CallPlaceholder, PinnedRole } from '../../run/agents/role.js';
import { offeredTools, type PinnedRun } from '../../run/agents/run-config.js';
import { textOf } from '../../run/messages/message.js';
import { type Artifact, listedArtifact } from '../../run/outputs/artifacts.js';
import type { RunState } from '../../run/state/run-state.js';
import type { Thread } from '../../run/state/thread.js';
import { stepLine } from '../../run/state/trace.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { resourcePool } from './review-instructions.js';
import { systemState, taskContext } from './steering-instructions.js';

const VALUE_BYTES = 8_000;
const STEPS_SHOWN = 20;

const VALUES: Readonly<Record<CallPlaceholder, (state: RunState) => string>> = {
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
  ARTIFACTS: state => inventory(state.artifacts),
  HISTORY: state => delimit('history', state.log.trace.steps.slice(-STEPS_SHOWN).map(stepLine).join('\n')),
};

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

// The artifacts of a run, told at the end of a conversation once for each change: all before stays as endpoints have it.

/** What the role is to be told before its next call; null where it knows. */
export function newInventory(
  state: RunState,
  { pinned, role, thread }: { pinned: PinnedRun; role: PinnedRole; thread: Pick<Thread, 'messages'> },
): string | null {
  const isTool = ({ name, origin }: ToolDefinition) =>
    origin.type === 'workflow' && /_artifacts?$/.test(name);
  if (!offeredTools(pinned, role).some(isTool)) return null;
  const { artifacts } = state;
  const told = thread.messages.findLast(
    message => message.kind === 'user' && message.purpose === 'inventory',
  );
  const held = told ? textOf(told) : null;
  if (held === null && artifacts.length === 0) return null;
  const text = `${wordsOf(state).artifacts}\n${inventory(artifacts)}`;
  return text === held ? null : text;
}

/** One a line, as data: titles are of models. */
function inventory(artifacts: readonly Artifact[]): string {
  const lines = artifacts.map(artifact => {
    const { id, type, title, version, bytes } = listedArtifact(artifact);
    return `- ${id} · ${type} · version ${version} · ${bytes} bytes · ${preview(title, 100)}`;
  });
  return delimit('artifacts', lines.join('\n'));
}
