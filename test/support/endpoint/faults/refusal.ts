/** Faults of what is asked: an endpoint that does not know a thing refuses each request that holds it. */
import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import type { Fault } from './fault.js';

/** More than endpoints with a small window take. */
const MOST_CHARS = 16_000;
const MOST_TOOLS = 8;

/** Refused in these words while `holds` says so. */
function refuses(holds: (sent: Json) => boolean, error: Partial<WireError> & { message: string }): Fault {
  return {
    protocols: ['openai-compatible'],
    answer: (_protocol, sent) => (holds(sent) ? { status: 400, ...error } : null),
  };
}

const listIn = (sent: Json, key: 'messages' | 'tools') => (sent[key] ?? []) as Json[];
const says = (sent: Json, key: 'messages' | 'tools', text: string) =>
  JSON.stringify(listIn(sent, key)).includes(text);
const some = (sent: Json, isMeant: (message: Json) => boolean) => listIn(sent, 'messages').some(isMeant);

export const REFUSAL_FAULTS = {
  'refuses.option': refuses(({ stream_options }) => stream_options !== undefined, {
    message: 'Unrecognized request argument supplied: stream_options',
  }),
  'refuses.schema': refuses(sent => says(sent, 'tools', '"minimum"'), {
    message: 'Invalid JSON schema: Unknown name "minimum": Cannot find field.',
  }),
  'refuses.many-tools': refuses(sent => listIn(sent, 'tools').length > MOST_TOOLS, {
    message: `Too many tools: at most ${MOST_TOOLS} tools may be given.`,
  }),
  'refuses.pictures': refuses(sent => says(sent, 'messages', '"image_url"'), {
    message:
      'Failed to deserialize the JSON body into the target type: unknown variant `image_url`, expected `text`',
  }),
  'refuses.length': refuses(sent => JSON.stringify(listIn(sent, 'messages')).length > MOST_CHARS, {
    message: 'Invalid request: Your request exceeded model token limit: 6000 (requested: 7120)',
  }),
  'refuses.system': refuses(sent => some(sent, ({ role }) => role === 'system'), {
    message: 'System role not supported',
    // Chat templates fail so.
    status: 500,
  }),
  'refuses.null-content': refuses(
    sent => some(sent, ({ role, content }) => role === 'assistant' && content === null),
    { message: "Invalid value for 'content': expected a string, got null." },
  ),
  'refuses.results': refuses(sent => some(sent, ({ role }) => role === 'tool'), {
    message: "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
  }),
  'refuses.rate-as-400': refuses(() => true, {
    message: 'Too many tokens, please wait before trying again.',
  }),
  'refuses.rate-as-403': refuses(() => true, {
    status: 403,
    message: 'Rate limit of 8000 per 60s exceeded for UserByModelByMinuteTokens.',
  }),
} as const satisfies Record<string, Fault>;
