/** Translates a run into one stream of chunks: steps of its plan, reasoning, tool calls, its answer, and the finish reason. */
import { FAILURE } from '../../run/limits/failure.js';
import type { ToolProgress } from '../../run/limits/heartbeats.js';
import type { StopReason } from '../../run/messages/message.js';
import type { RunEvent } from '../watch/run-event.js';
import { type Addition, ReplyText } from './reply-text.js';
import { oneAtATime, type Vocabulary } from './translate.js';

/** `cancelled`: a person interrupted the reply. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'cancelled';

/** Stop reasons as named by chat completions. */
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
  /** The step of a plan that the following chunks belong to. */
  | { type: 'step'; id: string; description: string }
  /** Reasoning, and a reply's text next to its tool calls. */
  | { type: 'thought'; agent: string; text: string }
  /** The answer, and messages of roles to the person before it. */
  | { type: 'answer'; agent: string; text: string }
  | { type: 'tool'; id: string; name: string; status: 'running' | 'done' | 'failed'; text: string }
  /** Progress of a tool, if its server reports it. */
  | { type: 'tool_progress'; id: string; name: string; progress: number; total: number | null }
  | { type: 'reset'; agent: string }
  /** A reply is complete. */
  | { type: 'reply_end'; agent: string; finish_reason: FinishReason }
  /** The last chunk. */
  | { type: 'final'; outcome: string; text: string };

export function chunks(): Vocabulary<Chunk> {
  const reply = new ReplyText({ thinksAloud: true });
  const steps = new Map<string, string>();
  let step: string | null = null;
  let agent = '';
  return oneAtATime(event => {
    if (event.type === 'task_started') steps.set(event.taskId, event.description);
    const chunks: Chunk[] = [];
    if (event.type === 'model_call_started') {
      const { taskId, role } = event;
      agent = role;
      const description = taskId === step ? undefined : steps.get(taskId ?? '');
      if (taskId !== null && description !== undefined)
        chunks.push({ type: 'step', id: taskId, description });
      step = taskId;
    }
    return [
      ...chunks,
      ...reply.heard(event).map(added => ofAddition(added, agent)),
      ...chunksOf(event, agent),
    ];
  });
}

function ofAddition(added: Addition, agent: string): Chunk {
  if (added.kind === 'reset') return { type: 'reset', agent };
  return { type: added.kind === 'thought' ? 'thought' : 'answer', agent, text: added.text };
}

/** Returns chunks other than the text of replies. `agent`: the role of the current reply. */
function chunksOf(event: RunEvent, agent: string): Chunk[] {
  switch (event.type) {
    case 'model_call_ended':
      return [{ type: 'reply_end', agent: event.role, finish_reason: FINISH_REASONS[event.stopReason] }];
    case 'model_call_failed':
      // The partial text of a failed call is not part of the conversation.
      return DECLINED.has(event.failure)
        ? [{ type: 'reply_end', agent, finish_reason: 'content_filter' }]
        : [];
    case 'user_message':
      return [{ type: 'answer', agent: event.role, text: event.text }];
    case 'tool_call_started':
      return [{ type: 'tool', id: event.callId, name: event.tool, status: 'running', text: event.arguments }];
    case 'tool_call_ended': {
      const status = event.isError ? 'failed' : 'done';
      return [{ type: 'tool', id: event.callId, name: event.tool, status, text: event.text }];
    }
    case 'tool_progress':
      return progressOf(event);
    case 'end': {
      const { outcome, status, result } = event.end;
      return [{ type: 'final', outcome: outcome ?? status, text: result?.text ?? '' }];
    }
    default:
      return [];
  }
}

function progressOf({ callId, tool, progress, total }: ToolProgress): Chunk[] {
  // A progress message without a number has no chunk.
  if (progress === undefined) return [];
  return [{ type: 'tool_progress', id: callId, name: tool, progress, total: total ?? null }];
}
