/**
 * What the run says of a tool call, in its own words: how it ended, and what to do next. These words, and
 * none of a tool or its server, are the `note` of a result; what a tool said is its `content`.
 */
import { type CallFailure, FAILURE } from '../failure.js';
import type { ToolEnding } from '../message.js';
import { delimit } from '../prompt.js';

/** The first words of a note, by ending: whoever reads a result knows by them how the call ended. */
export const ENDING_WORDS: Record<ToolEnding, string> = {
  executed: '',
  reused: 'Reused',
  invalid: 'Invalid',
  denied: 'Denied',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
  timed_out: 'Timed out',
  unavailable: 'No result',
  outcome_unknown: 'Outcome unknown',
};

export const TOOL_ERROR_NOTE = 'The tool reported an error.';
export const NOTHING_NOTE = 'The tool returned nothing.';
export const REPEATED_NOTE =
  'The same call with the same arguments has a result earlier in this conversation.';
/** The new call id gets a result of its own (D4). */
export const REUSED_NOTE =
  'the same call has a result earlier in this conversation, which is given again. The tool was not called.';

export const RUN_STOPPED_NOTE = 'Not run: the run was stopped.';
export const RUN_CANCELLED_NOTE = 'Not finished: the run was cancelled.';
export const SUPERSEDED_NOTE = 'Not run: superseded by a message of the user, which follows.';
export const CANCELLED_UNSENT_NOTE = 'Not run: cancelled before it was sent.';
export const CANCELLED_NOTE = 'It was cancelled before it ended.';
const CHECK_FIRST = 'Check with a read-only tool before you call it again.';

export function overTurnCapNote(max: number): string {
  return `Not run: at most ${max} tool calls of one reply are run. Ask again if it is still needed.`;
}

export function deniedByConfigurationNote(tool: string): string {
  return `Not run: ${tool} is denied by the configuration. Go on without it.`;
}

/** A person, or nobody, did not allow the call. */
export function notAllowedNote(tool: string, reason: string | null): string {
  const why = reason ? ` ${reason}` : '';
  return `Not run: ${tool} is not read-only, and a person's permission for it was not given.${why} Go on without it, and say in your report what you would have done.`;
}

export function reviewNote(fixes: readonly string[]): string {
  const list = fixes.map(fix => `- ${fix}`).join('\n');
  return `Not run: a review did not accept this call.\n${delimit('fixes', list)}`;
}

/** A person changed what the call runs with. */
export function editedNote(edited: Record<string, unknown>): string {
  return `A person edited the arguments before it ran:\n${delimit('arguments', JSON.stringify(edited))}`;
}

export function unknownToolNote(name: string, near: readonly string[]): string {
  if (near.length === 0)
    return `Not run: no tools are available here, so ${name} can not be called. Answer without tools.`;
  return `Not run: there is no tool named ${name}. Nearest by name: ${near.join(', ')}.`;
}

/** Arguments unreadable or invalid: the model corrects itself, and after a few tries goes another way (T7). */
export function badArgumentsNote(
  errors: readonly string[],
  given: { unreadable?: boolean; wrongCalls?: number; corrections?: number } = {},
): string {
  const { unreadable = false, wrongCalls = 1, corrections = Number.POSITIVE_INFINITY } = given;
  // What was cut off or can not be read is never run as a call without arguments (TR3).
  const fault = unreadable
    ? 'The arguments were cut off or are not readable as JSON: write all of them as one JSON object.'
    : `The arguments do not fit the tool's schema:\n${errors.map(error => `- ${error}`).join('\n')}`;
  const advice =
    wrongCalls > corrections
      ? `This tool was called wrongly ${wrongCalls} times: do not call it again this way. Use another tool or go on without.`
      : 'Correct the arguments and call again.';
  return `Not run. ${fault}\n${advice}`;
}

/** The server answered with a protocol error: it says itself, below, what is wrong. */
export const REFUSED_NOTES = {
  arguments: 'The tool server refused the arguments. Correct them and call again.',
  tool: 'The tool server does not know this tool. Go on without it.',
  gone: 'Not run: its server no longer has this tool. Go on without it, and say in your report that it was missing. The next run lists the tools of the server anew.',
} as const;

export function unreachableNote(server: string, tries: number): string {
  return `Not run, and nothing was sent: the tool server ${server} could not be reached in ${tries} tries. Go on with other tools if you can, and say in your report that this one was missing.`;
}

/** The server said that it takes no more calls, for longer than the call may take. */
export function busyNote(server: string): string {
  return `Not run: the tool server ${server} takes no more calls for now. Go on with other work first; call again later if it is still needed, or say in your report that it was missing.`;
}

export function unknownOutcomeNote(why: string): string {
  return `It may or may not have taken effect: ${why}. ${CHECK_FIRST}`;
}

/** A call whose tries are used up, by what became of the last one. */
export function failedNote(ending: ToolEnding, failure: CallFailure, tries: number): string {
  const inTries = tries > 1 ? `, in each of ${tries} tries` : '';
  switch (ending) {
    case 'cancelled':
      return CANCELLED_NOTE;
    case 'timed_out':
      return `The tool did not answer within its time limit${inTries}. Ask for less at once, or go on without it.`;
    case 'outcome_unknown':
      return unknownOutcomeNote(
        failure.kind === 'timedOut'
          ? 'it did not answer within its time limit'
          : 'the worker or the connection was lost while it ran',
      );
    default: {
      const advice = 'Go on with other tools if you can, and say in your report that this one was missing.';
      const notSent = failure.type === FAILURE.tool.notSent || failure.type === FAILURE.stateUnavailable;
      if (notSent) return `Not run: the tool could not be reached. ${advice}`;
      const lost = failure.type === FAILURE.tool.connectionLost ? 'its server' : 'the worker that ran it';
      return `The tool was called and brought no result: ${lost} was lost while it ran${inTries}. The call itself may be the cause. ${advice}`;
    }
  }
}

/** A result that was read, and then made shorter to fit the context. */
export const SHORTENED_NOTE = 'Shortened since, to fit the context: call again if all of it is needed.';

export function leftOutNote(tool: string, characters: number, refs: readonly string[]): string {
  const how = refs.length > 0 ? `read it with read_result, ref ${refs.join(', ')}` : 'call again';
  return `Left out since, to fit the context: the result of ${tool}, ${characters} characters. If it is still needed, ${how}.`;
}

/** `parts`: which, in a few words each. */
export function unreadablePartsNote(parts: readonly string[]): string {
  const more = parts.length > MAX_NAMED_PARTS ? `; and ${parts.length - MAX_NAMED_PARTS} more` : '';
  return `The tool ran. What could not be read of its result is left out: ${parts.slice(0, MAX_NAMED_PARTS).join('; ')}${more}.`;
}

const MAX_NAMED_PARTS = 5;

export const NO_STORE_NOTE =
  'The tool ran, but its whole result could not be kept: only the beginning is shown.';
