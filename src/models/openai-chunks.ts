/** Chat completion chunks as canonical deltas (V3), lenient where endpoints differ. */
import type OpenAI from 'openai';
import { FAILURE } from '../core/failure.js';
import { ModelCallError } from './model-call-error.js';
import type { ModelDelta, ReportedUsage } from './provider.js';

type Chunk = OpenAI.Chat.ChatCompletionChunk;
type WireCall = OpenAI.Chat.ChatCompletionChunk.Choice.Delta.ToolCall;

/** Fields that endpoints use for thinking text, which the SDK's types don't know (M12). */
interface ReasoningFields {
  reasoning_content?: unknown;
  reasoning?: unknown;
}

/** Reads the first choice. A `content_filter` end throws (C28, M13), naming `where` the model is. */
export async function* readChunks(chunks: AsyncIterable<Chunk>, where: string): AsyncIterable<ModelDelta> {
  const position = { text: 0, reasoning: 0 };
  const calls = new CallPositions();
  for await (const chunk of chunks) {
    const choice = chunk.choices?.[0];
    const delta = choice?.delta;
    if (delta) {
      const reasoning = reasoningOf(delta);
      if (reasoning !== '') {
        yield { type: 'reasoning', offset: position.reasoning, text: reasoning };
        position.reasoning += reasoning.length;
      }
      const text = `${delta.content ?? ''}${delta.refusal ?? ''}`;
      if (text !== '') {
        yield { type: 'text', offset: position.text, text };
        position.text += text.length;
      }
      for (const call of delta.tool_calls ?? []) yield* calls.read(call);
    }
    if (chunk.usage) yield { type: 'usage', usage: toUsage(chunk.usage) };
    if (choice?.finish_reason) {
      const stopReason = toStopReason(choice.finish_reason, calls.count, where);
      yield { type: 'end', stopReason, servedModel: chunk.model || null };
    }
  }
}

/** Tells the calls of one reply apart by their index, or by id where an endpoint numbers all of them 0. */
class CallPositions {
  readonly #calls: { wireIndex: number; id: string | null; chars: number }[] = [];

  get count(): number {
    return this.#calls.length;
  }

  *read(part: WireCall): Iterable<ModelDelta> {
    let at = this.#find(part);
    if (at < 0) {
      at = this.#calls.length;
      this.#calls.push({ wireIndex: part.index ?? at, id: part.id || null, chars: 0 });
      yield { type: 'tool_start', index: at, id: part.id || null, name: part.function?.name ?? '' };
    }
    const text = part.function?.arguments ?? '';
    const call = this.#calls[at];
    if (text === '' || !call) return;
    yield { type: 'tool_input', index: at, offset: call.chars, text };
    call.chars += text.length;
  }

  #find(part: WireCall): number {
    const sameIndex = (wireIndex: number) =>
      part.index === undefined || part.index === null || wireIndex === part.index;
    return this.#calls.findLastIndex(call => {
      if (!sameIndex(call.wireIndex)) return false;
      return !part.id || call.id === null || call.id === part.id;
    });
  }
}

function reasoningOf(delta: object): string {
  const { reasoning_content, reasoning } = delta as ReasoningFields;
  if (typeof reasoning_content === 'string') return reasoning_content;
  return typeof reasoning === 'string' ? reasoning : '';
}

function toUsage(usage: OpenAI.CompletionUsage): ReportedUsage {
  return {
    inputTokens: usage.prompt_tokens ?? 0,
    outputTokens: usage.completion_tokens ?? 0,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

/** M13. Some endpoints say `stop` with tool calls, or `tool_calls` with none: the calls decide. */
function toStopReason(finish: string, calls: number, where: string): 'end_turn' | 'tool_use' | 'max_tokens' {
  switch (finish) {
    case 'length':
      return 'max_tokens';
    case 'content_filter':
      throw new ModelCallError(
        FAILURE.model.contentFilter,
        `${where} stopped its reply with a content filter. Word the goal otherwise, or use another model.`,
      );
    default:
      return calls > 0 ? 'tool_use' : 'end_turn';
  }
}
