/** The reviewer's gates: code checks what it can, and the role is asked about everything else. */

import { INSTRUCTION_BYTES } from '../../../base/sizes/bounds.js';
import { cutText } from '../../../base/text/fit.js';
import { preview } from '../../../base/text/preview.js';
import { capabilitiesOf, isLacking } from '../../../rules/agents/capabilities.js';
import {
  checkAction,
  checkPlan,
  checkResult,
  decideReview,
  type ReviewChecks,
  type ReviewDecision,
} from '../../../rules/plan/review.js';
import {
  actionReviewInstruction,
  planReviewInstruction,
  resultReviewInstruction,
} from '../../../rules/prompts/review-instructions.js';
import type { AssistantMessage, ToolUseBlock } from '../../../run/messages/message.js';
import type { OutputContract, OutputOf, ReviewOutput } from '../../../run/outputs/contracts.js';
import { confirmationReasons, type EnvelopeMeta } from '../../../run/outputs/envelope.js';
import { type SpecialOutput, specialText } from '../../../run/outputs/special-output.js';
import { isOpen, type Task } from '../../../run/plan/plan.js';
import { newConsultation, type RoleQuestion } from '../../../run/position/position.js';
import { taskAt } from '../../../run/state/cursor.js';
import { envelopeOf } from '../../../run/state/thread.js';
import { stepsOf } from '../../../run/state/trace.js';
import type { ToolDefinition } from '../../../run/tools/tool.js';
import type { Run } from '../../run/run.js';

const REVIEWER = 'reviewer';

export type Reviewed = { kind: 'pending' } | ({ kind: 'done' } & ReviewDecision);

const APPROVED: Reviewed = { kind: 'done', approved: true, fixes: [], concerns: [] };

/** Reviews a plan before it runs. */
export function reviewPlan(run: Run): Reviewed {
  const { state, pinned } = run;
  if (!pinned.review.plans) return APPROVED;
  const { cycle } = run.cursor.position;
  const tasks = state.tasks.filter(task => isOpen(task) || (isLacking(task) && task.cycle === cycle));
  const knownTaskIds = state.tasks.map(task => task.id);
  const maxTasks = run.limits.tasks;
  const checks = checkPlan({
    ...{ tasks, knownTaskIds, has: capabilitiesOf(pinned), maxTasks },
    words: run.words,
  });
  const key = `plan:${state.goal.number}:${cycle}`;
  return review(run, { key, subject: 'the plan', instruction: planReviewInstruction(state, tasks), checks });
}

/** Reviews a task's result before it counts as completed. */
export function reviewResult(run: Run, task: Task, summary: string): Reviewed {
  const { state, pinned } = run;
  if (!pinned.review.results) return APPROVED;
  const calls = stepsOf(state.log.journal.events).flatMap(({ action, ending, error, taskId }) =>
    taskId === task.id && action.type === 'tool' && ending
      ? [{ tool: action.tool, ending, isError: error !== undefined }]
      : [],
  );
  const checks = checkResult({ taskId: task.id, completed: true, summary, calls, words: run.words });
  const { cycle, turns } = run.cursor.position;
  const key = `result:${state.goal.number}:${cycle}:${task.id}:${turns.round}`;
  return review(run, {
    key,
    subject: task.id,
    instruction: resultReviewInstruction(state, task, summary),
    checks,
  });
}

/** True if calls of this tool are reviewed before they run. */
export function isReviewed({ pinned }: Run, tool: ToolDefinition): boolean {
  return pinned.review.actions && !tool.policy.readOnly;
}

/** Reviews a call that is not read-only, before it runs. */
export function reviewAction(
  run: Run,
  reply: AssistantMessage,
  call: ToolUseBlock,
  tool: ToolDefinition,
): Reviewed {
  const { pinned } = run;
  if (!isReviewed(run, tool)) return APPROVED;
  const checks = checkAction({ call, offered: pinned.tools, envelope: envelopeOf(reply), words: run.words });
  const instruction = actionReviewInstruction(run.state, call, taskAt(run.cursor));
  return review(run, { key: `action:${call.id}`, subject: call.name, instruction, checks });
}

/** Reviews by code first: if that finds faults, no model is called. */
function review(
  run: Run,
  {
    key,
    subject,
    instruction,
    checks,
  }: { key: string; subject: string; instruction: string; checks: ReviewChecks },
): Reviewed {
  let output: ReviewOutput | 'unreadable' | null = null;
  let doubts: string[] = [];
  if (checks.faults.length === 0 && run.pinned.roles[REVIEWER]) {
    const consulted = consult(run, { key: `review:${key}`, role: REVIEWER, output: 'review', instruction });
    if (consulted.kind === 'pending') return consulted;
    const { envelope, special } = consulted;
    output = consulted.value ?? 'unreadable';
    if (special) doubts = [specialText(special, run.words)];
    else if (envelope) doubts = confirmationReasons(envelope, run.words);
  }
  const decision = decideReview(checks, output, { doubts, words: run.words });
  const { cursor } = run;
  if (cursor.reviewed !== key)
    run.journal('review', {
      ...{ subject, approved: decision.approved, fixes: decision.fixes },
      ...(output !== null &&
        output !== 'unreadable' && { score: output.score, feedback: preview(output.feedback, 500) }),
    });
  cursor.reviewed = key;
  return { kind: 'done', ...decision };
}

export type Consulted<C extends OutputContract> =
  /** The run has been moved to the consultation, and returns here afterwards. */
  | { kind: 'pending' }
  /** `value` is null if the reply was unreadable. */
  | { kind: 'done'; value: OutputOf[C] | null; envelope: EnvelopeMeta | null; special: SpecialOutput | null };

/** Returns the answer of a role that was asked before, or asks it and returns `pending`. */
export function consult<C extends OutputContract>(
  run: Run,
  question: RoleQuestion & { output: C },
): Consulted<C> {
  const { answered } = run.cursor;
  if (answered?.key === question.key) {
    const { value, envelope, special } = answered;
    // The cast is safe: `answerConsultation` wrote it for the same key, so by the same contract.
    return { kind: 'done', value: value as OutputOf[C] | null, envelope, special };
  }
  run.interrupt(
    newConsultation({
      ...question,
      instruction: cutText(question.instruction, run.line.roomFor(INSTRUCTION_BYTES)),
    }),
  );
  return { kind: 'pending' };
}
