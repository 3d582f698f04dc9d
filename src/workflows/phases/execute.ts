/** The execution phase: one task after the other, each in at most so many rounds (L3, L6). */
import { CONCERNS_BYTES } from '../../core/bounds.js';
import { fill, wordsOf } from '../../core/briefs/brief-words.js';
import {
  continueTaskBrief,
  retryTaskBrief,
  reviewFixesBrief,
  taskBrief,
  taskCapBrief,
} from '../../core/briefs/briefs.js';
import { decideTask } from '../../core/decide.js';
import { fitted } from '../../core/fit.js';
import type { EnvelopeMeta } from '../../core/outputs/envelope.js';
import { confirmationReasons } from '../../core/outputs/envelope.js';
import { questionText, specialText } from '../../core/outputs/special-output.js';
import type { ExecutionOutput } from '../../core/outputs/team-outputs.js';
import type { Task } from '../../core/plan.js';
import { applyEcho, nextTask, setStatus, UNCONFIRMED } from '../../core/plan.js';
import { preview } from '../../core/preview.js';
import { startOf } from '../../core/run-state.js';
import { forgetAll } from '../../core/tools/ledger.js';
import { noteDecision } from '../../core/trace.js';
import type { Run } from '../run.js';
import { keepReport } from '../turn/shelve.js';
import { wish } from '../turn/take-steering.js';
import { runTurns } from '../turn/turn-loop.js';
import { askForTask } from './ask-for-task.js';
import type { GoalEnd } from './conclude.js';
import { answerFor, concludeEarly } from './conclude.js';
import type { Confirmed } from './confirm.js';
import { confirm } from './confirm.js';
import { blockStuckTasks, endTask, noteFallback, noteLimit } from './notes.js';
import { orchestrate } from './orchestrate.js';
import { reviewResult } from './review.js';

const EXECUTOR = 'executor';

/** One step of execution: choose the next task, or take the current one a reply further. */
export async function execute(run: Run): Promise<GoalEnd | null> {
  const { state, pinned } = run;
  const failed = state.tasks.find(task => task.id === state.failedTask);
  if (failed) return orchestrate(run, failed);
  const task = currentTask(run);
  if (!task) {
    // Nothing stays open behind a task that a verdict has rejected since: verification would wait for it for ever.
    blockStuckTasks(run);
    run.enterPhase('verification', state.cursor.cycle);
    return null;
  }
  const { reporting, question, reported } = state.cursor;
  const limit = task.maxRounds ?? pinned.limits.execution;
  if (question !== null) return askForTask(run, task, question);
  if (reported) return judge(run, task, limit);
  const end = await runTurns(run, {
    role: EXECUTOR,
    output: 'execution',
    maxRounds: reporting ? limit + 1 : limit,
    tools: !reporting,
    brief: () => (reporting ? taskCapBrief(state, task) : taskBrief(state, task, limit)),
  });
  switch (end.kind) {
    case 'special':
      if (end.special.kind === 'error') {
        const result = await keepReport(run, task.id, specialText(end.special));
        endTask(run, task.id, { status: 'failed', reason: 'error', result });
      } else {
        state.cursor.question = questionText(end.special);
      }
      return null;
    case 'reply': {
      const summary = await keepReport(run, task.id, end.output.summary);
      applyReport(run, task.id, { output: { ...end.output, summary }, envelope: end.envelope }, limit);
      return null;
    }
    case 'unusable':
      noteFallback(run, EXECUTOR, end.errors, 'the task failed');
      endTask(run, task.id, {
        status: 'failed',
        reason: reporting ? 'max_rounds' : 'bad_output',
        result: await keepReport(run, task.id, end.text),
      });
      return null;
    case 'rounds_used':
      if (reporting) endTask(run, task.id, { status: 'failed', reason: 'max_rounds', result: null });
      else enterReport(run, task.id);
      return null;
    default:
      return concludeEarly(run, end);
  }
}

/** The task at the cursor, else the next one, which becomes the cursor's; null when none is left. */
function currentTask(run: Run): Task | null {
  const { state } = run;
  const running = state.tasks.find(task => task.id === state.cursor.taskId);
  if (running) return running;
  const task = nextTask(state.tasks);
  if (!task) return null;
  state.tasks = setStatus(state.tasks, task.id, 'executing');
  state.badCalls = {};
  run.moveTo(startOf('execution', state.cursor.cycle, task.id));
  run.journal('task_started', { taskId: task.id, description: task.description });
  return state.tasks.find(candidate => candidate.id === task.id) ?? null;
}

/** At the cap of rounds: one more reply, without tools, to report what there is. */
function enterReport(run: Run, taskId: string): void {
  noteLimit(run, 'execution', taskId);
  run.state.cursor.reporting = true;
  run.state.cursor.briefed = false;
}

/** Applies an executor's reply by `decideTask`. */
function applyReport(
  run: Run,
  taskId: string,
  { output, envelope }: { output: ExecutionOutput; envelope: EnvelopeMeta },
  limit: number,
): void {
  const { state } = run;
  const { cursor } = state;
  echo(run, taskId, output);
  if (cursor.reporting) {
    endTask(run, taskId, { status: 'failed', reason: 'max_rounds', result: output.summary });
    return;
  }
  const { decision, by } = decideTask(output, taskId);
  noteDecision(state.trace, by);
  const left = limit - cursor.round;
  const thread = run.threadOf(run.role(EXECUTOR));
  switch (decision) {
    case 'completed':
      setReport(run, taskId, output.summary);
      cursor.reported = true;
      cursor.concerns = fitted(confirmationReasons(envelope), CONCERNS_BYTES);
      return;
    case 'skipped':
      endTask(run, taskId, { status: 'skipped', reason: 'skipped', result: output.summary });
      return;
    case 'failed':
      endTask(run, taskId, { status: 'failed', reason: 'gave_up', result: output.summary });
      return;
    case 'retry':
      forgetAll(state.ledger);
      if (left > 0) run.say(thread, 'brief', retryTaskBrief(state, taskId, left));
      return;
    case 'continue':
      if (left > 0) run.say(thread, 'brief', continueTaskBrief(state, taskId, left));
      return;
  }
}

/** The report is the task's own from here on, for whoever looks at it. */
function setReport({ state }: Run, taskId: string, result: string): void {
  state.tasks = state.tasks.map(task => (task.id === taskId ? { ...task, result } : task));
}

/** Tasks that the executor says have ended meanwhile. */
function echo(run: Run, taskId: string, { todos }: ExecutionOutput): void {
  const before = run.state.tasks;
  run.state.tasks = applyEcho(before, todos, taskId);
  for (const [index, { id, status, reason }] of run.state.tasks.entries()) {
    if (status !== before[index]?.status) run.journal('task_ended', { taskId: id, status, reason });
  }
}

/** A task that its executor calls done is done when the reviewer, where there is one, agrees. */
async function judge(run: Run, task: Task, limit: number): Promise<GoalEnd | null> {
  const { state } = run;
  const report = task.result ?? '';
  const reviewed = reviewResult(run, task, report);
  if (reviewed.kind === 'pending') return null;
  const { cursor } = state;
  const concerns = new Set([...cursor.concerns, ...reviewed.concerns]);
  cursor.concerns = fitted([...concerns], CONCERNS_BYTES);
  const confirmed: Confirmed = reviewed.approved ? await confirmResult(run, task, report) : { kind: 'yes' };
  if (confirmed.kind === 'stopped') return answerFor(run, 'stopped');
  if (confirmed.kind === 'no' && confirmed.instead !== null) wish(run, confirmed.instead);
  cursor.reported = false;
  cursor.concerns = [];
  const denied = confirmed.kind === 'no';
  if (reviewed.approved && !denied) {
    const reason = confirmed.kind === 'nobody' ? UNCONFIRMED : null;
    endTask(run, task.id, { status: 'completed', reason, result: report });
    return null;
  }
  const left = limit - cursor.round;
  if (left <= 0) {
    const reason = denied ? 'rejected by a person' : 'rejected by the review';
    endTask(run, task.id, { status: 'failed', reason, result: report });
    return null;
  }
  const thread = run.threadOf(run.role(EXECUTOR));
  if (denied)
    run.say(thread, 'steer', confirmed.instead ?? fill(wordsOf(state).notAccepted, { id: task.id }));
  else run.say(thread, 'brief', reviewFixesBrief(state, task.id, reviewed.fixes, left));
  return null;
}

function confirmResult(run: Run, task: Task, report: string): Promise<Confirmed> {
  const { goal, cursor } = run.state;
  return confirm(run, {
    key: `confirm:${goal.number}:${cursor.cycle}:${task.id}:${cursor.round}`,
    title: `Take this as the result of ${task.id}?`,
    body: preview(report, 2_000),
  });
}
