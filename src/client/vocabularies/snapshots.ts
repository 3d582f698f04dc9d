/** Returns the complete known reply with each event, for readers that replace their display. */

import { isRecord, parseJson } from '../../base/json/json.js';
import { readInstruction } from '../../rules/agents/subagent.js';
import type { Usage, WrittenCall } from '../../run/messages/message.js';
import type { RunEvent } from '../watch/run-event.js';
import { ReplyText } from './reply-text.js';
import { chatCall, type StreamToolCall } from './stream-events.js';
import { oneAtATime, type Vocabulary } from './translate.js';

/** A reply as far as it is known. Texts are complete from their beginning. */
export interface AgentSnapshot {
  success: boolean;
  content: string;
  reasoning_content: string | null;
  /** The calls of this reply. */
  tool_calls: StreamToolCall[];
  /** Earlier calls of this invocation of the role, with their results. */
  tool_interactions: ToolInteraction[];
  /** The target of its first call; null without calls. */
  routing: Routing | null;
  token_usage: Usage | null;
  metadata: { turn: number; model: string };
}

/** `params`: empty if the model's arguments are not an object. */
export type Routing =
  | { type: 'tool_call'; tool_name: string; params: Record<string, unknown> }
  | { type: 'subagent'; target: string; instruction: string };

export interface ToolInteraction {
  tool_call_id: string;
  tool_name: string;
  params: Record<string, unknown>;
  /** At most 200 characters on one line; `cut`: the transcript has more. */
  result: string;
  cut: boolean;
  success: boolean;
}

export type SnapshotType = 'AGENT_START' | 'LLM_CHUNK' | 'LLM_COMPLETE' | 'AGENT_COMPLETE';

export interface SnapshotEvent {
  type: SnapshotType;
  /** The role. */
  agent: string;
  /** The sub-agent's path below the run, such as `search/1`; absent for the run's own roles. */
  path?: string;
  data: AgentSnapshot;
}

/** Covers the run and its sub-agents, each by itself. */
export function snapshots(): Vocabulary<SnapshotEvent> {
  const ofPath = new Map<string, Vocabulary<SnapshotEvent>>();
  return event => {
    const { path = '' } = event;
    const translation = ofPath.get(path) ?? snapshotsOfOne();
    ofPath.set(path, translation);
    const { path: _path, ...own } = event;
    return translation(own).map(snapshot => (path === '' ? snapshot : { ...snapshot, path }));
  };
}

function snapshotsOfOne(): Vocabulary<SnapshotEvent> {
  const reply = new ReplyText();
  const interactions = new Interactions();
  let agent = '';
  let data = empty(0, '');
  const snapshot = (type: SnapshotType): SnapshotEvent => ({ type, agent, data: { ...data } });
  const reasoning = () => reply.known('reasoning') || null;

  return oneAtATime(event => {
    interactions.take(event);
    switch (event.type) {
      case 'model_call_started':
        reply.started(event.callId);
        agent = event.role;
        data = { ...empty(event.turn, event.model), tool_interactions: interactions.of(event.taskId) };
        return [snapshot('AGENT_START')];
      case 'model_call_ended': {
        const { calls = [], usage } = event;
        reply.ended(event);
        const content = reply.known('text');
        data = { ...data, content, reasoning_content: reasoning(), token_usage: usage };
        const complete = snapshot('LLM_COMPLETE');
        data = { ...data, tool_calls: calls.map(chatCall), routing: routingOf(calls) };
        return [complete, snapshot('AGENT_COMPLETE')];
      }
      case 'model_call_failed':
        reply.failed();
        data = { ...data, success: false, content: event.message };
        return [snapshot('AGENT_COMPLETE')];
      case 'text':
        if (reply.add(event).length === 0) return [];
        data = { ...data, content: reply.known('text'), reasoning_content: reasoning() };
        return [snapshot('LLM_CHUNK')];
      default:
        return [];
    }
  });
}

/** Collects tool results by the role's invocation that called the tools. */
class Interactions {
  readonly #lists = new Map<string, ToolInteraction[]>();
  /** The role that works on a task. */
  readonly #roles = new Map<string | null, string>();
  readonly #open = new Map<string, Pick<ToolInteraction, 'tool_call_id' | 'params'>>();

  take(event: RunEvent): void {
    switch (event.type) {
      case 'goal_started':
        this.#lists.clear();
        this.#roles.clear();
        return;
      case 'model_call_started':
        this.#roles.set(event.taskId, event.role);
        if (event.round === 1) this.#lists.delete(this.#keyOf(event.taskId));
        return;
      case 'tool_call_started': {
        const { toolUseId = event.callId } = event;
        this.#open.set(event.callId, { tool_call_id: toolUseId, params: objectIn(event.arguments) });
        return;
      }
      case 'tool_call_ended': {
        const { callId, tool, text, cut = false, isError, taskId } = event;
        const { tool_call_id = callId, params = {} } = this.#open.get(callId) ?? {};
        this.#open.delete(callId);
        const facts = { tool_call_id, tool_name: tool, params, result: text, cut };
        const interaction = { ...facts, success: !isError };
        this.#lists.set(this.#keyOf(taskId), [...this.of(taskId), interaction]);
      }
    }
  }

  of(task: string | null): ToolInteraction[] {
    return this.#lists.get(this.#keyOf(task)) ?? [];
  }

  #keyOf(task: string | null): string {
    return `${this.#roles.get(task) ?? ''} ${task ?? ''}`;
  }
}

function routingOf([call]: readonly WrittenCall[]): Routing | null {
  if (!call) return null;
  const params = objectIn(call.arguments);
  if (call.name !== 'call_subagent') return { type: 'tool_call', tool_name: call.name, params };
  const { agent: target, text: instruction } = readInstruction(params);
  return { type: 'subagent', target, instruction };
}

function objectIn(json: string): Record<string, unknown> {
  const value = parseJson(json);
  return isRecord(value) ? value : {};
}

function empty(turn: number, model: string): AgentSnapshot {
  return {
    success: true,
    content: '',
    tool_calls: [],
    tool_interactions: [],
    reasoning_content: null,
    routing: null,
    token_usage: null,
    metadata: { turn, model },
  };
}
