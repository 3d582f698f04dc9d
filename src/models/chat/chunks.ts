/** Reads chat completion chunks as canonical deltas, leniently. The shape of every chunk is checked before use. */
import { isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta, ReportedUsage } from '../provider/provider.js';
import { stopReasonOf } from '../reply/end-reasons.js';
import { type Channel, ReplyParts, tokens, type Wire } from '../reply/reply-bounds.js';
import { type SplitText, ThinkSplitter } from '../reply/think-tags.js';
import { ReasoningBack } from './reasoning-back.js';
import { ToolCalls } from './tool-call-parts.js';

/**
 * Reads the first reply (index 0). A reply that exceeds `REPLY_BOUNDS` ends there, as if it had reached its output
 * limit. Some endpoints send a finish reason with every chunk, so reading continues after one.
 */
export async function* readChunks(chunks: AsyncIterable<unknown>): AsyncIterable<ModelDelta> {
  const reply = new ChatReply();
  for await (const chunk of chunks) {
    // Some endpoints keep the connection alive with `data: null`.
    if (!isRecord(chunk)) continue;
    yield* reply.read(chunk);
    if (reply.isDone) return;
  }
  yield* reply.close();
}

class ChatReply {
  readonly #back = new ReasoningBack();
  readonly #channels = new Channels(this.#back);
  readonly #calls = new ToolCalls();
  #servedModel: string | null = null;
  #ended = false;
  /** True if usage has arrived and no part of the reply has followed it. */
  #counted = false;
  isDone = false;

  *read(chunk: Wire): Iterable<ModelDelta> {
    this.#servedModel = stringOr(chunk.model, '') || this.#servedModel;
    const choices = choicesOf(chunk.choices);
    let says = false;
    for (const choice of choices) {
      for (const delta of this.#partsOf(choice)) {
        says = true;
        this.#ended = false;
        yield delta;
      }
    }
    this.isDone = this.#channels.full || this.#calls.full;
    if (this.isDone) return yield* this.#end('length');
    if (isRecord(chunk.usage)) {
      yield { type: 'usage', usage: toUsage(chunk.usage) };
      // Some servers keep the connection open after the reply.
      this.isDone = this.#ended && choices.length === 0;
    }
    this.#counted = !says && (this.#counted || isRecord(chunk.usage));
    const finish = choices.map(choice => stringOr(choice.finish_reason, '')).findLast(said => said !== '');
    if (finish !== undefined) yield* this.#end(finish);
  }

  /** Ends the reply after a proper end of connection. Without a finish reason it is complete if its usage came last. */
  *close(): Iterable<ModelDelta> {
    const isWhole =
      this.#counted && this.#calls.areWhole && (this.#channels.hasText || this.#calls.count > 0);
    if (!this.#ended && isWhole) yield* this.#end('');
  }

  *#partsOf(choice: Wire): Iterable<ModelDelta> {
    // Some endpoints that do not stream send the whole reply as one event, in the form of a non-streamed answer.
    const delta = choice.delta ?? choice.message;
    if (!isRecord(delta)) return;
    this.#back.read(delta);
    yield* this.#channels.read(delta);
    yield* this.#calls.read(callsIn(delta));
  }

  *#end(finish: string): Iterable<ModelDelta> {
    yield* this.#channels.end();
    const { count } = this.#calls;
    yield* this.#back.end(count);
    yield* this.#calls.end();
    this.#ended = true;
    const isRefusal = this.#channels.refused && count === 0;
    const stopReason = isRefusal ? 'refusal' : stopReasonOf(finish, count);
    yield { type: 'end', stopReason, servedModel: this.#servedModel };
  }
}

/** Returns the tool calls of a delta as a list. Older endpoints send a single call as `function_call`. */
function callsIn({ tool_calls, function_call }: Wire): unknown {
  if (Array.isArray(tool_calls) && tool_calls.length > 0) return tool_calls;
  return isRecord(function_call) && (function_call.name || function_call.arguments)
    ? [{ function: function_call }]
    : undefined;
}

/**
 * Returns the choices with index 0. GitHub Copilot sends the text in one such choice and the calls in the next. Other
 * indexes are further replies, which were not requested.
 */
function choicesOf(choices: unknown): Wire[] {
  if (!Array.isArray(choices)) return [];
  return choices.filter(isRecord).filter(choice => Number(choice.index ?? 0) === 0);
}

class Channels extends ReplyParts {
  readonly #thinking = new ThinkSplitter();
  readonly #back: ReasoningBack;
  /** True if the model refused, in words. */
  refused = false;

  constructor(back: ReasoningBack) {
    super();
    this.#back = back;
  }

  get hasText(): boolean {
    return this.chars.text > 0;
  }

  *read(delta: Wire): Iterable<ModelDelta> {
    const field = stringOr(delta.reasoning_content, '') === '' ? 'reasoning' : 'reasoning_content';
    const reasoning = stringOr(delta[field], '');
    if (reasoning !== '') this.#back.came(field);
    yield* this.put('reasoning', reasoning);
    const refusal = stringOr(delta.refusal, '');
    this.refused ||= refusal !== '';
    const content = readContent(delta.content);
    yield* this.put('reasoning', content.reasoning);
    yield* this.#putSplit(this.#thinking.add(content.text + refusal));
  }

  /** Releases text that was held back because it could have been the beginning of a thinking tag. */
  *end(): Iterable<ModelDelta> {
    yield* this.#putSplit(this.#thinking.end());
  }

  *#putSplit(parts: readonly SplitText[]): Iterable<ModelDelta> {
    for (const { channel, text } of parts) {
      if (channel === 'reasoning' && text !== '' && this.#thinking.isInThinkTags) this.#back.came('content');
      yield* this.put(channel, text);
    }
  }
}

/** Some endpoints send the content as a list of parts, some of which are thinking. */
function readContent(content: unknown): Record<Channel, string> {
  if (typeof content === 'string') return { text: content, reasoning: '' };
  const read = { text: '', reasoning: '' };
  for (const part of Array.isArray(content) ? content : [content]) {
    if (typeof part === 'string') read.text += part;
    else if (isRecord(part)) read[isThinking(part) ? 'reasoning' : 'text'] += partText(part);
  }
  return read;
}

function isThinking({ type }: Wire): boolean {
  return type === 'thinking' || type === 'reasoning';
}

function partText(part: Wire): string {
  for (const field of [part.text, part.thinking, part.reasoning]) {
    if (typeof field === 'string') return field;
    if (Array.isArray(field))
      return field.map(inner => (isRecord(inner) ? stringOr(inner.text, '') : '')).join('');
  }
  return '';
}

function toUsage(usage: Wire): ReportedUsage {
  return {
    inputTokens: tokens(usage.prompt_tokens),
    outputTokens: tokens(usage.completion_tokens),
    cachedInputTokens: tokens(
      // DeepSeek has its own name for cached tokens: https://api-docs.deepseek.com/guides/kv_cache
      inside(usage.prompt_tokens_details, 'cached_tokens') ?? usage.prompt_cache_hit_tokens,
    ),
    reasoningTokens: tokens(inside(usage.completion_tokens_details, 'reasoning_tokens')),
  };
}

function inside(details: unknown, key: string): unknown {
  return isRecord(details) ? details[key] : undefined;
}
