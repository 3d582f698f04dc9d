/** The finish reasons of all protocols in one table, because gateways pass on those of other protocols. */
import type { ModelDelta } from '../provider/provider.js';

type StopReason = Extract<ModelDelta, { type: 'end' }>['stopReason'];

/** Matched against the reason in lower case; the first match counts. If no row matches, the presence of tool calls decides. */
const REASONS: readonly [RegExp, StopReason | 'broken_off'][] = [
  // Mistral, OpenRouter; vLLM, SGLang: github.com/vllm-project/vllm/issues/57082; Z.ai:
  // github.com/earendil-works/pi/issues/2313; DeepSeek: https://api-docs.deepseek.com/api/create-chat-completion
  [/^(error|abort|network_error|insufficient_system_resource)$/, 'broken_off'],
  // Gemini's call is not passed on: github.com/NousResearch/hermes-agent/pull/83882
  [/^function_call_filter|malformed_function_call|unexpected_tool_call/, 'broken_off'],
  // The limit of the reply or of the context is reached. Mistral says `model_length`; Z.ai has Anthropic's word:
  // github.com/mozilla-ai/any-llm/pull/1204
  [/^(max_tokens|length|model_length|model_context_window_exceeded)$/, 'max_tokens'],
  // vLLM ends a reply that repeats itself; another attempt would repeat itself too.
  // github.com/BerriAI/litellm/pull/27101
  [/^repetition$/, 'max_tokens'],
  // The reply paused for a tool that the endpoint runs itself. Such tools are never offered, so the message is
  // incomplete.
  [/^pause_turn$/, 'max_tokens'],
  // Gemini's endpoint adds to it what was filtered, or sends only that: github.com/HKUDS/Vibe-Trading/pull/308. Z.ai
  // sends `sensitive`: github.com/langgenius/dify/issues/7559
  [/^(content_filter|(safety|recitation|blocklist|prohibited_content|spii|sensitive)$)/, 'content_filter'],
  [/^refusal$/, 'refusal'],
];

/**
 * Returns an error if the reason states that the server gave up the reply; null for all other reasons. Some endpoints
 * report a failure as if it were the end of a reply.
 */
export function brokenOff(reason: unknown): { message: string } | null {
  if (meaningOf(reason) !== 'broken_off') return null;
  return { message: `The reply was ended with the finish reason "${reason}".` };
}

/** Returns the stop reason. Some endpoints send `stop` with tool calls, or `tool_calls` without any, so the calls decide. */
export function stopReasonOf(reason: unknown, calls: number): StopReason {
  const meaning = meaningOf(reason);
  if (meaning !== undefined && meaning !== 'broken_off') return meaning;
  return calls > 0 ? 'tool_use' : 'end_turn';
}

function meaningOf(reason: unknown): StopReason | 'broken_off' | undefined {
  const word = typeof reason === 'string' ? reason.toLowerCase() : '';
  return REASONS.find(([words]) => words.test(word))?.[1];
}
