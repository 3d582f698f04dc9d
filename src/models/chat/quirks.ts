/**
 * What endpoints of chat completions are known to refuse, and what is sent to them instead. Hosts that are known get it
 * at once; from any other endpoint it is learnt, by what it says. What they send is read leniently whoever they are:
 * `chunks.ts`, `tool-call-parts.ts`. Each line has its public source.
 */
import { effortOption } from '../openai/openai-provider.js';
import type { RefusableOption } from '../request/refused-options.js';
import {
  messages,
  withNoReasoning,
  withOneUserAtATime,
  withReasoning,
  withReplyAfterTools,
  withShortIds,
  withSignatures,
  withSystemInUser,
} from './message-quirks.js';

const same = (given: unknown) => given;

const OPTIONS: readonly RefusableOption[] = [
  {
    // DeepSeek knows JSON, but no schema: github.com/BerriAI/litellm/pull/31466. LM Studio knows a schema, but no
    // JSON without one: github.com/lmstudio-ai/lmstudio-bug-tracker/issues/189, and gets none then.
    path: 'response_format',
    words: /json.?schema|json mode|structured.?output|response mime type|grammar|guided/i,
    hosts: /(^|\.)deepseek\.com$/,
    instead: [{ path: 'response_format', value: () => ({ type: 'json_object' }) }],
  },
  { path: 'stream_options' },
  { path: 'temperature' },
  { path: 'top_p' },
  // Reasoning models of OpenAI, for which it is done in src/models/reply/stop-texts.ts.
  { path: 'stop' },
  effortOption('reasoning_effort'),
  { path: 'tool_choice' },
  { path: 'prompt_cache_key' },
  // OpenAI's reasoning models take the one name only, older servers the other only.
  { path: 'max_completion_tokens', instead: [{ path: 'max_tokens', value: same }] },
  { path: 'max_tokens', instead: [{ path: 'max_completion_tokens', value: same }] },
];

/** Conversations that not every endpoint, or chat template of a model, takes. */
const CONVERSATIONS: readonly RefusableOption[] = [
  {
    // DeepSeek, https://api-docs.deepseek.com/guides/thinking_mode, also where a reply had none:
    // github.com/deepseek-ai/deepseek-harness/discussions/739. Kimi: github.com/anomalyco/opencode/issues/16318
    words: /reasoning_content\W.{0,60}(passed back|missing|required)|missing.{0,20}reasoning_content/i,
    hosts: /(^|\.)(deepseek\.com|moonshot\.(ai|cn)|kimi\.com)$/,
    instead: [messages(withReasoning)],
  },
  {
    // Endpoints that send reasoning and do not take it: Groq, github.com/agentjido/req_llm/issues/772, Cerebras,
    // github.com/Kilo-Org/kilocode/issues/10375, and Mistral behind LiteLLM, github.com/BerriAI/litellm/issues/30835
    words:
      /(reasoning_(content|details)|thinking_blocks|['"]reasoning['"]|\.reasoning\b(?!\.))\W.{0,80}(unsupported|not (supported|permitted|allowed)|unexpected|unrecogni[sz]ed|unknown)|(unsupported|unexpected|unrecogni[sz]ed|unknown|extra)\W.{0,60}(reasoning_(content|details)|thinking_blocks|['"]reasoning['"]|\.reasoning\b(?!\.))/i,
    instead: [messages(withNoReasoning)],
  },
  {
    // Calls that no Gemini made: https://ai.google.dev/gemini-api/docs/thought-signatures
    words: /missing a thought_signature/i,
    hosts: /(^|\.)generativelanguage\.googleapis\.com$/,
    instead: [messages(withSignatures)],
  },
  {
    // Mistral's API and templates: github.com/langchain-ai/langchain/pull/24668
    words: /tool call id was .{0,200}length of 9/i,
    hosts: /(^|\.)mistral\.ai$/,
    instead: [messages(withShortIds)],
  },
  {
    // Mistral's API, and its models elsewhere: github.com/mistralai/mistral-vibe/issues/578
    words: /unexpected role '?user'? after role '?tool/i,
    hosts: /(^|\.)mistral\.ai$/,
    instead: [messages(withReplyAfterTools)],
  },
  {
    // Templates without a system prompt: github.com/anomalyco/opencode/issues/5034
    words: /system role (is )?not supported|roles are supported.{0,20}got system/i,
    instead: [messages(withSystemInUser)],
  },
  {
    // vLLM and llama.cpp with older templates: github.com/vllm-project/vllm/issues/6862; those that know no system
    // prompt either say the same of it: github.com/microsoft/autogen/issues/1037
    words: /roles must\s+alternate/i,
    instead: [messages(withOneUserAtATime), messages(withSystemInUser)],
  },
].map(quirk => ({ path: 'messages', byWords: true, ...quirk }) as const);

export const CHAT_OPTIONS: readonly RefusableOption[] = [...OPTIONS, ...CONVERSATIONS];
