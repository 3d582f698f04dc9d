/** Whether tool calls and their results pair. */
import { type Message, toolCallsOf } from '../../src/run/messages/message.js';

/** Calls without a result, and results without a call or beyond the first: empty where each has its one. */
export function pairingFaults(messages: readonly Message[]): { open: string[]; stray: string[] } {
  const open = new Set<string>();
  const stray: string[] = [];
  for (const message of messages) {
    if (message.kind === 'assistant') {
      for (const call of toolCallsOf(message)) open.add(call.id);
    } else if (message.kind === 'tool_result') {
      const id = message.content[0].toolUseId;
      if (!open.delete(id)) stray.push(id);
    }
  }
  return { open: [...open], stray };
}
