/**
 * Interrupts of a mode: messages of a person, which roles interpret and route (`rules/steering/route.ts` decides, this file
 * carries it out), and questions to a second role.
 */

import { CONCERNS_BYTES, OPINION_BYTES, READING_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import { barred } from '../../rules/gates/gate-parts.js';
import { intentInstruction, routeInstruction, steerText } from '../../rules/prompts/steering-instructions.js';
import {
  chosenIntent,
  decideRoute,
  deniedRoute,
  isSmallChange,
  leavesChoice,
  type RouteDecision,
} from '../../rules/steering/route.js';
import { asksForPlan } from '../../run/agents/run-config.js';
import { confirmationReasons } from '../../run/outputs/envelope.js';
import { isOpen, planInForce, REMOVED, REPLANNED } from '../../run/plan/plan.js';
import { hasPlan } from '../../run/position/modes.js';
import {
  type Consultation,
  newTurns,
  type Reading,
  type Steering,
  taskOf,
} from '../../run/position/position.js';
import type { InboxItem } from '../../run/steering/inbox.js';
import { dropTasks } from '../changes/update-plan.js';
import { requestPause, requestResume, requestStop } from '../inbox/inbox-handlers.js';
import { ask, closeGates, questionOf } from '../run/gates.js';
import { UNDERSTANDING } from '../run/hearing.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { beginNextGoal, planAnew } from '../say/notes.js';
import { note, receipts, runTurns, type TurnEnd } from '../turn/turn-loop.js';
import type { StepEnd } from './conclude.js';

const ROUTER = 'router';

/** Most questions to the person about one set of messages. */
const MOST_QUESTIONS = 1;

/** Takes one step of interpreting, routing and carrying out. */
export async function steer(run: Run, steering: Steering): Promise<StepEnd> {
  switch (steering.stage) {
    case 'understanding':
      return understand(run, steering);
    case 'routing': {
      const end = await read(run, steering, ROUTER, 'route', () => routeInstruction(run.state, steering));
      if (end.kind === 'reply') steering.proposal = end.output;
      return goOnTo(steering, 'deciding');
    }
    case 'deciding':
      return decide(run, steering);
  }
}

async function understand(run: Run, steering: Steering): Promise<StepEnd> {
  const end = await read(run, steering, UNDERSTANDING, 'intent', () =>
    intentInstruction(run.state, steering),
  );
  if (end.kind === 'budget_used') {
    // Without a budget for the interpretation, the next reader gets the messages unchanged.
    const why = fill(run.words.routeBudget, { budgets: end.budgets.join(', ') });
    return actOnRoute(run, steering, deniedRoute(steering.idle, why), null);
  }
  if (end.kind === 'reply') steering.intent = end.output;
  return goOnTo(steering, asksRouter(run, steering) ? 'routing' : 'deciding');
}

function asksRouter(run: Run, steering: Steering): boolean {
  const { intent, idle } = steering;
  if (intent === null || !run.pinned.roles[ROUTER]) return false;
  const isPlanned = hasPlan(run.state.goal.mode);
  if (!run.behaves(2) || leavesChoice({ intent, idle, hasPlan: isPlanned })) return true;
  return !run.behaves(5) && !idle && isPlanned && isSmallChange(intent);
}

/** True if the plan is one task, which is at work: a small change concerns only that task. */
function isOnlyTask({ state, cursor }: Run): boolean {
  const [task, ...others] = planInForce(state.tasks);
  return (
    others.length === 0 && task?.status === 'executing' && !task.byPerson && taskOf(cursor.position) !== null
  );
}

/** Gets one reply of a role to the messages, and collects its doubts and questions. */
async function read<C extends 'intent' | 'route'>(
  run: Run,
  steering: Steering,
  role: string,
  output: C,
  instruction: () => string,
): Promise<TurnEnd<C>> {
  const end = await runTurns(run, { role, output, maxRounds: 1, tools: false, instruction });
  if (end.kind === 'reply') {
    const doubts = confirmationReasons(end.envelope, run.words);
    steering.concerns = fitted([...steering.concerns, ...doubts], CONCERNS_BYTES);
  }
  if (end.kind === 'special' && end.special.kind === 'clarification')
    steering.clarification = end.special.question;
  return end;
}

function goOnTo(steering: Steering, stage: Steering['stage']): Moved {
  steering.stage = stage;
  steering.turns = newTurns();
  return MOVED;
}

/** Acts by the decision table, and asks first if it says so. Without an answer nothing changes. */
async function decide(run: Run, steering: Steering): Promise<StepEnd> {
  const { idle } = steering;
  const { people, goal } = run.state;
  const paused = people.pausedAt !== null;
  let decision = decideRoute({
    ...{ ...steering, paused, hasPlan: hasPlan(goal.mode), words: run.words },
    isOnlyTask: run.behaves(5) && isOnlyTask(run),
  });
  let confirmed: boolean | null = null;
  if (decision.act === 'ask_user' && !run.state.people.stop) {
    const again = await askMeaning(run, steering, decision);
    if (again) return MOVED;
    const { routeNotAnswered, routeStillUnclear } = run.words;
    decision = deniedRoute(idle, steering.answers.length > 0 ? routeStillUnclear : routeNotAnswered);
  } else if (decision.confirm && !run.state.people.stop) {
    confirmed = await confirmRoute(run, steering, decision);
    if (!confirmed)
      decision = deniedRoute(idle, fill(run.words.routeNotApproved, { reason: decision.reason }));
  }
  if (run.state.people.stop) decision = deniedRoute(idle, run.words.routeStopping);
  return actOnRoute(run, steering, decision, confirmed);
}

function actOnRoute(
  run: Run,
  steering: Steering,
  decision: RouteDecision,
  confirmed: boolean | null,
): Promise<StepEnd> {
  const ids = steering.items.map(item => item.id);
  run.journal('route', { ids, act: decision.act, reason: decision.reason, confirmed });
  run.goBack();
  return applyRoute(run, steering, decision);
}

/**
 * Asks what was meant. A chosen answer is obeyed; with any other, roles read the message again. False if it was asked
 * before or not answered.
 */
async function askMeaning(run: Run, steering: Steering, decision: RouteDecision): Promise<boolean> {
  if (steering.answers.length >= MOST_QUESTIONS) return false;
  const question = decision.question ?? run.words.gateMeaning;
  const asked = await ask(run, {
    ...questionOf({
      key: `meaning:${steering.items[0]?.id}`,
      role: UNDERSTANDING,
      question,
      options: decision.options,
    }),
    body: `${question}\n\n${yourMessage(run, steering)}`,
  });
  if (asked.kind !== 'answered' || asked.answer.text === null) return false;
  const { text } = asked.answer;
  steering.answers.push(text);
  const { options } = decision;
  const intent = run.behaves(5) ? chosenIntent(steering.intent, { options, words: run.words, text }) : null;
  Object.assign(steering, { intent, proposal: null, clarification: null, concerns: [] });
  goOnTo(steering, intent === null ? 'understanding' : 'deciding');
  return true;
}

/** Asks for confirmation. The person's words become part of the message for its readers. */
async function confirmRoute(run: Run, steering: Steering, decision: RouteDecision): Promise<boolean> {
  const messageId = steering.items[0]?.id ?? '';
  const concerns = steering.concerns.map(concern => `- ${barred(concern)}`).join('\n');
  const asked = await ask(run, {
    key: `route:${messageId}`,
    kind: 'route',
    title: confirmTitle(run.words, decision.act),
    body: [barred(decision.reason), yourMessage(run, steering), concerns].filter(Boolean).join('\n\n'),
    subject: { act: decision.act, messageId },
  });
  if (asked.kind !== 'answered') return false;
  const approved = asked.answer.decision === 'approve';
  if (asked.by !== 'person') return approved;
  if (asked.answer.reason !== null) steering.answers.push(asked.answer.reason);
  // Only a person removes a task that a person set.
  if (approved && decision.act === 'full_replan')
    dropTasks(run, task => isOpen(task) && task.byPerson === true, REMOVED);
  return approved;
}

function yourMessage(run: Run, { items }: Steering): string {
  return fill(run.words.gateYourMessage, { message: barred(steerText(items)) });
}

function confirmTitle(words: Words, act: RouteDecision['act']): string {
  switch (act) {
    case 'minor_replan':
      return words.gateMinorReplan;
    case 'full_replan':
      return words.gateFullReplan;
    case 'new_task':
      return words.gateNewTask;
    case 'control':
      return words.gateCancel;
    default:
      return fill(words.gateRoute, { act });
  }
}

async function applyRoute(run: Run, steering: Steering, decision: RouteDecision): Promise<StepEnd> {
  const { state } = run;
  const { items } = steering;
  switch (decision.act) {
    case 'continue':
    case 'ask_user':
      note(run, { ...steering, items: withAnswers(steering) }, run.words.receiptAsNotes);
      return MOVED;
    case 'minor_replan':
      note(run, { ...steering, items: withAnswers(steering) }, run.words.receiptAsChange);
      return replan(run, steering);
    case 'full_replan':
      note(run, { ...steering, items: withAnswers(steering) }, run.words.receiptAsPlan);
      dropTasks(run, task => isOpen(task) && !task.byPerson, REPLANNED);
      return replan(run, steering);
    case 'new_task': {
      const goal = steerText(withAnswers(steering));
      const id = await run.ports.startRun(run.nextId('s'), goal);
      run.journal('new_run', { id, goal: preview(goal) });
      const as = asksForPlan(state.settings) ? run.words.receiptAsRunPlan : run.words.receiptAsRun;
      receipts(run, items, fill(as, { id }));
      return MOVED;
    }
    case 'next_goal':
      beginNextGoal(run, steerText(withAnswers(steering)), steering.spent);
      receipts(run, items, fill(run.words.receiptAsGoal, { number: state.goal.number }));
      return MOVED;
    case 'control':
      return control(run, steering, decision);
  }
}

/** Plans again: finished tasks stay, the running one is reopened, and the messages are the planner's input. */
function replan(run: Run, steering: Steering): Moved {
  const { state } = run;
  state.tasks = state.tasks.map(task =>
    task.status === 'executing' ? { ...task, status: 'pending' } : task,
  );
  // Closes the gates of the old position, because the run does not return to it.
  closeGates(run, () => true, 'a message of the user');
  const wanted = withAnswers(steering).map(item => item.text);
  return planAnew(run, { from: 'user', wanted, reading: readingOf(run, steering) });
}

function readingOf({ state }: Run, { intent, concerns }: Steering): Reading | null {
  if (!intent) return null;
  const { normalizedIntent, taskRelation, contextDependency } = intent;
  const { confidence, reasoning } = taskRelation;
  const named = new Set(contextDependency.referencedEntities);
  const theirs = state.tasks.filter(task => task.byPerson && isOpen(task) && named.has(task.id));
  const mayGiveUp = theirs.map(({ id }) => id);
  const reading = { goal: normalizedIntent.goal, reasoning, confidence, doubts: concerns };
  return fitted({ ...reading, ...(mayGiveUp.length > 0 && { mayGiveUp }) }, READING_BYTES);
}

function control(run: Run, steering: Steering, decision: RouteDecision): StepEnd {
  const { state } = run;
  const { items, answers, idle } = steering;
  // Long messages are shortened, so that the answers about them follow in the reason.
  const reason = [preview(steerText(items), 200), ...answers].join('\n');
  switch (decision.control) {
    case 'pause':
      requestPause(run, { reason });
      break;
    case 'continue':
      requestResume(run, { reason });
      break;
    case 'cancel':
      requestStop(run, { reason });
      break;
    default:
      run.journal('user_message', { role: ROUTER, text: statusLine(run, idle) });
  }
  const as = fill(run.words.receiptAsControl, { control: decision.control ?? 'status' });
  if (decision.noted)
    note(run, { ...steering, items: withAnswers(steering) }, fill(run.words.receiptAsBoth, { as }));
  else receipts(run, items, as);
  const last = state.goals.at(-1);
  return idle && last ? { outcome: last.outcome, cause: last.cause, answer: last.answer } : MOVED;
}

function statusLine(run: Run, idle: boolean): string {
  const {
    tasks,
    goal,
    goals,
    people: { pausedAt },
  } = run.state;
  const done = tasks.filter(task => task.status === 'completed').length;
  const { words } = run;
  const figures = { done, count: tasks.length, turns: goal.counters.turns };
  const { number } = goal;
  const status = idle
    ? fill(words.statusIdle, { number, outcome: goals.at(-1)?.outcome ?? words.routeUnknown, ...figures })
    : fill(words.statusAt, { phase: run.cursor.position.phase, ...figures });
  return pausedAt === null ? status : fill(words.statusPaused, { status });
}

/** Returns the messages; the last one includes the user's answers about them. */
function withAnswers({ items, answers }: Steering): InboxItem[] {
  if (answers.length === 0) return items;
  return items.map((item, index) =>
    index === items.length - 1 ? { ...item, text: [item.text, ...answers].join('\n') } : item,
  );
}

/** Asks the role of a consultation (see `consult`), and returns to the position that asked. */
export async function answerConsultation(run: Run, asked: Consultation): Promise<Moved> {
  const { key, role, output, instruction } = asked;
  const end = await runTurns(run, {
    role,
    output,
    maxRounds: 1,
    tools: false,
    instruction: () => instruction,
  });
  const answer = {
    value: end.kind === 'reply' ? end.output : null,
    envelope: end.kind === 'reply' ? end.envelope : null,
    special: end.kind === 'special' ? end.special : null,
  };
  run.cursor.answered = { key, ...fitted(answer, run.line.roomFor(3 * OPINION_BYTES)) };
  return run.goBack();
}
