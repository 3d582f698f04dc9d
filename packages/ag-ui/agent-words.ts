/** Translates one agent's text, reasoning and calls into AG-UI events. */

import { parseJson } from 'steersman/base';
import type { RunEvent } from 'steersman/client';
import { type Addition, oneAtATime, ReplyText } from 'steersman/client';
import type { WrittenCall } from 'steersman/run';
import type { AgUiSpoken } from './events.js';

/** Events that become custom events, named `steersman.` and their type. */
const PASSED_ON: ReadonlySet<RunEvent['type']> = new Set([
  'budget_warning',
  'notice',
  'paused',
  'provider_switch',
  'receipt',
  'resumed',
  'retry',
  'tool_progress',
  'verdict',
  'warning',
]);

export class AgentWords {
  /** Id of the agent's run. It prefixes all ids, so that they are unique in a thread of several runs. */
  readonly #run: string;
  readonly #reply = new ReplyText();
  readonly #spoken: (event: RunEvent) => AgUiSpoken[];
  /** Message id of the current call, and the role that speaks. */
  #message = '';
  #role = '';
  /** Number of restarts of the current call. */
  #tries = 0;
  /** Ids of the open messages. */
  #speaking: string | null = null;
  #thinking: string | null = null;
  /** Messages of the current call that were sent. */
  #sentIds: string[] = [];
  #thoughts = 0;
  /** Ids of the sent calls, and the same ids by the run's own id of each started call. */
  readonly #calls = new Set<string>();
  readonly #callOf = new Map<string, string>();

  constructor(run: string) {
    this.#run = run;
    this.#spoken = oneAtATime(event => this.#speak(event));
  }

  /** Translates an event of this agent, without its path. */
  take(event: RunEvent): AgUiSpoken[] {
    // Events of sub-agents are sent immediately, and refer to the call that started them.
    if (event.type === 'tool_call_started') this.#callOf.set(event.callId, this.#toolCall(event));
    return this.#spoken(event);
  }

  /** Returns the id of the tool call that the run started under this id. */
  callOf(callId: string): string | undefined {
    return this.#callOf.get(callId);
  }

  /** Ends open messages. */
  close(): AgUiSpoken[] {
    return [...this.#endThought(), ...this.#endText()];
  }

  #speak(event: RunEvent): AgUiSpoken[] {
    if (event.type === 'model_call_started') this.#begin(`${this.#run}/${event.callId}`, event.role);
    const isAnswer = event.type === 'goal_ended';
    if (isAnswer) this.#begin(`${this.#run}/goal-${event.number}`, this.#role);
    const events = this.#reply.heard(event).flatMap(added => this.#add(added));
    const more = this.#beside(event);
    const isWhole = isAnswer || event.type === 'model_call_ended' || event.type === 'model_call_failed';
    return [...events, ...(isWhole ? this.close() : []), ...more];
  }

  #begin(message: string, role: string): void {
    this.#message = message;
    this.#role = role;
    this.#tries = 0;
    this.#thoughts = 0;
    this.#sentIds = [];
  }

  #add(added: Addition): AgUiSpoken[] {
    if (added.kind === 'reset') return this.#again();
    return added.kind === 'thought' ? this.#think(added.text) : this.#say(added.text);
  }

  /** Restarts the call's messages: an event names those that are void, for clients that store them. */
  #again(): AgUiSpoken[] {
    const dropped = this.#sentIds;
    this.#tries += 1;
    this.#thoughts = 0;
    const ended = this.close();
    this.#sentIds = [];
    return [...ended, { type: 'CUSTOM', name: 'steersman.reset', value: { messageIds: dropped } }];
  }

  #say(delta: string): AgUiSpoken[] {
    const messageId = this.#messageId();
    const before = this.#endThought();
    if (this.#speaking === null) {
      this.#speaking = messageId;
      this.#sentIds.push(messageId);
      before.push({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', name: this.#role });
    }
    return [...before, { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }];
  }

  #think(delta: string): AgUiSpoken[] {
    if (this.#thinking !== null)
      return [{ type: 'REASONING_MESSAGE_CONTENT', messageId: this.#thinking, delta }];
    this.#thoughts += 1;
    const messageId = `${this.#messageId()}-thought-${this.#thoughts}`;
    this.#thinking = messageId;
    this.#sentIds.push(messageId);
    return [
      { type: 'REASONING_START', messageId },
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId, delta },
    ];
  }

  #endText(): AgUiSpoken[] {
    const messageId = this.#speaking;
    this.#speaking = null;
    return messageId === null ? [] : [{ type: 'TEXT_MESSAGE_END', messageId }];
  }

  #endThought(): AgUiSpoken[] {
    const messageId = this.#thinking;
    this.#thinking = null;
    if (messageId === null) return [];
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }

  #beside(event: RunEvent): AgUiSpoken[] {
    switch (event.type) {
      case 'model_call_ended':
        return (event.calls ?? []).flatMap(call => this.#call(call));
      case 'tool_call_started':
        return this.#started(event);
      case 'tool_call_ended': {
        const toolCallId = this.#callOf.get(event.callId) ?? `${this.#run}/${event.callId}`;
        const messageId = `${this.#run}/${event.messageId}`;
        return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, content: event.text, role: 'tool' }];
      }
      case 'user_message': {
        const messageId = `${this.#run}/said-${event.seq}`;
        return [
          { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant', name: event.role },
          { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: event.text },
          { type: 'TEXT_MESSAGE_END', messageId },
        ];
      }
      default:
        return PASSED_ON.has(event.type) ? [customOf(event)] : [];
    }
  }

  /** A call whose reply is no longer stored is sent when it begins; for an edited call, the new arguments are sent. */
  #started(event: Extract<RunEvent, { type: 'tool_call_started' }>): AgUiSpoken[] {
    const { tool: name, toolUseId: id = event.callId, edited } = event;
    const events = this.#call({ id, name, arguments: event.arguments });
    if (events.length > 0 || !edited) return events;
    const value = { toolCallId: this.#toolCall(event), arguments: event.arguments };
    return [{ type: 'CUSTOM', name: 'steersman.edited_call', value }];
  }

  #call({ id, name, arguments: input }: WrittenCall): AgUiSpoken[] {
    const toolCallId = `${this.#run}/${id}`;
    if (this.#calls.has(toolCallId)) return [];
    this.#calls.add(toolCallId);
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: name, parentMessageId: this.#messageId() },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: jsonOf(input) },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  #toolCall({ toolUseId, callId }: { toolUseId?: string; callId: string }): string {
    return `${this.#run}/${toolUseId ?? callId}`;
  }

  #messageId(): string {
    return this.#tries === 0 ? this.#message : `${this.#message}~${this.#tries + 1}`;
  }
}

/** Clients parse arguments as JSON. A model's unreadable text is the value of one field (SU5). */
function jsonOf(input: string): string {
  if (input.trim() === '') return '{}';
  return parseJson(input) === undefined ? JSON.stringify({ unreadable: input }) : input;
}

function customOf(event: RunEvent): AgUiSpoken {
  const { type, ...value } = event;
  return { type: 'CUSTOM', name: `steersman.${type}`, value };
}
