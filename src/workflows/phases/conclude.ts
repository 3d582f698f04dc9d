/** How a goal ends when it does not end with a verdict: one position for stops, failures, caps and budgets. */

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
import { type Cause, causeOfBudgets, type Outcome, outcomeOf } from '../../run/limits/cause.js';
import type { CallFailure } from '../../run/limits/failure.js';
import { textOf } from '../../run/messages/message.js';
import { lastRole, roleAt } from '../../run/position/modes.js';
import { type WrapUp, wrapUpAt } from '../../run/position/position.js';
import { taskAt } from '../../run/state/cursor.js';
import { wayOf } from '../../run/state/run-state.js';
import { MAIN_THREAD } from '../../run/state/thread.js';
import { MOVED, type Moved, type Run } from '../run/run.js';
import { recallRounds } from '../turn/fit-thread.js';
import { runTurns, type TurnEnd } from '../turn/turn-loop.js';

export interface GoalEnd {
  outcome: Outcome;
  /** Why it ended so: which cap, or what else. */
  cause: Cause;
  /** For a person, in Markdown. May be partial; then the outcome says so. */
  answer: string;
  /** Why it failed. */
  failure?: CallFailure;
}

/** What a step of a mode comes to. */
export type StepEnd = GoalEnd | Moved;

type EarlyEnd = Extract<TurnEnd, { kind: 'stopped' | 'failed' | 'budget_used' | 'moved' }>;

type FailedTurn = Extract<TurnEnd, { kind: 'failed' }>;

/** What follows a turn that did not bring a reply. */
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

/** What there is to answer from, and who could, once the work has failed. */
function lastRungOf(run: Run, { failure, refused }: FailedTurn): Parameters<typeof answersAfter>[1] {
  const { goal, tasks, models } = run.state;
  const isWork = goal.counters.toolCalls > 0 || tasks.some(({ result }) => result !== null);
  const found = isWork && cutShort(run) === null;
  const failed = isOfRequest(failure) ? (models.calls.at(-1)?.model ?? null) : null;
  const canBeCalled = mayBeCalled(run.state, run.role(answererOf(run)), failed);
  return { found, refused, canBeCalled };
}

/** To the wrap-up: one call without tools, outside the count. With a `failure` the goal has failed all the same. */
export function wrapUpAs(run: Run, cause: Cause, why: string, failure: CallFailure | null = null): Moved {
  const kept = failure && {
    kind: failure.kind,
    type: preview(failure.type, 100),
    message: preview(failure.message, MOST_KEPT_CHARS),
  };
  const by = answererOf(run);
  const last = lastRole(wayOf(run.state));
  const { cycle } = run.cursor.position;
  return run.enter(wrapUpAt(cycle, { cause, why, failure: kept, ...(by !== last && { by }) }));
}

/** The last role, but where it has not the conversation that holds the work: then whoever is at it. */
function answererOf(run: Run): string {
  const way = wayOf(run.state);
  const last = lastRole(way);
  const { position } = run.cursor;
  if (position.phase !== 'answering') return last;
  const atWork = roleAt(way, position);
  const shares = [last, atWork].every(name => run.role(name).memory === 'shared');
  return shares ? last : atWork;
}

/** Of the message of a failure, beside an answer that was cut. */
const MOST_KEPT_CHARS = 400;

/** The wrap-up call. The goal ends here with what was found, unless a person has more to say first. */
export async function wrapUp(run: Run, position: WrapUp): Promise<StepEnd> {
  const role = run.role(roleAt(wayOf(run.state), position));
  // A budget that is used up has room for the answer alone, and what failed may fail again.
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
    instruction: () => wrapUpInstruction(run.state, position.why, role),
  });
  if (end.kind === 'moved') return MOVED;
  if (end.kind === 'stopped') return answerFor(run, 'stopped');
  // What came of an answer that was cut is worth more than what was said before it.
  const begun = position.turns.cut === null ? null : withCutNote(position.turns.cut, run.words);
  const { failure } = position;
  if (failure) {
    const said = end.kind === 'reply' ? end.output : begun;
    return failedEnd(failure, answerFor(run, position.cause, said, role).answer);
  }
  if (end.kind === 'failed' && begun === null) {
    const found = answerFor(run, 'wrap_up_failed');
    return found.outcome === 'failed' ? failedEnd(end.failure, '') : found;
  }
  return answerFor(run, position.cause, end.kind === 'reply' ? end.output : begun, role);
}

/** The answer for a cause, from what there is without another call. `by`: the role whose the last word is. */
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
  return { ...end, answer: finalResponse(template, end.answer, run.state) };
}

/** A goal that ended with an answer, but was not to go on by a hook or its account. What is proven stays so. */
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

/** The end by a failure, with what there is as a partial answer. */
export function failedEnd(failure: CallFailure, answer: string): GoalEnd {
  const cause = causeOfFailure(failure);
  return { outcome: outcomeOf(cause), cause, answer, failure };
}

function causeOfFailure({ type, kind }: CallFailure): Cause {
  return `failed:${type || kind}`;
}

/** A partial answer for ends that promise none: failures and cancellation. */
export function whatThereIs(run: Run): string {
  return answerFor(run, 'stopped').answer;
}

/** The text of a reply that was cut short, for an answer where there is nothing better. */
function cutShort(run: Run): string | null {
  const { cut } = run.cursor.position.turns;
  const last = run.state.threads[MAIN_THREAD]?.messages.at(-1);
  const rest = last?.kind === 'assistant' && last.stopReason === 'interrupted' ? textOf(last) : null;
  return cut === null ? rest : withCutNote(joinCut(cut, rest ?? ''), run.words);
}
