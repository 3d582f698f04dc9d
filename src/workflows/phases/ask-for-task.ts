/** A question of the executor to the person, or its wish that a person decides. */

import { carrierOf } from '../../core/capabilities.js';
import type { Execution } from '../../core/place.js';
import type { Task } from '../../core/plan.js';
import { askFor } from '../gates.js';
import type { Run } from '../run.js';
import { wish } from '../turn/take-steering.js';
import type { GoalEnd } from './conclude.js';
import { answerFor } from './conclude.js';
import { endTask, giveRoundBack } from './notes.js';

/** Asks; the answer goes into the conversation and costs no round. Without one the task has failed. */
export async function askForTask(
  run: Run,
  place: Execution,
  { task, question }: { task: Task; question: string },
): Promise<GoalEnd | null> {
  const { goal } = run.state;
  const carrier = carrierOf(run.pinned, task);
  const asked = await askFor(run, {
    key: `task:${goal.number}:${task.id}`,
    role: carrier,
    question,
  });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  if (asked.answer.text === null) {
    endTask(run, task.id, { status: 'failed', reason: 'not answered', result: question });
    return null;
  }
  place.step = { kind: 'work', taskId: task.id };
  giveRoundBack(place);
  wish(run, asked.answer.text);
  run.say(run.threadOf(run.role(carrier)), 'steer', asked.answer.text);
  return null;
}
