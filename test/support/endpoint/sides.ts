/** The protocols that the server speaks: a folder and a line each. */

import type { Protocol } from '../../../src/models/provider/endpoint.js';
import { ANTHROPIC } from './anthropic/side.js';
import { CHAT_SIDE } from './chat/side.js';
import type { ProtocolSide } from './protocol.js';
import { RESPONSES } from './responses/side.js';

export const SIDES: Record<Protocol, ProtocolSide> = {
  'openai-compatible': CHAT_SIDE,
  'openai-responses': RESPONSES,
  anthropic: ANTHROPIC,
};
