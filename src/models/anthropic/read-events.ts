/** Reads the events of a streamed message as canonical deltas. The shape of every event is checked before use. */
import { isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta, ReportedUsage } from '../provider/provider.js';
import { stopReasonOf } from '../reply/end-reasons.js';
import { tokens, type Wire } from '../reply/reply-bounds.js';
import { MessageBlocks } from './message-blocks.js';

/** A message that exceeds `REPLY_BOUNDS` ends there, as if it had reached its output limit. */
export async function* readMessage(events: AsyncIterable<unknown>): AsyncIterable<ModelDelta> {
  const message = new StreamedMessage();
  for await (const event of events) {
    if (!isRecord(event)) continue;
    yield* message.read(event);
    if (message.isDone) return;
  }
  yield* message.close();
}

class StreamedMessage {
  #blocks = new MessageBlocks();
  /** A second `message_start` has arrived. The index of the next block tells whether the same message begins again. */
  #mayRestart = false;
  #servedModel: string | null = null;
  #usage: Wire = {};
  #stop: Wire = {};
  #ended = false;
  isDone = false;

  *read(event: Wire): Iterable<ModelDelta> {
    if (event.type === 'message_start') this.#mayRestart = this.#blocks.count > 0;
    if (this.#mayRestart && event.type === 'content_block_start') yield* this.#restart(event.index);
    for (const delta of this.#blocks.read(event)) {
      this.#ended = false;
      yield delta;
    }
    if (event.type === 'message_start' && isRecord(event.message)) {
      this.#servedModel = stringOr(event.message.model, '') || null;
      this.#usage = { ...this.#usage, ...definedFields(event.message.usage) };
    }
    if (event.type === 'message_delta') {
      this.#usage = { ...this.#usage, ...definedFields(event.usage) };
      this.#stop = { ...this.#stop, ...definedFields(event.delta) };
      // The stop reason ends the message, because some gateways send nothing after it.
      if (this.#hasReason) yield* this.#end();
    }
    this.isDone = event.type === 'message_stop' || this.#blocks.full;
    if (this.isDone && !this.#ended) yield* this.#end();
  }

  /** Ends the reply when the endpoint has closed the connection properly. */
  *close(): Iterable<ModelDelta> {
    if (this.#hasReason && !this.#ended) yield* this.#end();
  }

  get #hasReason(): boolean {
    return typeof this.#stop.stop_reason === 'string';
  }

  /** Some gateways switch to another server in the middle of a reply and pass on its stream from the start. */
  *#restart(index: unknown): Iterable<ModelDelta> {
    this.#mayRestart = false;
    if (!this.#blocks.has(index)) return;
    this.#blocks = new MessageBlocks();
    this.#stop = {};
    this.#ended = false;
    yield { type: 'restart' };
  }

  *#end(): Iterable<ModelDelta> {
    const { calls, full } = this.#blocks;
    const stopReason = full ? 'max_tokens' : stopReasonOf(this.#stop.stop_reason, calls);
    if (stopReason === 'refusal') yield* this.#blocks.say(explanation(this.#stop.stop_details));
    if (stopReason !== 'max_tokens') yield* this.#blocks.end(this.#hasReason);
    if ('output_tokens' in this.#usage) yield { type: 'usage', usage: toUsage(this.#usage) };
    yield { type: 'end', stopReason, servedModel: this.#servedModel };
    this.#ended = true;
  }
}

/** Returns the stream events that are equivalent to a whole message; any other body is returned as the only event. */
export function eventsOfMessage(body: unknown): unknown[] {
  if (!isRecord(body) || !Array.isArray(body.content)) return [body];
  const { content, usage, stop_reason, stop_details } = body;
  return [
    { type: 'message_start', message: body },
    ...content.flatMap((content_block: unknown, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_details }, usage },
    { type: 'message_stop' },
  ];
}

/** Drops fields without a value, so that a later count replaces an earlier one only if it states something. */
function definedFields(given: unknown): Wire {
  if (!isRecord(given)) return {};
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
}

function toUsage(usage: Wire): ReportedUsage {
  const cachedInputTokens = tokens(usage.cache_read_input_tokens);
  const cacheWriteInputTokens = tokens(usage.cache_creation_input_tokens);
  const details = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    // The API's `input_tokens` excludes tokens that were read from or written to the cache.
    inputTokens: tokens(usage.input_tokens) + cachedInputTokens + cacheWriteInputTokens,
    outputTokens: tokens(usage.output_tokens),
    cachedInputTokens,
    ...(cacheWriteInputTokens === 0 ? {} : { cacheWriteInputTokens }),
    reasoningTokens: tokens(details.thinking_tokens),
  };
}

function explanation(details: unknown): string {
  return isRecord(details) ? stringOr(details.explanation, '') : '';
}
