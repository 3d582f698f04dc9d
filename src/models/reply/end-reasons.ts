/** The words that endpoints end a reply with. Gateways pass on those of other protocols: one table for all of them. */
import type { ModelDelta } from '../provider/provider.js';

type StopReason = Extract<ModelDelta, { type: 'end' }>['stopReason'];

/** In small letters; the first that fits. Whether the reply calls tools decides where none does. */
const REASONS: readonly [RegExp, StopReason | 'broken_off'][] = [
  // Mistral, OpenRouter; vLLM, SGLang: github.com/vllm-project/vllm/issues/57082; Z.ai:
  // github.com/earendil-works/pi/issues/2313; DeepSeek: https://api-docs.deepseek.com/api/create-chat-completion
  [/^(error|abort|network_error|insufficient_system_resource)$/, 'broken_off'],
  // The call that Gemini wrote is not passed on: github.com/NousResearch/hermes-agent/pull/83882
  [/^function_call_filter|malformed_function_call|unexpected_tool_call/, 'broken_off'],
  // At the limit of the reply, or of the context; Mistral's word for that is `model_length`, and Z.ai has Anthropic's:
  // github.com/mozilla-ai/any-llm/pull/1204
  [/^(max_tokens|length|model_length|model_context_window_exceeded)$/, 'max_tokens'],
  // vLLM ends a reply that goes round in circles: once more it would again. github.com/BerriAI/litellm/pull/27101
  [/^repetition$/, 'max_tokens'],
  // Of tools that the endpoint runs itself, which nobody offers it: the message is not whole.
  [/^pause_turn$/, 'max_tokens'],
  // Gemini's endpoint says after it what was filtered, or that alone: github.com/HKUDS/Vibe-Trading/pull/308; Z.ai
  // says `sensitive`: github.com/langgenius/dify/issues/7559
  [/^(content_filter|(safety|recitation|blocklist|prohibited_content|spii|sensitive)$)/, 'content_filter'],
  [/^refusal$/, 'refusal'],
];

/** What its server gave up is no reply, though some say so as if it were one: an error with words, or null. */
export function brokenOff(reason: unknown): { message: string } | null {
  if (meaningOf(reason) !== 'broken_off') return null;
  return { message: `The reply was ended with the finish reason "${reason}".` };
}

/** Some endpoints say `stop` with tool calls, or `tool_calls` with none: the calls decide. */
export function stopReasonOf(reason: unknown, calls: number): StopReason {
  const meaning = meaningOf(reason);
  if (meaning !== undefined && meaning !== 'broken_off') return meaning;
  return calls > 0 ? 'tool_use' : 'end_turn';
}

function meaningOf(reason: unknown): StopReason | 'broken_off' | undefined {
  const word = typeof reason === 'string' ? reason.toLowerCase() : '';
  return REASONS.find(([words]) => words.test(word))?.[1];
}
