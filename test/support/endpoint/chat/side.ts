/** Chat completions: what the strict server adds to those of the scripted model. */
import { CHAT, chatStream, chatWhole, openAiError } from '../../../../packages/test-kit/chat-completions.js';
import { openAiModel } from '../openai-checks.js';
import type { ProtocolSide } from '../protocol.js';
import { refuseChat } from './rules.js';

export const CHAT_SIDE: ProtocolSide = {
  ...CHAT,
  name: 'openai-compatible',
  refuse: refuseChat,
  stream: chatStream,
  whole: chatWhole,
  errorFrame: error => ({ data: openAiError(error) }),
  model: openAiModel,
};
