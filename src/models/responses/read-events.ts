/** Events of a streamed response as canonical deltas, lenient where endpoints differ: nothing in them is believed. */
import { isRecord, stringOr } from '../../core/text/json.js';
import type { ModelDelta, ReportedUsage } from '../provider.js';
import { Repeats } from './repeats.js';
import { ResponseItems } from './response-items.js';

type Wire = Record<string, unknown>;

/** A reply that grows over `REPLY_BOUNDS` ends there, as one that was cut at its output limit. */
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

/** As reported: what is no number becomes NaN, for `believedUsage` to turn down. */
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

function tokens(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return typeof value === 'number' ? value : Number.NaN;
}
