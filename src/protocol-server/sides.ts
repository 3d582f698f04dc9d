/** The protocols that the server speaks: a folder and a line each. */

import type { Protocol } from '../models/endpoint.js';
import { ANTHROPIC } from './anthropic/side.js';
import { CHAT } from './chat/side.js';
import type { ProtocolSide } from './protocol.js';
import { RESPONSES } from './responses/side.js';

export const SIDES: Record<Protocol, ProtocolSide> = {
  'openai-compatible': CHAT,
  'openai-responses': RESPONSES,
  anthropic: ANTHROPIC,
};

/** The protocol whose requests go to this path. */
export function protocolAt(path: string): Protocol | undefined {
  return (Object.keys(SIDES) as Protocol[]).find(name => SIDES[name].path === path);
}
