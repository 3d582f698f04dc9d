/** The model calls of a run from its events, and the messages that a call was sent. Pure. */

import type { Durable } from '@steersman/view';
import type { Message, ThreadTranscript, Usage } from 'steersman/client';

export interface ModelCall {
  callId: string;
  role: string;
  model: string;
  turn: number;
  at: number;
  usage: Usage | null;
  durationMs: number | null;
  /** Id of the reply; null while there is none. */
  messageId: string | null;
  /** The failure of the last attempt, if there was one. */
  failure: string | null;
}

/** Returns the run's own calls, newest last. If the beginning of a call is not in memory, only its end is known. */
export function modelCallsIn(events: readonly Durable[]): ModelCall[] {
  const calls = new Map<string, ModelCall>();
  for (const event of events) {
    if (event.path !== undefined) continue;
    if (event.type === 'model_call_started') {
      const { callId, role, model, turn, at } = event;
      calls.set(callId, { ...NOTHING, ...calls.get(callId), callId, role, model, turn, at });
    } else if (event.type === 'model_call_ended') {
      const { callId, role, model, turn, at, usage, durationMs, messageId } = event;
      const begun = calls.get(callId) ?? { ...NOTHING, at };
      calls.set(callId, { ...begun, callId, role, model, turn, usage, durationMs, messageId });
    } else if (event.type === 'model_call_failed') {
      const call = calls.get(event.callId);
      if (call) calls.set(event.callId, { ...call, failure: event.message });
    }
  }
  return [...calls.values()];
}

const NOTHING: Omit<ModelCall, 'callId' | 'role' | 'model' | 'turn' | 'at'> = {
  usage: null,
  durationMs: null,
  messageId: null,
  failure: null,
};

/** Returns the original messages that precede a reply in its thread; null if the reply is not found. */
export function messagesBefore(threads: readonly ThreadTranscript[], messageId: string): Message[] | null {
  for (const { messages } of threads) {
    const at = messages.findIndex(({ id }) => id === messageId);
    if (at >= 0) return messages.slice(0, at);
  }
  return null;
}
