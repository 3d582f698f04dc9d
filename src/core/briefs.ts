/**
 * What the run says to a role when its part begins: short, and added to the thread as a user message,
 * so that system prompts stay the same for a whole run and prefixes can be cached.
 */
import { REPORTS_BYTES } from './bounds.js';
import { cutText } from './fit.js';
import { preview } from './journal.js';
import { ledgerSummary } from './ledger.js';
import type { Task } from './plan.js';
import { reportBytes } from './plan.js';
import { delimit } from './prompt.js';
import type { Reading, RunState } from './run-state.js';
import { wishesText } from './wishes.js';

function taskLine(task: Task): string {
  const needs = task.dependencies.length > 0 ? `, after ${task.dependencies.join(', ')}` : '';
  const done = task.completionCriteria ? ` — done when: ${preview(task.completionCriteria, 500)}` : '';
  const why = task.reason ? ` (${preview(task.reason, 120)})` : '';
  const by = task.byPerson ? ', set by the person' : '';
  return `- ${task.id} [${task.status}${why}${by}, priority ${task.priority}${needs}] ${preview(task.description, 500)}${done}`;
}

function taskList(tasks: readonly Task[]): string {
  return tasks.map(taskLine).join('\n');
}

/** Planner's instruction; `improvements` of the last verification are its key input (F13). */
export function planningBrief(state: RunState): string {
  const { goal, cursor, tasks } = state;
  if (cursor.cycle === 1) return 'Plan the goal above. Answer with the plan as JSON.';
  const wanted = goal.improvements.map(item => `- ${item}`).join('\n');
  const kept =
    'Keep finished tasks as they are, give new tasks new ids, and repeat the id of a task only to change it or to have it done again.';
  return [
    `${WHY_REPLAN[goal.improvementsFrom]} This is plan ${cursor.cycle}.`,
    `What is asked for:\n${delimit('improvements', wanted)}`,
    goal.improvementsFrom === 'user' ? readingText(goal.reading) : '',
    tasks.length > 0 ? `Tasks so far:\n${taskList(tasks)}` : '',
    `Plan what is needed for this. ${kept} Answer with the plan as JSON.`,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/** How a role understood the person, with its doubts: the words of the person count, this helps to read them (OU10). */
function readingText(reading: Reading | null): string {
  if (reading === null) return '';
  return `How the understanding role read it, which may be wrong:\n${delimit('reading', JSON.stringify(reading, null, 2))}`;
}

const WHY_REPLAN: Record<RunState['goal']['improvementsFrom'], string> = {
  verification: 'A verification found that the goal is not met yet.',
  user: 'The user wants the plan changed.',
  review: 'A review did not accept the plan.',
};

/** Asks the planner to refine a plan that it called unfinished (F7). */
export function morePlanningBrief(roundsLeft: number): string {
  return `You said that the plan needs more work. Refine or complete it now, without repeating what is planned; ${roundsLeft} planning round(s) left. Answer with the whole plan as JSON.`;
}

/** Executor's instruction for one task, with what earlier tool calls already found (F12, D2). */
export function taskBrief(state: RunState, task: Task, rounds: number): string {
  const known = ledgerSummary(state.ledger, 20);
  return [
    `Do this task now: ${task.id} — ${task.description}`,
    task.completionCriteria ? `It is done when: ${task.completionCriteria}` : '',
    wishesText(state.goal),
    `All tasks:\n${taskList(state.tasks)}`,
    known
      ? `Tool results in this conversation, and whether they still hold; call again whatever you need anew:\n${known}`
      : '',
    `At most ${rounds} rounds. Call tools as needed; then answer with the result as JSON, with taskCompleted.`,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

export function continueTaskBrief(taskId: string, roundsLeft: number): string {
  return `${taskId} is not finished yet: go on with it. ${roundsLeft} round(s) left.`;
}

export function retryTaskBrief(taskId: string, roundsLeft: number): string {
  return `You asked to retry ${taskId}: start it again. Earlier results of this task may be asked for anew. ${roundsLeft} round(s) left.`;
}

/** The reviewer did not agree that the task is done (C8). */
export function reviewFixesBrief(taskId: string, fixes: readonly string[], roundsLeft: number): string {
  const list = fixes.map(fix => `- ${fix}`).join('\n');
  return `A review does not accept ${taskId} yet. Mend this:\n${delimit('fixes', list)}\n${roundsLeft} round(s) left.`;
}

/** At the cap of a task's rounds: one reply without tools (L3, L6, C11). */
export function taskCapBrief(task: Task): string {
  return `The rounds of ${task.id} are used up and no tools are left. Report as JSON what you found and what is missing, with the actual data.`;
}

/** Of the goal where it is said again: the conversation has it whole. */
const GOAL_BYTES = 8_000;
const TASK_LIST_BYTES = 20_000;

export function verificationBrief(state: RunState): string {
  const reported = state.tasks.filter(task => task.result);
  // The state keeps them all within this: whole, where they are not very long.
  const share = reportBytes(reported) <= REPORTS_BYTES ? REPORTS_BYTES : REPORTS_BYTES / reported.length;
  const reports = reported
    .map(task => `${task.id} (${task.status}):\n${delimit('report', cutText(task.result ?? '', share))}`)
    .join('\n\n');
  return [
    `Verify the work on the goal: ${delimit('goal', cutText(state.goal.text, GOAL_BYTES))}`,
    wishesText(state.goal),
    `Tasks:\n${cutText(taskList(state.tasks), TASK_LIST_BYTES)}`,
    reports ? `Reports of the tasks:\n${reports}` : 'No task left a report.',
    'Check them against the tool results in this conversation. Answer with your verdict as JSON.',
  ]
    .filter(part => part !== '')
    .join('\n\n');
}

/** The verifier's question found nobody to answer it. */
export function unansweredBrief(): string {
  return 'Nobody answered your question: judge by what there is, and answer with your verdict as JSON. What is in doubt is not completed.';
}

/** The last call of a goal that can not go on as planned: an answer from what there is (C9, C11). */
export function wrapUpBrief(state: RunState): string {
  return [
    `The work on the goal ends here: ${state.goal.wrapUp?.why ?? 'it can not go on as planned'}.`,
    `Goal: ${delimit('goal', cutText(state.goal.text, GOAL_BYTES))}`,
    wishesText(state.goal),
    state.tasks.length > 0 ? `Tasks:\n${taskList(state.tasks)}` : '',
    'Answer the goal now as well as the conversation allows, in Markdown, with the actual data found. Say plainly what is missing or was not checked. No tools, no JSON.',
  ]
    .filter(part => part !== '')
    .join('\n\n');
}
