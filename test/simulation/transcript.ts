/** Follows what is written to threads: each message once, and every call with one result right after it. */

import { ownMessages } from '../../src/conversation/branch-threads.js';
import type { Message, ToolUseBlock } from '../../src/run/messages/message.js';
import { toolCallsOf } from '../../src/run/messages/message.js';
import type { RunState } from '../../src/run/state/run-state.js';
import type { Thread } from '../../src/run/state/thread.js';
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
  /** Where each message was written. */
  readonly #positions = new Map<string, string>();
  /** Copies that there were at the last look, each with the thread that it is joined to. */
  #copies = new Map<string, string>();
  /** The tasks of all copies that there have been. */
  readonly #tasks = new Map<string, string>();

  /** The line that a thread is of: a task beside others, or the run itself, which has no name. */
  lineOf(thread: string): string {
    return this.#tasks.get(thread) ?? '';
  }

  /** What was written under that id. */
  written(id: string): Message | undefined {
    return this.messages[this.#positions.get(id) ?? '']?.find(message => message.id === id);
  }

  /** Takes what was written since the last look, in the order in which it was, also where older messages were trimmed away since. */
  look(state: RunState): Written[] {
    const threads = Object.values(state.threads);
    const joined = new Set([...this.#copies].flatMap(([id, of]) => (state.threads[id] ? [] : [of])));
    const copies = threads.flatMap(({ id, branch }) => (branch ? [{ id, ...branch }] : []));
    this.#copies = new Map(copies.map(({ id, of }) => [id, of]));
    for (const { id, taskId } of copies) this.#tasks.set(id, taskId);
    const found = threads.flatMap(thread => this.#fresh(thread, joined.has(thread.id)));
    const written: Written[] = [];
    for (const { thread, message } of found.sort((a, b) => numberOf(a.message) - numberOf(b.message))) {
      // What a person said stands in every copy.
      if (!this.#positions.has(message.id))
        written.push({ thread, message, call: this.#take(thread, message) });
    }
    return written;
  }

  #fresh(thread: Thread, wasJoined: boolean): { thread: string; message: Message }[] {
    const all = ownMessages(thread);
    let first = 0;
    if (!thread.branch && !wasJoined) {
      first = all.length;
      while (first > 0 && !this.#positions.has(all[first - 1]?.id ?? '')) first -= 1;
    }
    // What was written to a copy right before it was joined stands behind what was known of it.
    let at = thread.id;
    return all.slice(first).flatMap(message => {
      const position = this.#positions.get(message.id);
      if (wasJoined) at = position ?? at;
      // A note of what was trimmed is nobody's word.
      return position === undefined && message.kind !== 'cut' ? [{ thread: at, message }] : [];
    });
  }

  #take(threadId: string, message: Message): ToolUseBlock | null {
    expectThat(!this.#positions.has(message.id), `message id ${message.id} is there twice`);
    this.#positions.set(message.id, threadId);
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

/** Of a note of what was trimmed, none: it stands where it is. */
function numberOf({ id }: Message): number {
  return /^m\d+$/.test(id) ? Number(id.slice(1)) : 0;
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
