/**
 * What endpoints of chat completions are known to refuse, and what is sent to them instead. Hosts that are known get it
 * at once; from any other endpoint it is learnt, by what it says (`refusals/words.ts`). What they send is read leniently
 * whoever they are: `chunks.ts`, `tool-call-parts.ts`.
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
    // DeepSeek knows JSON, but no schema. LM Studio knows a schema, but no JSON without one, and gets none then.
    path: 'response_format',
    words: WORDS.form,
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
  // Those that know no system prompt either say the same of it.
  {
    key: 'alternate',
    words: SAID.alternate,
    instead: [messages(withOneUserAtATime), messages(withSystemInUser)],
  },
].map(quirk => ({ path: 'messages', byWords: true, ...quirk }) as const);

export const CHAT_OPTIONS: readonly RefusableOption[] = [...OPTIONS, ...CONVERSATIONS];
