/** Each event with all that is known of the reply so far: for readers that replace what they show. */
import type { Usage } from '../../core/state/message.js';
import { ReplyText } from './reply-text.js';
import { oneAtATime, type Vocabulary } from './translate.js';

/** A reply as far as it is known. Texts are whole from their beginning, never pieces. */
export interface AgentSnapshot {
  success: boolean;
  content: string;
  reasoning_content: string | null;
  /** The first tool that the reply calls, with the beginning of its arguments as JSON; null for none. */
  routing: { type: 'tool_call'; tool_name: string; params: string } | null;
  token_usage: Usage | null;
  metadata: { turn: number; model: string };
}

export type SnapshotType = 'AGENT_START' | 'LLM_CHUNK' | 'LLM_COMPLETE' | 'AGENT_COMPLETE';

export interface SnapshotEvent {
  type: SnapshotType;
  /** The role. */
  agent: string;
  data: AgentSnapshot;
}

/** `AGENT_COMPLETE` comes when it is known what the reply leads to: at once, or with its first tool call. */
export function snapshots(): Vocabulary<SnapshotEvent> {
  const reply = new ReplyText();
  let agent = '';
  let data = empty(0, '');
  /** Replies that have called tools, of which none is known yet, by task. */
  const routing = new Map<string | null, SnapshotEvent>();
  const told = (type: SnapshotType): SnapshotEvent => ({ type, agent, data: { ...data } });

  return oneAtATime(event => {
    switch (event.type) {
      case 'model_call_started':
        reply.started(event.callId);
        agent = event.role;
        data = empty(event.turn, event.model);
        routing.delete(event.taskId);
        return [told('AGENT_START')];
      case 'model_call_ended':
        reply.ended(event.text);
        data = { ...data, content: reply.known('text'), token_usage: event.usage };
        if (event.toolCalls === 0) return [told('LLM_COMPLETE'), told('AGENT_COMPLETE')];
        routing.set(event.taskId, told('AGENT_COMPLETE'));
        return [told('LLM_COMPLETE')];
      case 'model_call_failed':
        reply.failed();
        data = { ...data, success: false, content: event.message };
        return [told('AGENT_COMPLETE')];
      case 'tool_call_started': {
        const complete = routing.get(event.taskId);
        if (!complete) return [];
        routing.delete(event.taskId);
        const to = { type: 'tool_call', tool_name: event.tool, params: event.arguments } as const;
        return [{ ...complete, data: { ...complete.data, routing: to } }];
      }
      case 'text': {
        const { reset, text } = reply.add(event);
        if (!reset && text === '') return [];
        const reasoning = reply.known('reasoning');
        data = {
          ...data,
          content: reply.known('text'),
          reasoning_content: reasoning === '' ? null : reasoning,
        };
        return [told('LLM_CHUNK')];
      }
      default:
        return [];
    }
  });
}

function empty(turn: number, model: string): AgentSnapshot {
  return {
    success: true,
    content: '',
    reasoning_content: null,
    routing: null,
    token_usage: null,
    metadata: { turn, model },
  };
}
