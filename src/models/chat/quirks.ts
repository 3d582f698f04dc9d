/**
 * Requests that endpoints of chat completions are known to refuse, and the replacements that are sent. Known hosts get
 * the replacement at once. For any other endpoint it is learnt from the words of a refusal (`refusals/words.ts`).
 * Replies of all endpoints are read leniently: `chunks.ts`, `tool-call-parts.ts`.
 */
import { effortOption } from '../openai/openai-provider.js';
import { CONVERSATIONS as SAID, OPTIONS as WORDS } from '../refusals/option-words.js';
import type { RefusableOption } from '../refusals/refused-options.js';
import { EMPTY_MESSAGE } from '../refusals/words.js';
import { isMarked, withoutCacheMarks } from './cache-marks.js';
import {
  hasNoContent,
  messages,
  withNoReasoning,
  withOneUserAtATime,
  withOtherSignatures,
  withReasoning,
  withReplyAfterTools,
  withShortIds,
  withSignatures,
  withSystemInUser,
  withTextBesideCalls,
} from './message-quirks.js';

const same = (given: unknown) => given;

const OPTIONS: readonly RefusableOption[] = [
  {
    // DeepSeek supports JSON mode, but no schemas. LM Studio supports schemas, but no JSON mode without one, so it gets
    // no format.
    path: 'response_format',
    words: WORDS.form,
    hosts: /(^|\.)deepseek\.com$/,
    instead: [{ path: 'response_format', value: () => ({ type: 'json_object' }) }],
  },
  { path: 'stream_options' },
  { path: 'temperature' },
  { path: 'top_p' },
  // OpenAI's reasoning models refuse it; src/models/reply/stop-texts.ts then ends the reply.
  { path: 'stop' },
  effortOption('reasoning_effort'),
  // OpenAI's models since GPT-5.4 think by default, and then take no tools in chat completions.
  {
    path: 'reasoning_effort',
    key: 'no reasoning beside tools',
    words: WORDS.effortBesideTools,
    byWords: true,
    isIn: () => true,
    instead: [
      {
        path: 'reasoning_effort',
        value: (given, { tools }) => (tools.length > 0 ? 'none' : given),
      },
    ],
  },
  { path: 'tool_choice' },
  { path: 'prompt_cache_key' },
  // OpenAI's reasoning models only take the first name, older servers only the second.
  { path: 'max_completion_tokens', instead: [{ path: 'max_tokens', value: same }] },
  { path: 'max_tokens', instead: [{ path: 'max_completion_tokens', value: same }] },
];

/** Forms of a conversation that some endpoints or chat templates refuse. */
const CONVERSATIONS: readonly RefusableOption[] = [
  {
    key: 'reasoning back',
    words: SAID.reasoningBack,
    hosts: /(^|\.)(deepseek\.com|moonshot\.(ai|cn)|kimi\.com)$/,
    instead: [messages(withReasoning)],
  },
  { key: 'no reasoning', words: SAID.noReasoning, instead: [messages(withNoReasoning)] },
  {
    key: 'signatures',
    words: SAID.signature,
    hosts: /(^|\.)generativelanguage\.googleapis\.com$/,
    instead: [messages(withSignatures)],
  },
  {
    key: 'other signatures',
    words: SAID.badThought,
    instead: [messages(withOtherSignatures)],
    once: true as const,
  },
  { key: 'short ids', words: SAID.shortIds, hosts: /(^|\.)mistral\.ai$/, instead: [messages(withShortIds)] },
  {
    key: 'reply after tools',
    words: SAID.replyAfterTools,
    hosts: /(^|\.)mistral\.ai$/,
    instead: [messages(withReplyAfterTools)],
  },
  { key: 'no cache marks', words: SAID.cacheMarks, isIn: isMarked, instead: [messages(withoutCacheMarks)] },
  {
    key: 'text beside calls',
    words: SAID.noContent,
    isIn: hasNoContent,
    instead: [
      { ...messages(withTextBesideCalls('')), words: EMPTY_MESSAGE.words },
      messages(withTextBesideCalls(' ')),
    ],
  },
  { key: 'no system', words: SAID.noSystem, instead: [messages(withSystemInUser)] },
  // Endpoints without a system prompt send the same refusal, hence the second replacement.
  {
    key: 'alternate',
    words: SAID.alternate,
    instead: [messages(withOneUserAtATime), messages(withSystemInUser)],
  },
].map(quirk => ({ path: 'messages', byWords: true, ...quirk }) as const);

export const CHAT_OPTIONS: readonly RefusableOption[] = [...OPTIONS, ...CONVERSATIONS];
