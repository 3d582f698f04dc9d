/** What the understanding and router roles are told: the messages as data, and where the run stands (P9). */
import { preview } from './journal.js';
import { delimit } from './prompt.js';
import type { RunState, Steering } from './run-state.js';

/** Of what a task found: enough to see whether a message contradicts it. */
const RESULT_CHARS = 500;

/** The messages as one text, oldest first. */
export function steerText(items: readonly { text: string }[]): string {
  return items.map(item => item.text).join('\n\n');
}

export function intentBrief(state: RunState, steering: Steering): string {
  return [
    'A message of the user has arrived. Say what is meant by it.',
    situation(state, steering),
    messages(steering),
    'Answer with your analysis as JSON.',
  ].join('\n\n');
}

export function routeBrief(state: RunState, steering: Steering): string {
  const { intent } = steering;
  return [
    'Decide where this message takes the run.',
    situation(state, steering),
    messages(steering),
    `INTENT_ANALYSIS:\n${JSON.stringify(intent, null, 2)}`,
    'Answer with your decision as JSON.',
  ].join('\n\n');
}

function messages({ items, answers }: Steering): string {
  const said = delimit('user_message', steerText(items));
  if (answers.length === 0) return said;
  return `${said}\n\nAsked what was meant, the user answered:\n${delimit('user_answer', answers.join('\n'))}`;
}

/** SYSTEM_STATE and TASK_CONTEXT of document 002, as JSON with indent 2 (P9). */
function situation(state: RunState, { suspended, idle }: Steering): string {
  const { goal, tasks } = state;
  const system = {
    mode: state.settings.mode,
    phase: idle ? 'idle' : suspended.phase,
    paused: state.pausedAt !== null,
    turns: goal.counters.turns,
    verifications: goal.counters.verification,
  };
  const context = {
    goal: goal.text,
    ...(goal.wishes.length > 0 ? { laterWishes: goal.wishes } : {}),
    currentTask: suspended.taskId,
    tasks: tasks.map(({ id, description, status, result }) => ({
      id,
      description,
      status,
      ...(result ? { result: preview(result, RESULT_CHARS) } : {}),
    })),
  };
  return `SYSTEM_STATE:\n${JSON.stringify(system, null, 2)}\n\nTASK_CONTEXT:\n${delimit('task_context', JSON.stringify(context, null, 2))}`;
}
