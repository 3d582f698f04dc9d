/** Instructions to the reviewer: the subject as data, and the form of the answer. */

import { utf8Length } from '../../base/json/json.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { cutNote, fill, wordsOf } from '../../base/words/words.js';
import { contentText } from '../../conversation/tool-result.js';
import { paragraphs } from '../../rules/prompts/instructions.js';
import { digest, outputText } from '../../rules/prompts/output-line.js';
import type { ToolUseBlock } from '../../run/messages/message.js';
import type { PlannedTask, Task } from '../../run/plan/plan.js';
import { userNotesText } from '../../run/state/goal.js';
import type { RunState } from '../../run/state/run-state.js';
import { stepsOf } from '../../run/state/trace.js';

/** Limits for the subject and for its context: a consultation takes 48 KB. */
const SUBJECT_BYTES = 18_000;
const CONTEXT_BYTES = 8_000;

export function planReviewInstruction(state: RunState, tasks: readonly PlannedTask[]): string {
  const plan = tasks.map(({ id, description, dependencies, completionCriteria, priority, call }) => ({
    id,
    description,
    priority,
    dependencies,
    completionCriteria,
    ...(call && { call }),
  }));
  return reviewInstruction(state, wordsOf(state).reviewPlan, 'plan', plan);
}

export function resultReviewInstruction(state: RunState, task: Task, summary: string): string {
  const { id, description, completionCriteria } = task;
  return reviewInstruction(state, fill(wordsOf(state).reviewResult, { id }), 'result', {
    id,
    description,
    completionCriteria,
    summary,
    calls: callsOf(state, id),
  });
}

/** Returns a task's tool calls in order, with ending and output: the latest that fit. */
function callsOf(state: RunState, taskId: string): string[] {
  const lines = stepsOf(state.log.journal.events).flatMap(
    ({ action, taskId: of, ending, error, observation, resultId }) => {
      if (action.type !== 'tool' || of !== taskId) return [];
      const call = `${action.tool} ${preview(action.arguments, CALL_CHARS)}: ${ending}`;
      const failed = error !== undefined && ending === 'executed' ? `, ${wordsOf(state).evidenceError}` : '';
      const output = textOfResult(state, resultId) ?? observation ?? '';
      return `${call}${failed}${output === '' ? '' : ` · ${output}`}`;
    },
  );
  let room = CONTEXT_BYTES;
  const over = lines.findLastIndex(line => {
    room -= utf8Length(line);
    return room < 0;
  });
  return over < 0 ? lines : [`… (${over + 1})`, ...lines.slice(over + 1)];
}

/** Null if the conversation no longer has the result. */
function textOfResult(state: RunState, resultId: string | undefined): string | null {
  const messages = Object.values(state.threads).flatMap(thread => thread.messages);
  const result = messages.find(({ id }) => id === resultId);
  const output =
    result?.kind === 'tool_result' ? digest(contentText(result.content[0].content), SAID_CHARS) : null;
  return output && outputText(wordsOf(state), output);
}

const CALL_CHARS = 160;
const SAID_CHARS = 300;

/** `taskId`: the task that the call is for. */
export function actionReviewInstruction(state: RunState, call: ToolUseBlock, taskId: string | null): string {
  const task = state.tasks.find(candidate => candidate.id === taskId);
  return reviewInstruction(state, fill(wordsOf(state).reviewAction, { tool: call.name }), 'action', {
    tool: call.name,
    arguments: call.input,
    task: task?.description ?? null,
  });
}

function reviewInstruction(state: RunState, what: string, tag: string, subject: unknown): string {
  const words = wordsOf(state);
  const whole = JSON.stringify(subject, null, 2);
  const shown = JSON.stringify(fitted(subject, SUBJECT_BYTES), null, 2);
  return paragraphs(
    what,
    `${words.goal}\n${delimit('goal', state.goal.text)}`,
    userNotesText(state.goal, words),
    delimit(tag, shown),
    ...cutNote(words, whole, shown),
    words.reviewEnd,
  );
}
