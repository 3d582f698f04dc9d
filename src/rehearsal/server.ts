/** The rehearsal model as a server: answers by rules, streams as a model does. */
import { unknownModel } from '../protocol-server/refusals.js';
import type { ScriptedReply } from '../protocol-server/reply.js';
import type { ChatRequest, ProtocolServer } from '../protocol-server/server.js';
import { startProtocolServer } from '../protocol-server/server.js';
import { readConversation } from './conversation.js';
import { LABEL, RULES_MODEL } from './reply.js';
import { replyFor } from './roles.js';

export interface RehearsalOptions {
  /** Pause before each chunk, milliseconds. Default 10. */
  paceMs?: number;
}

const PACE_MS = 10;
/** Long replies go out in larger chunks, so that none takes much more than half a second. */
const MOST_CHUNKS = 60;
const SMALLEST_CHUNK = 24;
const CHARACTERS_A_TOKEN = 4;

/** Starts the server on a loopback port. It keeps nothing between requests, and its process alive for none. */
export function startRehearsalModel({ paceMs = PACE_MS }: RehearsalOptions = {}): Promise<ProtocolServer> {
  return startProtocolServer({
    background: true,
    models: [RULES_MODEL],
    handle: async request => answer(request, paceMs),
  });
}

function answer({ protocol, body }: ChatRequest, paceMs: number): ScriptedReply {
  if (body.model !== RULES_MODEL) return { error: unknownModel(protocol, body.model) };
  const conversation = readConversation(body);
  const { thought, text, calls } = replyFor(conversation);
  const reasoning = `${LABEL} ${thought}`;
  const written = reasoning.length + text.length + JSON.stringify(calls.map(call => call.arguments)).length;
  return {
    reasoning,
    text,
    toolCalls: calls,
    chunkChars: Math.max(SMALLEST_CHUNK, Math.ceil(written / MOST_CHUNKS)),
    delayMs: paceMs,
    usage: {
      // What is new since the last reply: rules keep no context, so reading it again costs nothing.
      inputTokens: Math.ceil(conversation.newChars / CHARACTERS_A_TOKEN),
      outputTokens: Math.ceil(written / CHARACTERS_A_TOKEN),
    },
  };
}
