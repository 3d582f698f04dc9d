/** Every refusal that was met, of a request that has all that endpoints refuse: the first thing that is changed. */
import { expect, it } from 'vitest';
import { CHAT_OPTIONS } from '../../../../src/models/chat/quirks.js';
import * as failureWords from '../../../../src/models/refusals/failure-words.js';
import { nextStep } from '../../../../src/models/refusals/read-refusal.js';
import { fewerTokens } from '../../../../src/models/refusals/reply-tokens.js';
import * as words from '../../../../src/models/refusals/words.js';

const PICTURE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const tool = (name: string) => ({
  type: 'function',
  function: { name, description: '', parameters: {}, strict: true },
});
const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } };
const BODY = {
  model: 'm',
  messages: [
    { role: 'system', content: 'You are a test.' },
    { role: 'user', content: 'Goal.' },
    { role: 'user', content: [{ type: 'text', text: 'This:' }, PICTURE] },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Seen.' },
    { role: 'user', content: '' },
    { role: 'user', content: 'Go on.' },
  ],
  stream: true,
  stream_options: { include_usage: true },
  tools: Array.from({ length: 200 }, (_, at) => tool(`tool_${at}`)),
  temperature: 0.2,
  top_p: 0.9,
  stop: ['END'],
  reasoning_effort: 'low',
  response_format: { type: 'json_schema' },
  max_tokens: 200_000,
};

/** What a group of words leads to; null: the request is sent as it is, later, or shortened by its workflow. */
const LEADS_TO: Readonly<Record<string, RegExp | null>> = {
  TOO_LONG: null,
  THROTTLED: null,
  UNKNOWN_MODEL: null,
  FILTERED: null,
  BAD_CALL: null,
  USED_UP: null,
  WRONG_KEY: null,
  NO_TOOLS: null,
  FEWER_TOKENS: /^reply at most \d+$/,
  TOO_MANY_TOOLS: /^tools at most \d+$/,
  BAD_SCHEMA: /^tools?\b/,
  NO_STRICT: /^strict tools$/,
  PICTURES: /^picture/,
  ONE_PICTURE: /^picture \w+$/,
  NO_LIST: /^pictures$/,
  EMPTY_MESSAGE: /^(empty messages|message \w+)$/,
  BAD_ORDER: /^order$/,
};

const MET = Object.entries<object>({ ...words, ...failureWords }).flatMap(([group, value]) =>
  'met' in value ? (value as words.RefusalWords).met.map(met => [group, ...met] as const) : [],
);

it.each(MET)(
  '%s, %s %d: %s → what it says is changed, and nothing else (FE6)',
  (group, _who, _year, message) => {
    const step = nextStep({
      refusal: { status: 400, message, param: null, code: null },
      wanted: BODY,
      sent: BODY,
      originals: BODY.messages,
      options: CHAT_OPTIONS,
      levelOf: () => 0,
    });
    const leadsTo = LEADS_TO[group];
    // Of two of length a shorter reply is enough.
    const isShorter =
      group === 'TOO_LONG' &&
      failureWords.FEWER_TOKENS.words.test(message) &&
      fewerTokens(message, BODY.max_tokens) !== null;
    if (isShorter)
      expect(step).toMatchObject({ about: expect.stringContaining('reply at most'), once: true });
    else if (leadsTo === null) expect(step).toBeNull();
    else expect(step?.about).toMatch(leadsTo ?? /^$/);
  },
);
