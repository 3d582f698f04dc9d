/** The words that endpoints end a reply with: half a reply is never taken as a whole one. */
import { describe, expect, it } from 'vitest';
import { FAILURE } from '../../../../src/run/limits/failure.js';
import { startEventEndpoint } from '../../../support/event-endpoint.js';
import { failureOf, runCall } from '../../../support/model-calls.js';
import { serve } from '../../../support/serve.js';

/** A reply that says "Half", ended with this word. */
const HALF = {
  'openai-compatible': (reason: string) => [
    { choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: reason }] },
  ],
  anthropic: (reason: string) => [
    { type: 'message_start', message: { model: 'm', usage: { input_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Half' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ],
} as const;

/** The same answer in one piece, as an endpoint that does not stream gives it. */
const WHOLE = {
  'openai-compatible': (finish_reason: string) => ({
    choices: [{ message: { content: 'Half' }, finish_reason }],
  }),
  anthropic: (stop_reason: string) => ({ content: [{ type: 'text', text: 'Half' }], stop_reason }),
} as const;

async function ended(protocol: keyof typeof HALF, reason: string) {
  const { baseUrl } = await startEventEndpoint(HALF[protocol](reason));
  return runCall({ baseUrl, endpoint: { protocol } });
}

describe.each(['openai-compatible', 'anthropic'] as const)('a reply of %s', protocol => {
  it.each([
    'error',
    'abort',
    'network_error',
    'insufficient_system_resource',
    'malformed_function_call',
    'MALFORMED_FUNCTION_CALL',
    'function_call_filter: UNEXPECTED_TOOL_CALL',
  ])('ended with %s → broken off by its server: a failure that can be tried again', async reason => {
    const failure = await failureOf(ended(protocol, reason));
    expect(failure).toMatchObject({ type: FAILURE.model.server, nonRetryable: false });
    expect(failure.message).toContain(`"${reason}"`);
  });

  it.each([
    ['length', 'max_tokens'],
    ['MAX_TOKENS', 'max_tokens'],
    ['model_length', 'max_tokens'],
    ['model_context_window_exceeded', 'max_tokens'],
    ['repetition', 'max_tokens'],
    ['content_filter: PROHIBITED_CONTENT', 'content_filter'],
    ['CONTENT_FILTER', 'content_filter'],
    ['sensitive', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['refusal', 'refusal'],
    ['stop', 'end_turn'],
    ['sparkle', 'end_turn'],
  ])('ended with %s → %s', async (reason, stopReason) => {
    expect(await ended(protocol, reason)).toMatchObject({ stopReason, content: [{ text: 'Half' }] });
  });

  it('in one piece, ended with network_error → broken off by its server', async () => {
    const baseUrl = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(WHOLE[protocol]('network_error')));
    });
    const failure = await failureOf(runCall({ baseUrl, endpoint: { protocol } }));
    expect(failure).toMatchObject({ type: FAILURE.model.server, nonRetryable: false });
  });
});
