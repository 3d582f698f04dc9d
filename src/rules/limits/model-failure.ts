/** What follows a model call that brought no reply that counts. */

import { preview } from '../../base/text/preview.js';
import { type CallFailure, FAILURE, modelFailure } from '../../run/limits/failure.js';
import { type AssistantMessage, type Message, textOf } from '../../run/messages/message.js';

/** Calls in a row that may be lost with their workers before a person must look. */
export const MODEL_RESCHEDULES = 10;
/** How often one call is trimmed for a model that finds it too long: each time by a fifth. */
export const MOST_TRIMS = 4;

/** What follows a model call after Temporal's retries. An unknown failure, such as a bug in an activity, fails the call. */
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

/** Failures that no later call of the model cures, whoever makes it: somebody has to change a key, a name, an account. */
const LASTING: ReadonlySet<string> = new Set([
  FAILURE.model.auth,
  FAILURE.model.forbidden,
  FAILURE.model.unknownModel,
  FAILURE.model.redirected,
]);

/** Whether the model is out for every role. Rate limits and overload pass: each role finds out for itself. */
export function isLasting({ kind, type }: CallFailure): boolean {
  return kind === 'application' && LASTING.has(type);
}

const OF_REQUEST: ReadonlySet<string> = new Set([FAILURE.model.badRequest, FAILURE.model.contextTooLong]);

export function isOfRequest({ kind, type }: CallFailure): boolean {
  return kind === 'application' && OF_REQUEST.has(type);
}

/** Whether a goal that a model failed is answered from what there is. A lost worker would meet that call too. */
export function answersAfter(
  failure: CallFailure,
  given: { found: boolean; refused: boolean; canBeCalled: boolean },
): boolean {
  // `found`: there is something to answer from, and no answer was begun. `refused`: a person said that it ends.
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

/** The failure of a reply that its model declined or its endpoint withheld: nobody reads it, its calls do not run. */
export function declined(
  reply: Pick<AssistantMessage, 'stopReason' | 'content' | 'usage'>,
  model: string,
): CallFailure | null {
  const { stopReason, usage } = reply;
  const failure = { kind: 'application', usage } as const;
  switch (stopReason) {
    case 'refusal': {
      const said = preview(textOf(reply), MOST_QUOTED_CHARS);
      const quote = said === '' ? '.' : `: "${said}"`;
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

/** Whether a reply that is whole holds neither text nor a call: some endpoints end so after the results of tools. */
export function isSilent({ stopReason, content }: Pick<AssistantMessage, 'stopReason' | 'content'>): boolean {
  const calls = content.some(({ type }) => type === 'tool_use');
  return stopReason !== 'interrupted' && !calls && textOf({ content }).trim() === '';
}

/** The failure of a silent reply after another one, which was sent back: asking once more would change nothing (M14). */
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
