/** What both protocols of OpenAI have in common: https://platform.openai.com/docs/guides/error-codes */
import type { WireError } from './reply.js';

const TYPES: Record<number, string> = {
  401: 'invalid_request_error',
  404: 'invalid_request_error',
  429: 'rate_limit_exceeded',
  500: 'server_error',
  503: 'server_error',
};

export function openAiError({
  status,
  message = `HTTP ${status}`,
  type = TYPES[status] ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'server_error'),
  code = null,
  param = null,
}: WireError): object {
  return { error: { message, type, param, code } };
}

export function openAiModel(id: string): object {
  return { id, object: 'model', created: 0, owned_by: 'steersman' };
}
