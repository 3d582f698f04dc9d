/** Chat completions, OpenAI's and what many servers speak. */
import { openAiError, openAiModel } from '../openai-answers.js';
import type { ProtocolSide } from '../protocol.js';
import type { WireBody } from '../request.js';
import { chatStream, chatWhole } from './reply.js';
import { refuseChat } from './rules.js';

export const CHAT: ProtocolSide = {
  path: '/v1/chat/completions',
  toChat: body =>
    typeof body.model === 'string' && Array.isArray(body.messages) ? (body as WireBody) : null,
  refuse: refuseChat,
  stream: chatStream,
  whole: chatWhole,
  error: openAiError,
  errorFrame: error => ({ data: openAiError(error) }),
  model: openAiModel,
};
