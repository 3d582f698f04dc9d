/** `/v1/messages/count_tokens`: what a request for a reply would count, and the same rules. */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import { estimateTokens } from '../../../../src/run/limits/tokens.js';
import { messagesPrompt } from '../cache/prompt.js';
import type { Seal } from '../seal.js';
import { refuseMessages } from './rules.js';

export const COUNT_TOKENS_PATH = '/v1/messages/count_tokens';

/** More than any thinking may take: counting knows no limit of the output. */
const SOME_OUTPUT = 1_000_000;

/** `{ input_tokens }`, or what is wrong with the request. */
export function countTokens(
  body: Json,
  seal: Seal,
  headers: Readonly<Record<string, string>>,
): { input_tokens: number } | WireError {
  const refusal = refuseMessages({ ...body, max_tokens: SOME_OUTPUT }, seal, headers);
  if (refusal) return refusal;
  const tokens = messagesPrompt(body).map(({ text }) => estimateTokens(text));
  return { input_tokens: tokens.reduce((sum, count) => sum + count, 0) };
}
