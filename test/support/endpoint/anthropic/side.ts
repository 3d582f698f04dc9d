/** Anthropic's Messages. */

import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import type { ProtocolSide } from '../protocol.js';
import { anthropicStream, anthropicWhole } from './reply.js';
import { refuseMessages } from './rules.js';
import { anthropicToChat } from './to-chat.js';

/** https://docs.anthropic.com/en/api/errors */
const TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function errorOf({ status, message = `HTTP ${status}`, type }: WireError): object {
  return {
    type: type ?? TYPES[status] ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error'),
    message,
  };
}

export const ANTHROPIC: ProtocolSide = {
  name: 'anthropic',
  path: '/v1/messages',
  toChat: anthropicToChat,
  refuse: refuseMessages,
  stream: anthropicStream,
  whole: anthropicWhole,
  error: (error, id) => ({ type: 'error', error: errorOf(error), request_id: id }),
  errorFrame: error => ({ event: 'error', data: { type: 'error', error: errorOf(error) } }),
  model: id => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }),
};
