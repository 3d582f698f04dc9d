/** The planning phase: planner replies until there is a plan to execute. */

import { CONCERNS_BYTES, QUESTION_BYTES } from '../../base/sizes/bounds.js';
import { cutText, fitted } from '../../base/text/fit.js';
import { fill } from '../../base/words/words.js';
import { carrierOf, isLacking } from '../../rules/agents/capabilities.js';
import { checksShown, planText } from '../../rules/gates/gate-text.js';
import { planningDecision, planningQuestion } from '../../rules/plan/decide.js';
import { planningInstruction } from '../../rules/prompts/instructions.js';
import { codeSays } from '../../rules/tools/exit-code.js';
import { beginsAtOnce, wantsApproval } from '../../run/agents/run-config.js';
import { type Check, checkLine, proposedChecks } from '../../run/checks/check.js';
import type { PlanOutput } from '../../run/outputs/contracts.js';
import { confirmationReasons } from '../../run/outputs/envelope.js';
import { questionText } from '../../run/outputs/special-output.js';
import { adoptOpenTasks, isOpen, released, withoutUnreleased } from '../../run/plan/plan.js';
import { executionAt, type Planning } from '../../run/position/position.js';
import { review } from '../beside/moments.js';
import { updatePlan } from '../changes/update-plan.js';
import { ask, askFor } from '../run/gates.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { instruct } from '../say/instruct.js';
import {
  beginTask,
  blockLackingTasks,
  blockStuckTasks,
  enterChecks,
  giveRoundBack,
  noteFallback,
  noteLimit,
  planAnew,
} from '../say/notes.js';
import { runTurns } from '../turn/turn-loop.js';
import { answerFor, concludeEarly, type StepEnd, wrapUpAs } from './conclude.js';
import { openCalls } from './own-call.js';

const PLANNER = 'planner';
/** Limit of plans that the reviewer may reject before a person decides. */
const MOST_PLANS_REVIEWED = 3;

/** Takes one planner reply, merges the plan, and then plans on, executes or answers by the decision table. */
export async function plan(run: Run, position: Planning): Promise<StepEnd> {
  const { state } = run;
  const limit = run.limits.planning;
  if (position.step.kind === 'ask') return clarify(run, position, position.step.question);
  if (position.step.kind === 'release') return release(run, position);
  const end = await runTurns(run, {
    role: PLANNER,
    output: 'plan',
    maxRounds: limit,
    tools: false,
    instruction: () => planningInstruction(state, position),
  });
  switch (end.kind) {
    case 'special':
      position.step = { kind: 'ask', question: questionText(end.special, run.words) };
      return MOVED;
    case 'reply':
      position.concerns = fitted(confirmationReasons(end.envelope, run.words), CONCERNS_BYTES);
      return adopt(run, position, end.output);
    case 'unusable':
      noteFallback(run, PLANNER, end.errors, 'the plan as it stands');
      return adopt(run, position, null);
    case 'rounds_used':
      return adopt(run, position, null);
    default:
      return concludeEarly(run, end);
  }
}

function adopt(run: Run, position: Planning, output: PlanOutput | null): Moved {
  const { state } = run;
  const limit = run.limits.planning;
  const { round } = position.turns;
  state.goal.counters = { ...state.goal.counters, planning: round };
  const { mayGiveUp = [] } = position.improvements?.reading ?? {};
  const options = { maxTasks: run.limits.tasks, dropped: output?.dropped ?? [], mayGiveUp };
  const changed = output !== null && updatePlan(run, output.tasks, options);
  // A command that can't fail proves nothing.
  const mayShow = (line: string) => !run.behaves(5) || codeSays(line, { pipefail: true }) !== 'none';
  const proposed = output?.checks.filter(mayShow) ?? [];
  if (proposed.length > 0) position.checks = proposedChecks(proposed, state.goal.checks.approved);
  const taskCount = state.tasks.length;
  if (output !== null) position.begin = output.begin;
  const askedBefore = state.goal.asked;
  const question = planningQuestion({ output, round, taskCount, askedBefore });
  if (question !== null) {
    position.step = { kind: 'ask', question: cutText(question, QUESTION_BYTES) };
    return MOVED;
  }
  switch (planningDecision({ output, round, limit, changed, taskCount })) {
    case 'plan_again':
      instruct(run, run.role(PLANNER), fill(run.words.planMore, { left: limit - round }));
      return MOVED;
    case 'direct_answer': {
      const capped = output?.needsMorePlanning !== false && round >= limit;
      if (capped) noteLimit(run, 'planning', null);
      const checked = capped ? null : enterChecks(run, { kind: 'no_plan' });
      if (checked) return checked;
      // There is no task: the rounds were used up, or the planner does not need one.
      return wrapUpAs(run, capped ? 'planning_cap' : 'no_plan', run.words.whyNoPlan);
    }
    case 'execute':
      if (round >= limit && output?.needsMorePlanning !== false) noteLimit(run, 'planning', null);
      position.step = { kind: 'release' };
      return MOVED;
  }
}

/** Asks the person the planner's question, which costs no round. Without an answer the planner continues on its own. */
async function clarify(run: Run, position: Planning, question: string): Promise<StepEnd> {
  const { state } = run;
  const { goal } = state;
  const key = `clarify:${goal.number}:${position.cycle}:${position.turns.round}`;
  const asked = await askFor(run, { key, role: PLANNER, question });
  if (asked.kind === 'stopped') return answerFor(run, 'stopped');
  position.step = { kind: 'plan' };
  const answer = asked.kind === 'answered' ? asked.answer.text : null;
  if (!goal.asked && answer !== null) giveRoundBack(position);
  goal.asked = true;
  if (answer === null) instruct(run, run.role(PLANNER), run.words.planUnanswered);
  else run.tellRole(PLANNER, answer, question);
  return position.turns.round >= run.limits.planning ? adopt(run, position, null) : MOVED;
}

/** Releases a plan before it runs: by the reviewer and by the person, if they are configured (L15). */
async function release(run: Run, position: Planning): Promise<StepEnd> {
  const { state } = run;
  const { cycle, concerns: own, checks: proposed } = position;
  const reviewed = review(run, { kind: 'plan' });
  if (reviewed.kind === 'pending') return MOVED;
  if (!reviewed.approved && cycle < run.limits.verification + MOST_PLANS_REVIEWED) {
    state.tasks = withoutUnreleased(state.tasks);
    return planAnew(run, { from: 'review', wanted: reviewed.fixes });
  }
  blockLackingTasks(run);
  let approved: Check[] = [];
  const concerns = [...new Set([...own, ...reviewed.concerns])];
  const isAsked = wantsApproval(state.settings, state.goal.mode) || concerns.length > 0 || !reviewed.approved;
  if (isAsked) {
    const open = state.tasks.filter(isOpen);
    const asked = await ask(run, {
      key: `plan:${state.goal.number}:${cycle}`,
      kind: 'plan',
      ...planText(run.words, open, [...reviewed.fixes, ...concerns, ...lackingNotes(run, cycle)], proposed),
      subject: { tasks: open.length },
    });
    // The plan changed while the gate was open: it is shown again.
    if (asked.kind === 'superseded') return MOVED;
    if (asked.kind !== 'answered') return answerFor(run, 'stopped');
    const { answer, by, shown } = asked;
    if (by === 'person' && answer.decision !== 'reject') approved = checksShown(run.words, proposed, shown);
    if (answer.decision === 'reject') {
      // Without a person's comment, planning again would only repeat this plan for the same absent person.
      // Use the current plan: a person may have changed it while the gate was open.
      if (by !== 'person')
        return answerFor(run, 'plan_not_approved', planText(run.words, state.tasks.filter(isOpen), []).body);
      run.wish(answer.reason);
      state.tasks = withoutUnreleased(state.tasks);
      return planAnew(run, { from: 'gate', wanted: [answer.reason] });
    }
  }
  takeChecks(run, proposed, approved);
  state.tasks = adoptOpenTasks(state.tasks.map(released), cycle);
  blockStuckTasks(run);
  run.enter(executionAt(cycle));
  if (!isAsked && beginsAtOnce(run.pinned, state.settings, state.goal.mode)) makeFirstCalls(run, position);
  return MOVED;
}

/** Makes the planner's first calls of its only task, as if the role that carries it out had made them. */
function makeFirstCalls(run: Run, { begin = [], cycle }: Planning): void {
  const [task, ...more] = run.state.tasks.filter(isOpen);
  if (begin.length === 0 || task === undefined || task.call || more.length > 0) return;
  const role = run.role(carrierOf(run.pinned, task));
  const at = executionAt(cycle, { kind: 'work', taskId: task.id });
  run.moveTo(at);
  beginTask(run, task);
  openCalls(run, { role, turns: at.turns, calls: begin });
}

/** Proposed checks run commands, so a person must have seen them in full. */
function takeChecks(run: Run, proposed: Check[], approved: Check[]): void {
  const others = proposed.filter(check => !approved.includes(check));
  if (approved.length > 0) run.state.goal.checks.approved = approved;
  if (others.length > 0)
    run.journal('warning', {
      text: `Checks that the planner proposed do not count, since no person saw and approved them: ${others.map(checkLine).join('; ')}`,
    });
}

function lackingNotes({ state, words }: Run, cycle: number): string[] {
  const lacking = state.tasks.filter(task => isLacking(task) && task.cycle === cycle);
  return lacking.map(({ id, reason }) => fill(words.gatePlanLacks, { id, reason: reason ?? '' }));
}
