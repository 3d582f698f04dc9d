/** The work on a task: its executor's replies within a limit of rounds (L6), and the decision whether it is done. */

import { CONCERNS_BYTES, REPORT_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { visibleText } from '../../base/text/unseen.js';
import { fill } from '../../base/words/words.js';
import { carrierOf, EXECUTOR } from '../../rules/agents/capabilities.js';
import { shownId } from '../../rules/gates/gate-text.js';
import { decideTask } from '../../rules/plan/decide.js';
import { reviewFixesInstruction, taskInstruction } from '../../rules/prompts/instructions.js';
import type { ExecutionOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons, type EnvelopeMeta } from '../../run/outputs/envelope.js';
import { questionText, specialText } from '../../run/outputs/special-output.js';
import { applyEcho, type Task, UNCONFIRMED } from '../../run/plan/plan.js';
import type { Execution } from '../../run/position/position.js';
import { forgetAll } from '../../run/tools/ledger.js';
import { review } from '../beside/moments.js';
import { askFor, type Confirmed, confirm } from '../run/gates.js';
import { keepText } from '../run/keep-text.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { instruct } from '../say/instruct.js';
import { endTask, giveRoundBack, noteFallback, noteLimit, noteOverdue } from '../say/notes.js';
import { runTurns } from '../turn/turn-loop.js';
import { answerFor, concludeEarly, type StepEnd } from './conclude.js';
import { beginOwnCall, ownResult } from './own-call.js';

/** Takes one step of a task. */
export async function workOn(run: Run, position: Execution, task: Task): Promise<StepEnd> {
  const { step } = position;
  switch (step.kind) {
    case 'work':
      return work(run, position, task);
    case 'ask':
      return askForTask(run, position, { task, question: step.question });
    case 'judge':
      return judge(run, position, { task, concerns: step.concerns });
    case 'choose':
    case 'failed':
      return MOVED;
  }
}

async function work(run: Run, position: Execution, task: Task): Promise<StepEnd> {
  const { state } = run;
  const { reporting } = position;
  const limit = roundsOf(run, task);
  const carrier = carrierOf(run.pinned, task);
  const role = run.role(carrier);
  const own = ownResult(run, position, role);
  if (own !== null) return takeOwn(run, position, task, own);
  const end = await runTurns(run, {
    role: carrier,
    reader: EXECUTOR,
    output: 'execution',
    maxRounds: reporting ? limit + 1 : limit,
    tools: !reporting,
    prepare: () => beginOwnCall(run, position, { task, role, rounds: limit }),
    leaves: () => ownResult(run, position, role) !== null,
    remind: () => (reporting ? undefined : noteOverdue(run, task.id, role)),
    instruction: () =>
      reporting ? fill(run.words.report, { id: task.id }) : taskInstruction(state, task, role, limit),
  });
  switch (end.kind) {
    case 'special':
      if (end.special.kind === 'error') {
        const result = await keepReport(run, task, specialText(end.special, run.words));
        return endTask(run, task.id, { status: 'failed', reason: 'error', result });
      }
      position.step = { kind: 'ask', taskId: task.id, question: questionText(end.special, run.words) };
      return MOVED;
    case 'reply': {
      const summary = await keepReport(run, task, end.output.summary);
      const { output, envelope } = end;
      return applyReport(run, position, task, { output: { ...output, summary }, envelope });
    }
    case 'unusable':
      noteFallback(run, carrier, end.errors, 'the task failed');
      return endTask(run, task.id, {
        status: 'failed',
        reason: reporting ? 'max_rounds' : 'bad_output',
        result: await keepReport(run, task, end.text),
      });
    case 'rounds_used':
      if (reporting) return endTask(run, task.id, { status: 'failed', reason: 'max_rounds', result: null });
      // Allow one more reply, without tools, to report the results so far.
      noteLimit(run, 'execution', task.id);
      position.reporting = true;
      position.turns.instructed = false;
      return MOVED;
    default:
      return concludeEarly(run, end);
  }
}

/** Uses the result of the task's own call as the task's report. */
async function takeOwn(run: Run, position: Execution, task: Task, given: string): Promise<StepEnd> {
  const result = await keepReport(run, task, given);
  run.changeTask(task.id, { result });
  position.call = null;
  position.step = { kind: 'judge', taskId: task.id, concerns: [] };
  return MOVED;
}

function roundsOf({ limits }: Run, task: Task): number {
  return task.maxRounds ?? limits.execution;
}

/** Applies an executor's reply by `decideTask`. */
function applyReport(
  run: Run,
  position: Execution,
  task: Task,
  { output, envelope }: { output: ExecutionOutput; envelope: EnvelopeMeta },
): Moved {
  const { id: taskId } = task;
  echo(run, taskId, output);
  const { decision } = decideTask(output, taskId);
  // The verification judges work that its last report calls done; else the task has failed.
  if (position.reporting && decision !== 'completed')
    return endTask(run, taskId, { status: 'failed', reason: 'max_rounds', result: output.summary });
  const left = roundsOf(run, task) - position.turns.round;
  const carrier = run.role(carrierOf(run.pinned, task));
  switch (decision) {
    case 'completed':
      // Store it in the task now, so that views show it.
      run.changeTask(taskId, { result: output.summary });
      position.step = {
        kind: 'judge',
        taskId,
        concerns: fitted(confirmationReasons(envelope, run.words), CONCERNS_BYTES),
      };
      return MOVED;
    case 'skipped':
      return endTask(run, taskId, { status: 'skipped', reason: 'skipped', result: output.summary });
    case 'failed':
      return endTask(run, taskId, { status: 'failed', reason: 'gave_up', result: output.summary });
    case 'retry':
      forgetAll(run.state.tools.ledger);
      run.doubtReads();
      if (left > 0) instruct(run, carrier, fill(run.words.retry, { id: taskId, left }));
      return MOVED;
    case 'continue':
      if (left > 0) instruct(run, carrier, fill(run.words.goOn, { id: taskId, left }));
      return MOVED;
  }
}

/** Returns the report of a task in the form that the state stores. */
function keepReport(run: Run, { id }: Task, report: string): Promise<string> {
  return keepText(run, `report-${id}`, report, REPORT_BYTES);
}

/** Applies the executor's statements that other tasks have ended. */
function echo(run: Run, taskId: string, { todos }: ExecutionOutput): void {
  const before = run.state.tasks;
  run.state.tasks = applyEcho(before, todos, taskId);
  for (const [index, { id, status, reason }] of run.state.tasks.entries()) {
    if (status !== before[index]?.status) run.journal('task_ended', { taskId: id, status, reason });
  }
}

/** Completes a task that its executor reports as done, unless the reviewer or a person disagrees. */
async function judge(
  run: Run,
  position: Execution,
  { task, concerns: own }: { task: Task; concerns: string[] },
): Promise<StepEnd> {
  const { state } = run;
  const { id: taskId } = task;
  const report = task.result ?? '';
  const reviewed = review(run, { kind: 'result', task, report });
  if (reviewed.kind === 'pending') return MOVED;
  const concerns = fitted([...new Set([...own, ...reviewed.concerns])], CONCERNS_BYTES);
  const confirmed: Confirmed = reviewed.approved
    ? await confirmResult(run, position, { task, report, concerns })
    : { kind: 'yes' };
  if (confirmed.kind === 'stopped') return answerFor(run, 'stopped');
  const denied = confirmed.kind === 'no';
  if (reviewed.approved && !denied) {
    const reason = confirmed.kind === 'nobody' ? UNCONFIRMED : null;
    return endTask(run, taskId, { status: 'completed', reason, result: report });
  }
  const left = roundsOf(run, task) - position.turns.round;
  if (left <= 0) {
    const reason = denied ? 'rejected by a person' : 'rejected by the review';
    return endTask(run, taskId, { status: 'failed', reason, result: report });
  }
  position.step = { kind: 'work', taskId };
  const carrier = run.role(carrierOf(run.pinned, task));
  if (denied) {
    const text = confirmed.instead ?? fill(run.words.notAccepted, { id: taskId });
    run.say(run.threadOf(carrier), 'steer', text);
  } else instruct(run, carrier, reviewFixesInstruction(state, taskId, reviewed.fixes, left));
  return MOVED;
}

function confirmResult(
  run: Run,
  { cycle, turns }: Execution,
  { task, report, concerns }: { task: Task; report: string; concerns: string[] },
): Promise<Confirmed> {
  return confirm(run, concerns, {
    key: `confirm:${run.state.goal.number}:${cycle}:${task.id}:${turns.round}`,
    title: fill(run.words.gateResult, { id: shownId(task.id) }),
    body: preview(visibleText(report), 2_000),
  });
}

// Questions of the executor to the person, and tasks that it escalates.

/** Asks the person; the answer enters the conversation and costs no round. Without an answer the task fails. */
async function askForTask(
  run: Run,
  position: Execution,
  { task, question }: { task: Task; question: string },
): Promise<StepEnd> {
  const { goal } = run.state;
  const carrier = carrierOf(run.pinned, task);
  const asked = await askFor(run, { key: `task:${goal.number}:${task.id}`, role: carrier, question });
  if (asked.kind !== 'answered') return answerFor(run, 'stopped');
  if (asked.answer.text === null)
    return endTask(run, task.id, { status: 'failed', reason: 'not answered', result: question });
  position.step = { kind: 'work', taskId: task.id };
  giveRoundBack(position);
  run.tellRole(carrier, asked.answer.text, question);
  return MOVED;
}
