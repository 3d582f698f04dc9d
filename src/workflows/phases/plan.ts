/** The planning phase: planner replies until there is a plan to execute. */
import { CONCERNS_BYTES, IMPROVEMENTS_BYTES, QUESTION_BYTES } from '../../core/bounds.js';
import { morePlanningBrief, planningBrief, planUnansweredBrief } from '../../core/briefs/briefs.js';
import { planningQuestion } from '../../core/clarify.js';
import { planningDecision } from '../../core/decide.js';
import { cutText, fitted } from '../../core/fit.js';
import { planText } from '../../core/gates/gate-text.js';
import { confirmationReasons } from '../../core/outputs/envelope.js';
import { questionText } from '../../core/outputs/special-output.js';
import type { PlanOutput } from '../../core/outputs/team-outputs.js';
import { adoptOpenTasks, isOpen, mergePlan } from '../../core/plan.js';
import { preview } from '../../core/preview.js';
import { ask } from '../gates.js';
import type { Run } from '../run.js';
import { wish } from '../turn/take-steering.js';
import { runTurns } from '../turn/turn-loop.js';
import type { GoalEnd } from './conclude.js';
import { answerFor, concludeEarly, wrapUpAs } from './conclude.js';
import { blockStuckTasks, noteFallback, noteLimit } from './notes.js';
import { reviewPlan } from './review.js';

const PLANNER = 'planner';
/** A plan that the reviewer keeps rejecting goes to the person in the end. */
const MOST_PLANS_REVIEWED = 3;

/** One planner reply; the plan is merged, and the table says whether to plan on, execute or answer. */
export async function plan(run: Run): Promise<GoalEnd | null> {
  const { state, pinned } = run;
  const limit = pinned.limits.planning;
  if (state.cursor.question !== null) return clarify(run, state.cursor.question);
  if (state.cursor.adopted) return release(run);
  const end = await runTurns(run, {
    role: PLANNER,
    output: 'plan',
    maxRounds: limit,
    tools: false,
    brief: () => planningBrief(state),
  });
  switch (end.kind) {
    case 'special':
      state.cursor.question = questionText(end.special);
      return null;
    case 'reply':
      state.cursor.concerns = fitted(confirmationReasons(end.envelope), CONCERNS_BYTES);
      return adopt(run, end.output, limit);
    case 'unusable':
      noteFallback(run, PLANNER, end.errors, 'the plan as it stands');
      return adopt(run, null, limit);
    case 'rounds_used':
      return adopt(run, null, limit);
    default:
      return concludeEarly(run, end);
  }
}

async function adopt(run: Run, output: PlanOutput | null, limit: number): Promise<GoalEnd | null> {
  const { state } = run;
  const { round } = state.cursor;
  state.goal.counters = { ...state.goal.counters, planning: round };
  const changed = output ? mergeTasks(run, output) : false;
  const taskCount = state.tasks.length;
  const askedBefore = state.goal.asked;
  const question = planningQuestion({ output, round, taskCount, askedBefore });
  if (question !== null) {
    state.cursor.question = cutText(question, QUESTION_BYTES);
    return null;
  }
  switch (planningDecision({ output, round, limit, changed, taskCount })) {
    case 'plan_again':
      run.say(run.threadOf(run.role(PLANNER)), 'brief', morePlanningBrief(state, limit - round));
      return null;
    case 'direct_answer':
      answerDirectly(run, output, limit);
      return null;
    case 'execute':
      if (round >= limit && output?.needsMorePlanning !== false) noteLimit(run, 'planning', null);
      state.cursor.adopted = true;
      return null;
  }
}

/** Without a task: rounds ran out over it, or the planner had none to plan. */
function answerDirectly(run: Run, output: PlanOutput | null, limit: number): void {
  const capped = output?.needsMorePlanning !== false && run.state.cursor.round >= limit;
  if (capped) noteLimit(run, 'planning', null);
  wrapUpAs(run, capped ? 'planning_cap' : 'direct_answer', 'no plan with a task came about');
}

function mergeTasks(run: Run, output: PlanOutput): boolean {
  const { state } = run;
  const { tasks, changed, cut } = mergePlan(state.tasks, output.tasks, {
    cycle: state.cursor.cycle,
    maxTasks: run.pinned.limits.tasks,
  });
  state.tasks = tasks;
  run.journal('plan_updated', {
    tasks: tasks.map(({ id, description, status }) => ({ id, description, status })),
    changed,
    cut,
  });
  return changed;
}

/**
 * Asks the person what the planner does not know. It costs no round; nobody's answer makes the
 * planner do the best it can.
 */
async function clarify(run: Run, question: string): Promise<GoalEnd | null> {
  const { state } = run;
  const { cursor, goal } = state;
  const asked = await ask(run, {
    key: `clarify:${goal.number}:${cursor.cycle}:${cursor.round}`,
    kind: 'question',
    title: preview(question),
    body: question,
    subject: { role: PLANNER },
  });
  cursor.question = null;
  if (asked.kind === 'stopped') return answerFor(run, 'stopped');
  const answer = asked.kind === 'answered' ? asked.answer.text : null;
  if (!goal.asked && answer !== null) cursor.round = Math.max(0, cursor.round - 1);
  goal.asked = true;
  const { planning } = run.pinned.limits;
  const text = answer ?? planUnansweredBrief(state);
  if (answer !== null) wish(run, answer);
  run.say(run.threadOf(run.role(PLANNER)), answer === null ? 'brief' : 'steer', text);
  if (cursor.round >= planning) return adopt(run, null, planning);
  return null;
}

/** Before a plan runs: the reviewer's gate and the person's, where they are wanted (L15). */
async function release(run: Run): Promise<GoalEnd | null> {
  const { state } = run;
  const { cursor } = state;
  const review = reviewPlan(run);
  if (review.kind === 'pending') return null;
  if (!review.approved && cursor.cycle < run.pinned.limits.verification + MOST_PLANS_REVIEWED) {
    planAnew(run, review.fixes, 'review');
    return null;
  }
  const concerns = [...new Set([...cursor.concerns, ...review.concerns])];
  if (state.settings.approvePlan || concerns.length > 0 || !review.approved) {
    const open = state.tasks.filter(isOpen);
    const asked = await ask(run, {
      key: `plan:${state.goal.number}:${cursor.cycle}`,
      kind: 'plan',
      ...planText(open, [...review.fixes, ...concerns]),
      subject: { tasks: open.length },
    });
    if (asked.kind !== 'answered') return answerFor(run, 'stopped');
    const { answer, by } = asked;
    if (answer.decision === 'reject') {
      // Nobody said what to change: planning anew would bring the same plan before the same empty chair.
      if (by !== 'person') return answerFor(run, 'plan_not_approved', planText(open, []).body);
      wish(run, answer.reason);
      planAnew(run, [answer.reason], 'user');
      return null;
    }
  }
  state.tasks = adoptOpenTasks(state.tasks, cursor.cycle);
  blockStuckTasks(run);
  run.enterPhase('execution', cursor.cycle);
  return null;
}

/** Back to the planner with what was asked for. Tasks that did not begin are dropped, but for those of a person. */
function planAnew(run: Run, wanted: string[], from: 'user' | 'review'): void {
  const { state } = run;
  state.goal.improvements = fitted(wanted, IMPROVEMENTS_BYTES);
  state.goal.improvementsFrom = from;
  state.goal.reading = null;
  state.tasks = state.tasks.filter(task => task.status !== 'pending' || task.byPerson);
  run.enterPhase('planning', state.cursor.cycle + 1);
}
