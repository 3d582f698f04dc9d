/** OpenAI's Responses. */
import { openAiError } from '../../../../packages/test-kit/chat-completions.js';
import { openAiModel } from '../openai-checks.js';
import type { ProtocolSide } from '../protocol.js';
import { responsesStream, responsesWhole } from './reply.js';
import { refuseResponses } from './rules.js';
import { responsesToChat } from './to-chat.js';

export const RESPONSES: ProtocolSide = {
  name: 'openai-responses',
  path: '/v1/responses',
  toChat: responsesToChat,
  refuse: refuseResponses,
  stream: responsesStream,
  whole: responsesWhole,
  error: openAiError,
  errorFrame: ({
    message = 'The server had an error while processing your request.',
    type,
    code,
    param,
  }) => ({
    event: 'error',
    data: { type: 'error', code: code ?? type ?? 'server_error', message, param: param ?? null },
  }),
  model: openAiModel,
};
