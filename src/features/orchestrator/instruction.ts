/** The instruction to the orchestrator: a failed task, and what the goal may use. */
import { cutText, fitted } from '../../base/text/fit.js';
import { delimit } from '../../base/words/prompt.js';
import { cutNote, fill, wordsOf } from '../../base/words/words.js';
import { resourcePool } from '../../rules/prompts/call-context.js';
import { paragraphs } from '../../rules/prompts/instructions.js';
import type { Task } from '../../run/plan/plan.js';
import { userNotesText } from '../../run/state/goal.js';
import type { RunState } from '../../run/state/run-state.js';

/** Limit for each part of the subject's context. */
const CONTEXT_BYTES = 8_000;

export function orchestrationInstruction(
  state: RunState,
  task: Task,
  pinned: Parameters<typeof resourcePool>[1],
): string {
  const tasks = state.tasks.map(({ id, description, status, reason, rounds }) => ({
    id,
    description,
    status,
    reason,
    rounds,
  }));
  const pool = resourcePool(state, pinned);
  const words = wordsOf(state);
  const whole = task.result ?? '';
  const report = cutText(whole, CONTEXT_BYTES);
  return paragraphs(
    fill(words.failed, { id: task.id, reason: task.reason ?? words.noReason }),
    `${words.goal}\n${delimit('goal', state.goal.text)}`,
    userNotesText(state.goal, words),
    `TASK_CONTEXT:\n${delimit('task_context', JSON.stringify(fitted(tasks, CONTEXT_BYTES), null, 2))}`,
    `RESOURCE_POOL:\n${delimit('resource_pool', JSON.stringify(pool, null, 2))}`,
    whole === '' ? words.noReport : `${words.itsReport}\n${delimit('report', report)}`,
    ...cutNote(words, whole, report),
    words.proposalEnd,
  );
}
