/** Follows what is written to threads: each message once, and every call with one result right after it. */
import type { Message, ToolUseBlock } from '../../src/core/message.js';
import { toolCallsOf } from '../../src/core/message.js';
import type { RunState } from '../../src/core/run-state.js';
import { pairingFaults } from '../support/pairing.js';
import { expectThat } from './expect-that.js';

export interface Written {
  /** Id of the thread it was written to. */
  thread: string;
  message: Message;
  /** The call that a tool result belongs to. */
  call: ToolUseBlock | null;
}

export class Transcript {
  readonly messages: Record<string, Message[]> = {};
  readonly #ids = new Set<string>();

  /** Takes what was written since the last look, also where older messages were trimmed away since. */
  look(state: RunState): Written[] {
    return Object.values(state.threads).flatMap(thread => {
      const all = thread.messages;
      let first = all.length;
      while (first > 0 && !this.#ids.has(all[first - 1]?.id ?? '')) first -= 1;
      return all
        .slice(first)
        .map(message => ({ thread: thread.id, message, call: this.#take(thread.id, message) }));
    });
  }

  #take(threadId: string, message: Message): ToolUseBlock | null {
    expectThat(!this.#ids.has(message.id), `message id ${message.id} is there twice`);
    this.#ids.add(message.id);
    this.messages[threadId] ??= [];
    const written = this.messages[threadId];
    const [call = null] = openCalls(written);
    written.push(message);
    if (message.kind === 'tool_result') {
      const id = message.content[0].toolUseId;
      expectThat(call?.id === id, `the result of ${id} came when ${call?.id ?? 'no call'} was waiting`);
      return call;
    }
    expectThat(call === null, () => `${message.kind} ${message.id} came while ${call?.id} was waiting`);
    return null;
  }

  /** Nothing is open at the end. */
  ended(): void {
    for (const [id, messages] of Object.entries(this.messages)) {
      const { open, stray } = pairingFaults(messages);
      expectThat(open.length + stray.length === 0, `thread ${id}: open ${open}, stray ${stray}`);
    }
  }
}

/** Calls of the last reply that have no result yet, when only results follow it. */
export function openCalls(messages: readonly Message[]): ToolUseBlock[] {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.kind === 'tool_result') continue;
    if (message?.kind !== 'assistant') return [];
    return toolCallsOf(message).slice(messages.length - 1 - index);
  }
  return [];
}

/** What would be sent pairs: every call with its result, in order, directly after its reply. */
export function expectPaired(messages: readonly Message[]): void {
  let waiting: string[] = [];
  for (const message of messages) {
    if (message.kind === 'tool_result') {
      const id = message.content[0].toolUseId;
      expectThat(waiting[0] === id, `a request has the result of ${id} where ${waiting[0]} is due`);
      waiting = waiting.slice(1);
      continue;
    }
    expectThat(waiting.length === 0, `a request lacks the result of ${waiting[0]}`);
    if (message.kind === 'assistant') waiting = toolCallsOf(message).map(call => call.id);
  }
  expectThat(waiting.length === 0, `a request lacks the result of ${waiting[0]}`);
}
