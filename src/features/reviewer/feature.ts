/** The reviewer's gates: code checks what it can, and the role is asked about everything else. */

import { preview } from '../../base/text/preview.js';
import { capabilitiesOf, isLacking } from '../../rules/agents/capabilities.js';
import type { AssistantMessage, ToolUseBlock } from '../../run/messages/message.js';
import type { ReviewOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons } from '../../run/outputs/envelope.js';
import { specialText } from '../../run/outputs/special-output.js';
import { isOpen, type Task } from '../../run/plan/plan.js';
import { taskAt } from '../../run/state/cursor.js';
import { envelopeOf } from '../../run/state/thread.js';
import { stepsOf } from '../../run/state/trace.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import type { Feature, Reviewed } from '../../workflows/beside/feature.js';
import type { Run } from '../../workflows/run/run.js';
import { consult } from '../../workflows/turn/consult.js';
import { actionReviewInstruction, planReviewInstruction, resultReviewInstruction } from './instructions.js';
import { checkAction, checkPlan, checkResult, decideReview, type ReviewChecks } from './rules.js';

const REVIEWER = 'reviewer';

export const reviewer: Feature<Run> = {
  name: REVIEWER,
  reviewsTool: isReviewed,
  reviews: (run, work) => {
    switch (work.kind) {
      case 'plan':
        return reviewPlan(run);
      case 'result':
        return reviewResult(run, work.task, work.report);
      case 'call':
        return reviewAction(run, work.reply, work.call, work.tool);
    }
  },
};

/** Reviews a plan before it runs. */
function reviewPlan(run: Run): Reviewed | null {
  const { state, pinned } = run;
  if (!pinned.review.plans) return null;
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
function reviewResult(run: Run, task: Task, summary: string): Reviewed | null {
  const { state, pinned } = run;
  if (!pinned.review.results) return null;
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
function isReviewed({ pinned }: Run, tool: ToolDefinition): boolean {
  return pinned.review.actions && !tool.policy.readOnly;
}

/** Reviews a call that is not read-only, before it runs. */
function reviewAction(
  run: Run,
  reply: AssistantMessage,
  call: ToolUseBlock,
  tool: ToolDefinition,
): Reviewed | null {
  const { pinned } = run;
  if (!isReviewed(run, tool)) return null;
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
