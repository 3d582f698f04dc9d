/** Decides after a model call without a usable reply. */

import { preview } from '../../base/text/preview.js';
import { type CallFailure, FAILURE, modelFailure } from '../../run/limits/failure.js';
import { type AssistantMessage, type Message, textOf } from '../../run/messages/message.js';

/** Consecutive calls that may be lost with their workers before a person must look. */
export const MODEL_RESCHEDULES = 10;
/** The number of trims of one call that a model finds too long, each by a fifth. */
export const MOST_TRIMS = 4;

/** Decides after Temporal's retries of a model call. An unknown failure, such as a bug in an activity, fails the call. */
export function modelFailureDecision(
  failure: CallFailure,
  given: { hasNextModel: boolean; lost: number; trims: number },
): 'reschedule' | 'next_model' | 'compact' | 'give_up' | 'fail' {
  const { type } = failure;
  switch (failure.kind) {
    case 'lost':
      return given.lost < MODEL_RESCHEDULES ? 'reschedule' : 'give_up';
    case 'timedOut':
      return given.hasNextModel ? 'next_model' : 'fail';
    case 'cancelled':
      return 'fail';
    case 'application':
      if (type === FAILURE.model.contextTooLong && given.trims < MOST_TRIMS) return 'compact';
      return given.hasNextModel && modelFailure(failure) !== null ? 'next_model' : 'fail';
  }
}

/** Failures that no later call can cure, from any role: a person must change a key, a name or an account. */
const LASTING: ReadonlySet<string> = new Set([
  FAILURE.model.auth,
  FAILURE.model.forbidden,
  FAILURE.model.unknownModel,
  FAILURE.model.redirected,
]);

/** True if the model is out for every role. Rate limits and overload pass, so each role tries by itself. */
export function isLasting({ kind, type }: CallFailure): boolean {
  return kind === 'application' && LASTING.has(type);
}

const OF_REQUEST: ReadonlySet<string> = new Set([FAILURE.model.badRequest, FAILURE.model.contextTooLong]);

export function isOfRequest({ kind, type }: CallFailure): boolean {
  return kind === 'application' && OF_REQUEST.has(type);
}

/** True if a goal with a model failure is answered from its results so far. A lost worker would fail that call too. */
export function answersAfter(
  failure: CallFailure,
  given: { found: boolean; refused: boolean; canBeCalled: boolean },
): boolean {
  // `found`: results exist, and no answer was begun. `refused`: a person chose to end it.
  return modelFailure(failure) !== null && given.found && !given.refused && given.canBeCalled;
}

export function lostForGood({ message }: CallFailure, times: number): CallFailure {
  const last = message === '' ? '' : ` The last time: ${message}`;
  return {
    kind: 'application',
    type: FAILURE.workerLost,
    message: `A model call was lost with its worker ${times} times in a row. Look at the worker's log and memory.${last}`,
  };
}

const MOST_QUOTED_CHARS = 300;

/** Returns the failure of a reply that was declined or withheld: its text is not read, its calls do not run. */
export function declined(
  reply: Pick<AssistantMessage, 'stopReason' | 'content' | 'usage'>,
  model: string,
): CallFailure | null {
  const { stopReason, usage } = reply;
  const failure = { kind: 'application', usage } as const;
  switch (stopReason) {
    case 'refusal': {
      const quoted = preview(textOf(reply), MOST_QUOTED_CHARS);
      const quote = quoted === '' ? '.' : `: "${quoted}"`;
      return { ...failure, type: FAILURE.model.refused, message: `${model} declined to answer${quote}` };
    }
    case 'content_filter': {
      const message = `The endpoint of ${model} stopped its reply with a content filter. Word the goal otherwise, or use another model.`;
      return { ...failure, type: FAILURE.model.contentFilter, message };
    }
    default:
      return null;
  }
}

/** True if a complete reply has neither text nor a call, as some endpoints end after tool results. */
export function isSilent({ stopReason, content }: Pick<AssistantMessage, 'stopReason' | 'content'>): boolean {
  const calls = content.some(({ type }) => type === 'tool_use');
  return stopReason !== 'interrupted' && !calls && textOf({ content }).trim() === '';
}

/** Returns the failure of a second consecutive silent reply: asking once more would change nothing (M14). */
export function silentAgain(
  reply: Pick<AssistantMessage, 'stopReason' | 'content' | 'usage'>,
  model: string,
  before: readonly Message[],
): CallFailure | null {
  const last = before.findLast(message => message.kind === 'assistant');
  if (!isSilent(reply) || last === undefined || !isSilent(last)) return null;
  const message =
    reply.stopReason === 'max_tokens'
      ? `${model} spent all tokens that its reply may have before a word of it, twice.`
      : `${model} replied with nothing, and again when it was asked to go on.`;
  return { kind: 'application', type: FAILURE.model.badResponse, message, usage: reply.usage };
}
