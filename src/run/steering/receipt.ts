/** Receipts of messages: first the expected effect, then the actual one. They promise nothing about the goal's end. */
import { preview } from '../../base/text/preview.js';
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
  /** `asking`: at the gate of a tool call. `waiting`: at another gate. `idle`: the goal is answered. */
  doing: 'loading' | 'model_call' | 'tool_call' | 'check_call' | 'between' | 'asking' | 'waiting' | 'idle';
  /** The call in flight can be cancelled without harm. */
  interruptible: boolean;
  /** The message is for a role that is not at work, so it disturbs no call. Default false. */
  forAnother?: boolean;
  paused: boolean;
  /** The run has the role that understands messages, so it reads them even while paused. */
  understands: boolean;
  /** What precedes the reading of the message, besides the next model call; null if nothing does. */
  first: string | null;
  /** The run is a sub-agent: it has one goal, and returns unread messages to its caller. Default false. */
  isAgent?: boolean;
  /** A stop was requested: no further model call is made. */
  stopping: boolean;
  /** The goal ends with the current call or the next one, so the message will hardly be read before. */
  wrappingUp: boolean;
}

export function acceptedReceipt(item: InboxItem, situation: Situation): Receipt {
  return { ...firstReceipt(item), how: willHappen(item, situation) };
}

function firstReceipt({ id, text }: Pick<InboxItem, 'id' | 'text'>) {
  return { id, state: 'accepted' as const, text: preview(text, RECEIPT_TEXT_CHARS) };
}

function willHappen(item: InboxItem, situation: Situation): string {
  if (situation.stopping) return 'The run is stopping: this message will not be read.';
  const pause = pauseText(item, situation);
  const unless = situation.understands ? ', unless it is understood as an instruction' : '';
  if (situation.isAgent && (situation.doing === 'idle' || item.kind === 'follow-up'))
    return `It goes back to the run that called this one.${pause}`;
  if (situation.doing === 'idle') return `It is the next goal${unless}.${pause}`;
  if (item.kind === 'follow-up')
    return `It is a goal of its own, when this one is answered${unless}.${pause}`;
  const unread = situation.isAgent
    ? 'it goes back to the run that called this one'
    : 'it becomes a follow-up';
  const wrap = situation.wrappingUp ? 'The goal is being wrapped up. ' : '';
  const call = item.to === null ? 'before the next model call' : `before the next model call of ${item.to}`;
  const reader = situation.first === null ? call : `${situation.first}, ${call}`;
  return `${wrap}${cutOff(item, situation)}It is read ${reader}; if the goal ends first, ${unread}.${pause}`;
}

/** Returns the effect of a pause on the message: a run that understands messages reads it at once, unless it must wait. */
function pauseText(item: InboxItem, { paused, understands, doing, forAnother = false }: Situation): string {
  if (!paused) return '';
  const afterCalls = item.when === 'after-batch' && doing !== 'waiting';
  const waits = item.kind === 'follow-up' || forAnother || afterCalls;
  if (!understands || (waits && doing !== 'idle'))
    return ' The run is paused: nothing happens before it is resumed.';
  return ' The run is paused, and goes on only when it is resumed or the message says so.';
}

/** Returns what happens to the call in flight and the others of its batch, only if it applies. */
function cutOff(item: InboxItem, { doing, interruptible, forAnother = false }: Situation): string {
  const disturbs = !forAnother && item.when !== 'after-batch';
  if (doing === 'waiting' || (doing === 'asking' && !disturbs))
    return 'The run waits for a person at a gate, and goes on waiting. ';
  if (forAnother) return '';
  if (doing === 'asking')
    return 'The question at the gate is withdrawn; calls that have not begun are skipped. ';
  if (doing === 'model_call') {
    if (item.when === 'interrupt' && interruptible)
      return 'The model call in progress is cut off, unless it ends first; its text so far is kept. ';
    return 'The model call in progress ends first. ';
  }
  if (doing === 'check_call')
    return item.when === 'interrupt' && interruptible
      ? 'The check in progress is cut off, unless it ends first. '
      : 'The check in progress ends first. ';
  if (doing !== 'tool_call') return '';
  if (item.when === 'after-batch') return 'The tool calls that were asked for run first. ';
  const running =
    item.when === 'interrupt' && interruptible
      ? 'The tool call in progress is cancelled, unless it ends first'
      : 'The tool call in progress ends first';
  return `${running}; calls that have not begun are skipped. `;
}

/** Returns the receipt for a message in a thread, or obeyed. `as`: its effect, such as "a note to the executor". */
export function appliedReceipt(id: string, given: { as: string; turn: number }): Receipt {
  return { id, state: 'applied', how: `Applied as ${given.as}, turn ${given.turn}.` };
}

/** Returns the receipt for a message that the goal's end turned into a follow-up. `ahead`: follow-ups before it. */
export function queuedReceipt({ id, to }: Pick<InboxItem, 'id' | 'to'>, ahead: number): Receipt {
  const why = to === null ? 'The goal ended before it was read' : `The goal ended before ${to} spoke again`;
  const position = ahead === 0 ? 'It is the next in line.' : `${ahead} follow-up(s) come before it.`;
  return { id, state: 'queued', how: `${why}: queued as a follow-up. ${position}` };
}

export function passingOnReceipt(item: Pick<InboxItem, 'id' | 'text'>, agent: string): Receipt {
  const how = `It is passed on to ${agent}, which reads it before its next model call; if that ends first, it is for the role at work.`;
  return { ...firstReceipt(item), how };
}

/** Returns the receipt for a message read by the agent at path `reader`, perhaps before its withdrawal arrived (`tooLate`). */
export function readReceipt(id: string, reader: string, tooLate = false): Receipt {
  const late = tooLate ? ', before it could be taken back' : '';
  return { id, state: 'applied', how: `Read by ${reader}${late}.` };
}

export function calledBackReceipt(id: string, agent: string): Receipt {
  const how = `It is called back from ${agent}. If that has read it meanwhile, the next receipt says so.`;
  return { id, state: 'accepted', how };
}

/** Returns the receipt for a message that an agent did not read: it is accepted again. `unread`: why, without a full stop. */
export function returnedReceipt(id: string, unread: string): Receipt {
  const how = `${unread}. It is read before the next model call; if the goal ends first, it becomes a follow-up.`;
  return { id, state: 'accepted', how };
}

export function droppedReceipt(id: string, why: string): Receipt {
  return { id, state: 'dropped', how: why };
}
