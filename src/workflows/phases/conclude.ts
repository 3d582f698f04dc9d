/** The end of a goal without a verdict: one position for stops, failures, limits and budgets. */

import { preview } from '../../base/text/preview.js';
import { fill } from '../../base/words/words.js';
import { joinCut, withCutNote } from '../../conversation/cut-text.js';
import { mayBeCalled } from '../../rules/limits/in-force.js';
import { answersAfter, isOfRequest } from '../../rules/limits/model-failure.js';
import { finalAnswer } from '../../rules/plan/decide.js';
import { finalResponse } from '../../rules/prompts/final-response.js';
import { wrapUpInstruction } from '../../rules/prompts/instructions.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { causeWithChecks } from '../../run/checks/check.js';
import { type Cause, causeOfBudgets, outcomeOf } from '../../run/limits/cause.js';
import type { CallFailure } from '../../run/limits/failure.js';
import { textOf } from '../../run/messages/message.js';
import { lastRole, roleAt } from '../../run/position/modes.js';
import { type WrapUp, wrapUpAt } from '../../run/position/position.js';
import { taskAt } from '../../run/state/cursor.js';
import type { GoalEnd } from '../../run/state/goal.js';
import { modeOf } from '../../run/state/run-state.js';
import { MAIN_THREAD } from '../../run/state/thread.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { recallRounds, withRecalls } from '../turn/fit-thread.js';
import { runTurns, type TurnEnd } from '../turn/turn-loop.js';

/** The result of one step of a mode. */
export type StepEnd = GoalEnd | Moved;

type EarlyEnd = Extract<TurnEnd, { kind: 'stopped' | 'failed' | 'budget_used' | 'moved' }>;

type FailedTurn = Extract<TurnEnd, { kind: 'failed' }>;

/** Decides what follows a turn without a reply. */
export function concludeEarly(run: Run, end: EarlyEnd): StepEnd {
  switch (end.kind) {
    case 'moved':
      return MOVED;
    case 'stopped':
      return answerFor(run, 'stopped');
    case 'failed': {
      const { failure } = end;
      if (!answersAfter(failure, lastRungOf(run, end))) return failedEnd(failure, whatThereIs(run));
      const why = fill(run.words.whyFailed, { failure: failure.type || failure.kind });
      return wrapUpAs(run, causeOfFailure(failure), why, failure);
    }
    case 'budget_used': {
      const taskId = taskAt(run.cursor);
      for (const budget of end.budgets) run.journal('limit_reached', { limit: budget, taskId });
      const why = fill(run.words.whyBudget, { budgets: end.budgets.join(', ') });
      return wrapUpAs(run, causeOfBudgets(end.budgets), why);
    }
  }
}

/** Returns the facts that decide whether a failed goal is still answered: results so far, and a model that can be called. */
function lastRungOf(run: Run, { failure, refused }: FailedTurn): Parameters<typeof answersAfter>[1] {
  const { goal, tasks, models } = run.state;
  const isWork = goal.counters.toolCalls > 0 || tasks.some(({ result }) => result !== null);
  const found = isWork && cutShort(run) === null;
  const failed = isOfRequest(failure) ? (models.calls.at(-1)?.model ?? null) : null;
  const canBeCalled = mayBeCalled(run.state, run.role(answererOf(run)), failed);
  return { found, refused, canBeCalled };
}

/** Enters the wrap-up: one uncounted call without tools. With a `failure` the goal fails anyway. */
export function wrapUpAs(run: Run, cause: Cause, why: string, failure: CallFailure | null = null): Moved {
  const bounded = failure && {
    kind: failure.kind,
    type: preview(failure.type, 100),
    message: preview(failure.message, MOST_KEPT_CHARS),
  };
  const by = answererOf(run);
  const last = lastRole(modeOf(run.state));
  const { cycle } = run.cursor.position;
  return run.enter(wrapUpAt(cycle, { cause, why, failure: bounded, ...(by !== last && { by }) }));
}

/** Returns the role that answers: the last role, or the current one if the last does not share its conversation. */
function answererOf(run: Run): string {
  const way = modeOf(run.state);
  const last = lastRole(way);
  const { position } = run.cursor;
  if (position.phase !== 'answering') return last;
  const atWork = roleAt(way, position);
  const shares = [last, atWork].every(name => run.role(name).memory === 'shared');
  return shares ? last : atWork;
}

/** Limit of a failure's message that is stored with a cut answer. */
const MOST_KEPT_CHARS = 400;

/** The wrap-up call. The goal ends with the results so far, unless a person sends more first. */
export async function wrapUp(run: Run, position: WrapUp): Promise<StepEnd> {
  const role = run.role(roleAt(modeOf(run.state), position));
  // After a used-up budget only the answer is affordable, and after a failure further calls may fail again.
  const isShort = position.failure !== null || outcomeOf(position.cause) === 'budget_exhausted';
  const recalls = () => (isShort ? 0 : recallRounds(run, role, run.threadOf(role)));
  const end = await runTurns(run, {
    role: role.name,
    output: 'text',
    get maxRounds() {
      return recalls() + 1;
    },
    get tools() {
      return position.turns.round < recalls();
    },
    instruction: () => {
      const text = wrapUpInstruction(run.state, position.why, role);
      return isShort ? text : withRecalls(run, role, text);
    },
  });
  if (end.kind === 'moved') return MOVED;
  if (end.kind === 'stopped') return answerFor(run, 'stopped');
  // A partial answer that was cut is better than earlier texts.
  const begun = position.turns.cut === null ? null : withCutNote(position.turns.cut, run.words);
  const { failure } = position;
  if (failure) {
    const text = end.kind === 'reply' ? end.output : begun;
    return failedEnd(failure, answerFor(run, position.cause, text, role).answer);
  }
  if (end.kind === 'failed' && begun === null) {
    const found = answerFor(run, 'wrap_up_failed');
    return found.outcome === 'failed' ? failedEnd(end.failure, '') : found;
  }
  return answerFor(run, position.cause, end.kind === 'reply' ? end.output : begun, role);
}

/** Returns the answer for a cause from the results so far, without another call. `by`: the role that wrote `lastWord`. */
export function answerFor(
  run: Run,
  wanted: Cause,
  lastWord: string | null = null,
  by: Pick<PinnedRole, 'finalResponse'> = {},
): GoalEnd {
  const { goal, tasks } = run.state;
  const { stop } = run.state.people;
  const cause = causeWithChecks(wanted === 'stopped' ? (stop?.cause ?? wanted) : wanted, run.state);
  const found = { lastWord, verifierSummary: goal.lastSummary, cutShort: cutShort(run), tasks };
  const { from, ...end } = finalAnswer({ cause, ...found });
  const { finalResponse: template } = by;
  if (cause === 'failed:hook') return { ...end, failure: hookFailure(stop?.reason) };
  if (from !== 'last_word' || template === undefined) return end;
  return { ...end, answer: finalResponse(template, end.answer, run.state), said: end.answer };
}

/** Changes the end of a goal that has an answer but was stopped by a hook or its account. A verified goal stays verified. */
export function asStopped({ state }: Run, end: GoalEnd): GoalEnd {
  const { stop } = state.people;
  if (!stop?.cause || !['answered', 'unverified', 'budget_exhausted'].includes(end.outcome)) return end;
  const { cause } = stop;
  const failure = cause === 'failed:hook' && { failure: hookFailure(stop.reason) };
  return { ...end, cause, outcome: outcomeOf(cause), ...failure };
}

function hookFailure(message = ''): CallFailure {
  return { kind: 'application', type: 'hook', message };
}

/** Returns the end by a failure, with the results so far as a partial answer. */
export function failedEnd(failure: CallFailure, answer: string): GoalEnd {
  const cause = causeOfFailure(failure);
  return { outcome: outcomeOf(cause), cause, answer, failure };
}

function causeOfFailure({ type, kind }: CallFailure): Cause {
  return `failed:${type || kind}`;
}

/** Returns a partial answer for ends without one: failures and cancellation. */
export function whatThereIs(run: Run): string {
  return answerFor(run, 'stopped').answer;
}

/** Returns the text of a reply that was cut short, as an answer if there is nothing better; null if there is none. */
function cutShort(run: Run): string | null {
  const { cut } = run.cursor.position.turns;
  const last = run.state.threads[MAIN_THREAD]?.messages.at(-1);
  const rest = last?.kind === 'assistant' && last.stopReason === 'interrupted' ? textOf(last) : null;
  return cut === null ? rest : withCutNote(joinCut(cut, rest ?? ''), run.words);
}
