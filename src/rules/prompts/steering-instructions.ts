/** Instructions to the understanding and router roles: the messages as data, and the run's state (P9). */

import { tailChars } from '../../base/text/large-text.js';
import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { type Words, wordsOf } from '../../base/words/words.js';
import { type Steering, taskOf } from '../../run/position/position.js';
import type { RunState } from '../../run/state/run-state.js';

/** The limit for a task's result: enough to see whether a message contradicts it. */
const RESULT_CHARS = 500;
/** The limit for an answer: a message may reply to its question, which is mostly at its end. */
const ANSWER_CHARS = 1_500;

export function steerText(items: readonly { text: string }[]): string {
  return items.map(item => item.text).join('\n\n');
}

export function intentInstruction(state: RunState, steering: Steering): string {
  const words = wordsOf(state);
  return [words.intent, situation(state, steering), messages(words, steering), words.intentEnd].join('\n\n');
}

export function routeInstruction(state: RunState, steering: Steering): string {
  const words = wordsOf(state);
  return [
    words.route,
    situation(state, steering),
    messages(words, steering),
    `INTENT_ANALYSIS:\n${JSON.stringify(steering.intent, null, 2)}`,
    words.routeEnd,
  ].join('\n\n');
}

function messages(words: Words, { items, answers }: Steering): string {
  const userMessages = items.map(({ text }) => delimit('user_message', text)).join('\n');
  if (answers.length === 0) return userMessages;
  return `${userMessages}\n\n${words.asked}\n${delimit('user_answer', answers.join('\n'))}`;
}

function situation(state: RunState, { idle }: Steering): string {
  const context = delimit('task_context', JSON.stringify(taskContext(state, idle), null, 2));
  return `SYSTEM_STATE:\n${JSON.stringify(systemState(state, idle), null, 2)}\n\nTASK_CONTEXT:\n${context}`;
}

export function systemState({ cursor, people, goal }: RunState, idle: boolean) {
  return {
    mode: goal.mode,
    phase: idle ? 'idle' : cursor.position.phase,
    paused: people.pausedAt !== null,
    turns: goal.counters.turns,
    verifications: goal.counters.verification,
  };
}

/** Describes the current work; `idle`: the goal is answered. */
export function taskContext({ goal, goals, tasks, cursor }: RunState, idle: boolean) {
  const { answer = '' } = (idle && goals.at(-1)) || {};
  return {
    goal: goal.text,
    ...(goal.userNotes.length > 0 ? { userNotes: goal.userNotes } : {}),
    ...(answer && { answer: answer.length <= ANSWER_CHARS ? answer : `…${tailChars(answer, ANSWER_CHARS)}` }),
    currentTask: taskOf(cursor.position),
    tasks: tasks.map(({ id, description, status, result }) => ({
      id,
      description,
      status,
      ...(result ? { result: preview(result, RESULT_CHARS) } : {}),
    })),
  };
}
