/**
 * Receipts of messages, in the run's language: first the expected effect, then the actual one. They promise nothing about
 * the goal's end.
 */
import { preview } from '../../base/text/preview.js';
import { fill, type WordKey, type Words } from '../../base/words/words.js';
import type { InboxItem } from './inbox.js';

const RECEIPT_TEXT_CHARS = 60;

export interface Receipt {
  id: string;
  state: 'accepted' | 'applied' | 'queued' | 'dropped';
  /** One or two sentences for the sender. */
  how: string;
  /** The beginning of the message, in its first receipt, for readers other than the sender. */
  text?: string;
}

export interface Situation {
  /** `asking`: a tool call waits at its gate. `waiting`: another gate is open. `idle`: the goal is answered. */
  doing: 'loading' | 'model_call' | 'tool_call' | 'check_call' | 'between' | 'asking' | 'waiting' | 'idle';
  /** The call in flight can be cancelled without harm. */
  interruptible: boolean;
  /** The message is for a role that is not at work, so it disturbs no call. Default false. */
  forAnother?: boolean;
  paused: boolean;
  /** The run has the role that understands messages, so it reads them even while paused. */
  understands: boolean;
  /** What precedes the reading of the message, besides the next model call, in words; null if nothing does. */
  first: string | null;
  /** The run is a sub-agent: it has one goal, and returns unread messages to its caller. Default false. */
  isAgent?: boolean;
  /** A stop was requested: no further model call is made. */
  stopping: boolean;
  /** The goal ends with the current call or the next one, so the message will hardly be read before. */
  wrappingUp: boolean;
}

export function acceptedReceipt(words: Words, item: InboxItem, situation: Situation): Receipt {
  return { ...firstReceipt(item), how: said(willHappen(words, item, situation), words) };
}

function firstReceipt({ id, text }: Pick<InboxItem, 'id' | 'text'>) {
  return { id, state: 'accepted' as const, text: preview(text, RECEIPT_TEXT_CHARS) };
}

/** Joins sentences as the language does: Chinese ones follow each other without a space. */
function said(sentences: readonly (string | null)[], { receiptNext }: Words): string {
  return sentences.filter(sentence => sentence !== null).join(receiptNext.endsWith('。') ? '' : ' ');
}

function willHappen(words: Words, item: InboxItem, situation: Situation): (string | null)[] {
  if (situation.stopping) return [words.receiptStopping];
  const pause = pauseText(words, item, situation);
  const { understands } = situation;
  if (situation.isAgent && (situation.doing === 'idle' || item.kind === 'follow-up'))
    return [words.receiptToCaller, pause];
  if (situation.doing === 'idle')
    return [understands ? words.receiptNextGoalUnless : words.receiptNextGoal, pause];
  if (item.kind === 'follow-up')
    return [understands ? words.receiptOwnGoalUnless : words.receiptOwnGoal, pause];
  const unread = situation.isAgent ? words.receiptUnreadCaller : words.receiptUnreadGoal;
  const cut = cutOff(item, situation);
  return [
    situation.wrappingUp ? words.receiptWrapUp : null,
    cut && words[cut],
    fill(words.receiptRead, { reader: readerText(words, item.to, situation.first), unread }),
    pause,
  ];
}

function readerText(words: Words, role: string | null, first: string | null): string {
  if (first === null) return role === null ? words.receiptReader : fill(words.receiptReaderOf, { role });
  if (role === null) return fill(words.receiptReaderAfter, { first });
  return fill(words.receiptReaderAfterOf, { first, role });
}

/** Returns the effect of a pause on the message: a run that understands messages reads it at once, unless it must wait. */
function pauseText(
  words: Words,
  item: InboxItem,
  { paused, understands, doing, forAnother = false }: Situation,
): string | null {
  if (!paused) return null;
  const afterCalls = item.when === 'after-batch' && doing !== 'waiting';
  const waits = item.kind === 'follow-up' || forAnother || afterCalls;
  return !understands || (waits && doing !== 'idle') ? words.receiptPaused : words.receiptHeld;
}

/** Returns what happens to the call in flight and the others of its batch, only if it applies. */
function cutOff(
  item: InboxItem,
  { doing, interruptible, forAnother = false }: Situation,
): (WordKey & `receipt${string}`) | null {
  const disturbs = !forAnother && item.when !== 'after-batch';
  if (doing === 'waiting' || (doing === 'asking' && !disturbs)) return 'receiptAtGate';
  if (forAnother) return null;
  const cuts = item.when === 'interrupt' && interruptible;
  switch (doing) {
    case 'asking':
      return 'receiptGateGone';
    case 'model_call':
      return cuts ? 'receiptModelCut' : 'receiptModelEnds';
    case 'check_call':
      return cuts ? 'receiptCheckCut' : 'receiptCheckEnds';
    case 'tool_call':
      if (item.when === 'after-batch') return 'receiptToolsFirst';
      return cuts ? 'receiptToolCut' : 'receiptToolEnds';
    default:
      return null;
  }
}

/** Returns the receipt for a message in a thread, or obeyed. `as`: its effect, such as "a note to the executor". */
export function appliedReceipt(words: Words, id: string, given: { as: string; turn: number }): Receipt {
  return { id, state: 'applied', how: fill(words.receiptApplied, given) };
}

/** Returns the receipt for a message that the goal's end turned into a follow-up. `ahead`: follow-ups before it. */
export function queuedReceipt(
  words: Words,
  { id, to }: Pick<InboxItem, 'id' | 'to'>,
  ahead: number,
): Receipt {
  const why = to === null ? words.receiptQueued : fill(words.receiptQueuedOf, { role: to });
  const position = ahead === 0 ? words.receiptNext : fill(words.receiptAhead, { count: ahead });
  return { id, state: 'queued', how: said([why, position], words) };
}

export function passingOnReceipt(words: Words, item: Pick<InboxItem, 'id' | 'text'>, agent: string): Receipt {
  return { ...firstReceipt(item), how: fill(words.receiptPassedOn, { agent }) };
}

/** Returns the receipt for a message read by the agent at path `reader`, perhaps before its withdrawal arrived (`tooLate`). */
export function readReceipt(words: Words, id: string, reader: string, tooLate = false): Receipt {
  const how = fill(tooLate ? words.receiptReadLate : words.receiptReadBy, { reader });
  return { id, state: 'applied', how };
}

export function calledBackReceipt(words: Words, id: string, agent: string): Receipt {
  return { id, state: 'accepted', how: fill(words.receiptCalledBack, { agent }) };
}

/** Returns the receipt for a message that an agent did not read: it is accepted again. `unread`: why, without a full stop. */
export function returnedReceipt(words: Words, id: string, unread: string): Receipt {
  return { id, state: 'accepted', how: fill(words.receiptReturned, { unread }) };
}

export function droppedReceipt(id: string, why: string): Receipt {
  return { id, state: 'dropped', how: why };
}
