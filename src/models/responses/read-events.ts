/** Reads the events of a streamed response as canonical deltas, leniently. The shape of every event is checked before use. */
import { createHash } from 'node:crypto';
import { canonicalJson, isRecord, stringOr } from '../../base/json/json.js';
import type { ModelDelta, ReportedUsage } from '../provider/provider.js';
import { tokens, type Wire } from '../reply/reply-bounds.js';
import { ResponseItems } from './response-items.js';

/** A reply that exceeds `REPLY_BOUNDS` ends there, as if it had reached its output limit. */
export async function* readResponse(events: AsyncIterable<unknown>): AsyncIterable<ModelDelta> {
  const items = new ResponseItems();
  const repeats = new Repeats();
  let servedModel: string | null = null;
  for await (const event of events) {
    if (!isRecord(event) || repeats.has(event)) continue;
    const response = isRecord(event.response) ? event.response : {};
    servedModel = stringOr(response.model, '') || servedModel;
    yield* items.read(event);
    if (items.full) {
      yield* items.end();
      yield { type: 'end', stopReason: 'max_tokens', servedModel };
      return;
    }
    if (event.type !== 'response.completed' && event.type !== 'response.incomplete') continue;
    yield* items.readWhole(response.output);
    yield* items.end();
    if (isRecord(response.usage)) yield { type: 'usage', usage: toUsage(response.usage) };
    yield { type: 'end', stopReason: stopReasonOf(response, items), servedModel };
    return;
  }
}

function stopReasonOf(
  response: Wire,
  items: ResponseItems,
): Extract<ModelDelta, { type: 'end' }>['stopReason'] {
  const details = isRecord(response.incomplete_details) ? response.incomplete_details : {};
  if (details.reason === 'content_filter') return 'content_filter';
  if (response.status === 'incomplete') return 'max_tokens';
  if (items.calls > 0) return 'tool_use';
  return items.refused ? 'refusal' : 'end_turn';
}

function toUsage(usage: Wire): ReportedUsage {
  const input = isRecord(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isRecord(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const written = tokens(input.cache_write_tokens);
  return {
    inputTokens: tokens(usage.input_tokens),
    outputTokens: tokens(usage.output_tokens),
    cachedInputTokens: tokens(input.cached_tokens),
    ...(written === 0 ? {} : { cacheWriteInputTokens: written }),
    reasoningTokens: tokens(output.reasoning_tokens),
  };
}

/** Event numbers to remember: far more than a reply has. */
const MOST_KEPT = 200_000;

/** Detects events that a gateway sends twice. Their sequence numbers distinguish them from text that a model repeats. */
class Repeats {
  readonly #seen = new Map<number, string>();
  /** False once two different events had the same number, as with some endpoints; numbers then prove nothing. */
  #isNumbered = true;

  /** True if the same event has arrived before. */
  has(event: Record<string, unknown>): boolean {
    const { sequence_number: number } = event;
    if (typeof number !== 'number' || !this.#isNumbered) return false;
    const digest = createHash('sha1').update(canonicalJson(event)).digest('base64');
    const known = this.#seen.get(number);
    this.#isNumbered = known === undefined || known === digest;
    if (known === undefined && this.#seen.size < MOST_KEPT) this.#seen.set(number, digest);
    return known === digest;
  }
}

/** Returns a response that was not streamed as events. */
export function wholeResponse(body: unknown): unknown[] {
  return isRecord(body) && body.object === 'response'
    ? [{ type: `response.${body.status}`, response: body }]
    : [body];
}
