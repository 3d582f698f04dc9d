/** The run's note in a tool call's result: how the call ended, and what to do next. `content` is the tool's. */

import { delimit } from '../base/words/prompt.js';
import { fill, type WordKey, type Words } from '../base/words/words.js';
import { type CallFailure, FAILURE } from '../run/limits/failure.js';
import type { ToolEnding } from '../run/messages/message.js';
import { isNotBegun } from '../run/tools/effect.js';
import type { Permission } from '../run/tools/permission.js';

/** The first words of a note, by ending, from which a reader sees how the call ended. */
export const ENDING_WORDS = {
  executed: null,
  reused: 'noteReused',
  invalid: 'noteInvalid',
  denied: 'noteDenied',
  skipped: 'noteSkipped',
  cancelled: 'noteCancelled',
  timed_out: 'noteTimedOut',
  unavailable: 'noteUnavailable',
  outcome_unknown: 'noteUnknown',
  session_lost: 'noteSessionLost',
} as const satisfies Record<ToolEnding, WordKey | null>;

export function notAllowedNote(words: Words, tool: string, reason: string | null): string {
  if (!reason) return fill(words.noteNotAllowed, { tool });
  // The sentence around the quoted reason has its own full stop.
  return fill(words.noteNotAllowedWhy, { tool, reason: reason.replace(/[.。]$/, '') });
}

/** Returns why a call never runs, even with a person's approval; null if it may run. */
export function refusalNote(words: Words, tool: string, permission: Permission): string | null {
  if (permission === 'deny') return fill(words.noteDeniedByConfiguration, { tool });
  return permission === 'too_much' ? fill(words.noteTooMuchToCompare, { tool }) : null;
}

export function reviewNote(words: Words, fixes: readonly string[]): string {
  const list = fixes.map(fix => `- ${fix}`).join('\n');
  return `${words.noteReview}\n${delimit('fixes', list)}`;
}

export function editedNote(words: Words, edited: Record<string, unknown>): string {
  return `${words.noteEdited}\n${delimit('arguments', JSON.stringify(edited))}`;
}

export function unknownToolNote(words: Words, tool: string, near: readonly string[]): string {
  if (near.length === 0) return fill(words.noteNoTools, { tool });
  return fill(words.noteNoSuchTool, { tool, near: near.join(', ') });
}

/** The note on unreadable or invalid arguments: the model corrects itself, or after a few attempts changes course (T7). */
export function badArgumentsNote(
  words: Words,
  errors: readonly string[],
  given: { unreadable?: boolean; wrongCalls?: number; corrections?: number } = {},
): string {
  const { unreadable = false, wrongCalls = 1, corrections = Number.POSITIVE_INFINITY } = given;
  // A call whose arguments were cut off or are unreadable is never run without arguments (TR3).
  const fault = unreadable
    ? words.noteUnreadable
    : `${words.noteMisfit}\n${errors.map(error => `- ${error}`).join('\n')}`;
  const isTooOften = wrongCalls > corrections;
  return `${fault}\n${isTooOften ? fill(words.noteWrongTooOften, { times: wrongCalls }) : words.noteCorrect}`;
}

export function unknownOutcomeNote(words: Words, why: string): string {
  return fill(words.noteOutcomeUnknown, { why });
}

const WHY_UNKNOWN = {
  cancelled: 'noteWhyCancelled',
  timedOut: 'noteWhyTimedOut',
  lost: 'noteWhyLost',
  application: 'noteWhyLost',
} as const satisfies Record<CallFailure['kind'], WordKey>;

export function failedNote(words: Words, ending: ToolEnding, failure: CallFailure, tries: number): string {
  const inTries = tries > 1 ? fill(words.noteTries, { tries }) : '';
  switch (ending) {
    case 'cancelled':
      return isNotBegun(failure) ? words.noteCancelledUnsent : words.noteCancelledRunning;
    case 'timed_out':
      return fill(words.noteTimedOutHow, { tries: inTries });
    case 'outcome_unknown':
      return unknownOutcomeNote(words, words[WHY_UNKNOWN[failure.kind]]);
    default: {
      if (failure.type === FAILURE.tool.noWorkspace)
        return fill(words.noteWorkspace, { why: failure.message });
      if (failure.type === FAILURE.storeFailed) return words.noteNotStored;
      if (isNotBegun(failure)) return words.noteNotReached;
      const isServer = failure.type === FAILURE.tool.connectionLost;
      return fill(words.noteLost, {
        what: isServer ? words.noteItsServer : words.noteItsWorker,
        tries: inTries,
      });
    }
  }
}

export function leftOutNote(
  words: Words,
  tool: string,
  count: number,
  { refs, recallId }: { refs: readonly string[]; recallId?: string | undefined },
): string {
  const recalled = recallId === undefined ? words.noteCallAgain : fill(words.noteRecall, { id: recallId });
  const how = refs.length > 0 ? fill(words.noteReadAgain, { refs: refs.join(', ') }) : recalled;
  return fill(words.noteLeftOut, { tool, count, how });
}

const MAX_NAMED_PARTS = 5;

/** `parts`: the unreadable ones, in a few words each. */
export function unreadablePartsNote(words: Words, parts: readonly string[]): string {
  const named = parts.slice(0, MAX_NAMED_PARTS);
  if (parts.length > named.length)
    named.push(fill(words.noteMoreParts, { count: parts.length - named.length }));
  return fill(words.notePartsUnreadable, { parts: named.join('; ') });
}
