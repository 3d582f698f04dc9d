/** Faults before a reply begins: what HTTP says. */

import { FAULTS, type FaultName, type Fault as PlainFault } from '../../../../packages/test-kit/faults.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import type { Protocol } from '../../../../src/models/provider/endpoint.js';
import { unknownModel, wrongKey } from '../refusals.js';
import type { Fault } from './fault.js';

const PAGE = '<!doctype html><html><body><h1>Bad gateway</h1></body></html>';
const HTML = { 'content-type': 'text/html' };

/** An error of this status in the words of the provider. */
function says(status: number, openAi: string, anthropic: string, more: Partial<WireError> = {}): Fault {
  return {
    answer: protocol => ({ status, message: protocol === 'anthropic' ? anthropic : openAi, ...more }),
  };
}

/** What chat completions answer with, but for what the others say otherwise. */
function inOtherWords(
  name: FaultName,
  words: Partial<Record<Protocol, WireError>>,
  headers: Record<string, string> = {},
): Fault {
  const { reply }: PlainFault = FAULTS[name];
  const error = reply?.({}).error ?? { status: 500 };
  return { answer: protocol => ({ ...(words[protocol] ?? error), headers }) };
}

const limited = (headers: Record<string, string>): Fault =>
  inOtherWords('http.rate-limited', { anthropic: LIMIT }, headers);

const LIMIT: WireError = {
  status: 429,
  message: "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
};

const CONTEXT: Partial<Record<Protocol, WireError>> = {
  'openai-responses': {
    status: 400,
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
    code: 'context_length_exceeded',
    param: 'input',
  },
  anthropic: { status: 400, message: 'prompt is too long: 210345 tokens > 200000 maximum' },
};

/** An option that requests have and models may refuse, and the words for it. */
const REFUSED: Record<Protocol, [option: string, error: WireError]> = {
  'openai-compatible': [
    'stream_options',
    {
      status: 400,
      message: "Unknown parameter: 'stream_options'.",
      code: 'unknown_parameter',
      param: 'stream_options',
    },
  ],
  'openai-responses': [
    'include',
    { status: 400, message: 'Encrypted content is not supported with this model.', param: 'include' },
  ],
  anthropic: ['thinking', { status: 400, message: 'adaptive thinking is not supported on this model' }],
};

export const HTTP_FAULTS = {
  'http.context-too-long': inOtherWords('http.context-too-long', CONTEXT),
  'http.wrong-key': { answer: wrongKey },
  'http.no-credit': {
    answer: protocol =>
      protocol === 'anthropic'
        ? { status: 400, message: 'Your credit balance is too low to access the Anthropic API.' }
        : {
            status: 429,
            message: 'You exceeded your current quota, please check your plan and billing details.',
            type: 'insufficient_quota',
            code: 'insufficient_quota',
          },
  },
  'http.forbidden': says(
    403,
    'You are not allowed to sample from this model',
    'Your API key does not have permission to use the specified resource.',
  ),
  'http.unknown-model': { answer: (protocol, sent) => unknownModel(protocol, String(sent.model)) },
  'http.unknown-path': {
    answer: () => ({ status: 404, body: '404 page not found', headers: { 'content-type': 'text/plain' } }),
  },
  'http.timeout': says(408, 'Request timed out.', 'Request timed out.'),
  'http.conflict': says(409, 'Conflict.', 'Conflict.'),
  'http.too-large': {
    answer: protocol =>
      protocol === 'anthropic'
        ? { status: 413, message: 'Request exceeds the maximum size' }
        : { status: 413, body: '<html><h1>413 Request Entity Too Large</h1></html>', headers: HTML },
  },
  'http.option-refused': {
    answer: (protocol, sent) => {
      const [option, error] = REFUSED[protocol];
      return sent[option] === undefined ? null : error;
    },
  },
  'http.rate-limited': limited({}),
  'http.rate-limited-seconds': limited({ 'retry-after': '7' }),
  'http.rate-limited-date': {
    answer: (protocol, sent) => {
      const headers = { 'retry-after': new Date(Date.now() + 30_000).toUTCString() };
      return limited(headers).answer?.(protocol, sent) ?? null;
    },
  },
  'http.rate-limited-ms': limited({ 'retry-after-ms': '1500' }),
  'http.server-error': inOtherWords('http.server-error', {
    anthropic: { status: 500, message: 'Internal server error' },
  }),
  'http.server-error-empty': { answer: () => ({ status: 500, body: '' }) },
  'http.bad-gateway': { answer: () => ({ status: 502, body: PAGE, headers: HTML }) },
  'http.unavailable': says(503, 'Service unavailable.', 'Service unavailable.'),
  'http.gateway-timeout': says(504, 'Gateway timeout.', 'Request timed out.'),
  'http.overloaded': inOtherWords('http.overloaded', {
    anthropic: { status: 529, message: 'Overloaded' },
  }),
  'http.filtered': says(
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    'Output blocked by content filtering policy',
    { code: 'content_filter' },
  ),
  'http.error-not-json': { answer: () => ({ status: 400, body: '{"error": {"message": "no' }) },
  'http.error-as-text': {
    answer: () => ({ status: 400, body: '{"error": "the model runner has stopped"}' }),
  },
  'http.redirect': {
    answer: () => ({ status: 307, body: '', headers: { location: 'http://127.0.0.1:9/v1/elsewhere' } }),
  },
  'http.redirect-within': {
    answer: () => ({ status: 302, body: '', headers: { location: '/login?token=9f8e7d6c' } }),
  },
  'http.not-modified': { answer: () => ({ status: 304, body: '' }) },
  'http.error-nested': {
    answer: () => ({
      status: 400,
      body: `{"error":{"message":"The model has stopped.","at":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    }),
  },
  'http.empty': { answer: () => ({ status: 200, body: '' }) },
  'http.page': { answer: () => ({ status: 200, body: PAGE, headers: HTML }) },
  'http.whole': { whole: true },
  'http.gzip-lie': {
    headers: { 'content-encoding': 'gzip' },
    stream: () => [{ bytes: 'data: this is not gzip\n\n' }],
  },
  'http.large-headers': { answer: () => ({ status: 200, body: '', headers: { 'x-a': 'a'.repeat(40_000) } }) },
} as const satisfies Record<string, Fault>;
