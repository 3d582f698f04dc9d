/** A run as one stream of chunks: what it thinks, what its tools do, its answer, and why it finished. */
import { FAILURE } from '../../core/limits/failure.js';
import type { ToolProgress } from '../../core/limits/heartbeats.js';
import type { StopReason } from '../../core/state/message.js';
import { type Addition, ReplyText } from './reply-text.js';
import { oneAtATime, type Vocabulary } from './translate.js';

/** `cancelled`: a person interrupted the reply. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'cancelled';

/** Stop reasons in the words of chat completions. */
const FINISH_REASONS: Readonly<Record<StopReason, FinishReason>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  interrupted: 'cancelled',
};

const DECLINED: ReadonlySet<string> = new Set([FAILURE.model.refused, FAILURE.model.contentFilter]);

export type Chunk =
  /** Reasoning. */
  | { type: 'thought'; agent: string; text: string }
  /** The answer, and what roles say to the person meanwhile. */
  | { type: 'answer'; agent: string; text: string }
  | { type: 'tool'; id: string; name: string; status: 'running' | 'done' | 'failed'; text: string }
  /** How far a tool is, where its server tells. */
  | { type: 'tool_progress'; id: string; name: string; progress: number; total: number | null }
  | { type: 'reset'; agent: string }
  /** A reply is whole. */
  | { type: 'reply_end'; agent: string; finish_reason: FinishReason }
  /** The last one. */
  | { type: 'final'; outcome: string; text: string };

export function chunks(): Vocabulary<Chunk> {
  const reply = new ReplyText();
  let agent = '';
  const said = ({ reset, text }: Addition, type: 'answer' | 'thought'): Chunk[] => [
    ...(reset ? [{ type: 'reset', agent } as const] : []),
    ...(text === '' ? [] : [{ type, agent, text }]),
  ];

  return oneAtATime(event => {
    switch (event.type) {
      case 'model_call_started':
        reply.started(event.callId, event.answers ? 'answer' : 'nothing');
        agent = event.role;
        return [];
      case 'model_call_ended': {
        const finish_reason = FINISH_REASONS[event.stopReason];
        return [
          ...said(reply.ended(event.text), 'answer'),
          { type: 'reply_end', agent: event.role, finish_reason },
        ];
      }
      case 'model_call_failed':
        // What it had said is no part of the conversation.
        return [
          ...said(reply.failed(), 'answer'),
          ...(DECLINED.has(event.failure)
            ? [{ type: 'reply_end', agent, finish_reason: 'content_filter' } as const]
            : []),
        ];
      case 'goal_ended':
        return said(reply.answered(event.answer), 'answer');
      case 'user_message':
        return [{ type: 'answer', agent: event.role, text: event.text }];
      case 'tool_call_started':
        return [
          { type: 'tool', id: event.callId, name: event.tool, status: 'running', text: event.arguments },
        ];
      case 'tool_call_ended': {
        const status = event.isError ? 'failed' : 'done';
        return [{ type: 'tool', id: event.callId, name: event.tool, status, text: event.text }];
      }
      case 'text':
        if (event.channel === 'tool_input') return [];
        return said(reply.add(event), event.channel === 'text' ? 'answer' : 'thought');
      case 'tool_progress':
        return progressOf(event);
      case 'end':
        return [
          {
            type: 'final',
            outcome: event.end.outcome ?? event.end.status,
            text: event.end.result?.text ?? '',
          },
        ];
      default:
        return [];
    }
  });
}

function progressOf({ callId, tool, progress, total }: ToolProgress): Chunk[] {
  // Words alone have no place there.
  if (progress === undefined) return [];
  return [{ type: 'tool_progress', id: callId, name: tool, progress, total: total ?? null }];
}
