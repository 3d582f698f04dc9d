/**
 * Receipts of messages (DESIGN.md, "Steering"): first what will happen, then what did. No text promises what
 * the run may not do: what depends on the goal's end says so.
 */
import type { InboxItem } from './inbox.js';

export interface Receipt {
  /** Of the message. */
  id: string;
  status: 'accepted' | 'applied' | 'queued' | 'dropped';
  /** One or two sentences for the sender. */
  how: string;
}

/** Where the run is when a message arrives. */
export interface Situation {
  /** `asking`: at the gate of a tool call. `waiting`: at another gate. `idle`: the goal is answered. */
  doing: 'loading' | 'model_call' | 'tool_call' | 'between' | 'asking' | 'waiting' | 'idle';
  /** The call in flight can be cancelled without harm. */
  interruptible: boolean;
  /** The message is for a role that is not at work: it disturbs nothing. Default false. */
  forAnother?: boolean;
  paused: boolean;
  /** Stop was asked for: no further model call is made. */
  stopping: boolean;
  /** The last call of the goal is being made: its role reads nothing more. */
  wrappingUp: boolean;
}

/** What will happen to a message that was accepted. */
export function acceptedReceipt(item: InboxItem, situation: Situation): Receipt {
  return { id: item.id, status: 'accepted', how: willHappen(item, situation) };
}

function willHappen(item: InboxItem, situation: Situation): string {
  if (situation.stopping) return 'The run is stopping: nobody will read this message.';
  const resume = situation.paused ? ' The run is paused: nothing happens before it is resumed.' : '';
  if (situation.doing === 'idle') return `It is the next goal.${resume}`;
  if (item.kind === 'follow-up') return `It is a goal of its own, when this one is answered.${resume}`;
  if (situation.wrappingUp)
    return `The goal is being wrapped up: the message becomes a follow-up, so the next goal.${resume}`;
  const reader = item.to === null ? 'before the next model call' : `before the next model call of ${item.to}`;
  return `${cutOff(item, situation)}It is read ${reader}; if the goal ends first, it becomes a follow-up.${resume}`;
}

/** What happens to the call in flight and the rest of its batch: nothing is said that does not apply. */
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
  if (doing !== 'tool_call') return '';
  if (item.when === 'after-batch') return 'The tool calls that were asked for run first. ';
  const running =
    item.when === 'interrupt' && interruptible
      ? 'The tool call in progress is cancelled, unless it ends first'
      : 'The tool call in progress ends first';
  return `${running}; calls that have not begun are skipped. `;
}

/** The message is in a thread, or was obeyed. `as`: what became of it, such as "a note to the executor". */
export function appliedReceipt(id: string, given: { as: string; turn: number }): Receipt {
  return { id, status: 'applied', how: `Applied as ${given.as}, turn ${given.turn}.` };
}

/** The message waits as a follow-up. `ahead`: follow-ups before it. */
export function queuedReceipt(id: string, ahead: number): Receipt {
  const place = ahead === 0 ? 'It is the next goal.' : `${ahead} follow-up(s) come before it.`;
  return { id, status: 'queued', how: `Queued as a follow-up. ${place}` };
}

/** The message had no effect. `why`: a sentence. */
export function droppedReceipt(id: string, why: string): Receipt {
  return { id, status: 'dropped', how: why };
}
