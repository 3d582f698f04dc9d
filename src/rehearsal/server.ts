/** The rehearsal model as a server of the OpenAI protocol: answers by rules, streams as a model does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReplyWriter } from '../protocol-server/reply.js';
import type { ChatRequest, ProtocolServer } from '../protocol-server/server.js';
import { startProtocolServer } from '../protocol-server/server.js';
import { readConversation } from './conversation.js';
import type { RuleReply } from './reply.js';
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
    handle: (request, writer) => handle(request, writer, paceMs),
  });
}

async function handle({ body, gone }: ChatRequest, writer: ReplyWriter, paceMs: number): Promise<void> {
  if (body.model !== RULES_MODEL) {
    const message = `The rehearsal model is called ${RULES_MODEL}; there is no \`${body.model}\`.`;
    return writer.error({ status: 404, message, type: 'invalid_request_error', code: 'model_not_found' });
  }
  const conversation = readConversation(body);
  const reply = replyFor(conversation);
  const sent = await send(reply, writer, { paceMs, gone });
  if (gone.aborted) return;
  writer.finish(reply.calls.length > 0 ? 'tool_calls' : 'stop', {
    // What is new since the last reply: rules keep no context, so reading it again costs nothing.
    promptTokens: Math.ceil(conversation.newChars / CHARACTERS_A_TOKEN),
    completionTokens: Math.ceil(sent / CHARACTERS_A_TOKEN),
  });
}

/** Streams thought, text and calls. Returns the characters sent. */
async function send(
  { thought, text, calls }: RuleReply,
  writer: ReplyWriter,
  { paceMs, gone }: { paceMs: number; gone: AbortSignal },
): Promise<number> {
  const parts: { text: string; write: (chunk: string) => void }[] = [
    { text: `${LABEL} ${thought}`, write: chunk => writer.reasoning(chunk) },
    { text, write: chunk => writer.text(chunk) },
    ...calls.map((call, index) => ({
      text: JSON.stringify(call.arguments),
      write: (chunk: string) => writer.toolInput(index, chunk),
    })),
  ];
  const total = parts.reduce((sum, part) => sum + part.text.length, 0);
  const size = Math.max(SMALLEST_CHUNK, Math.ceil(total / MOST_CHUNKS));
  for (const [index, part] of parts.entries()) {
    const call = calls[index - 2];
    if (call) writer.toolStart(index - 2, call.name, `call_${writer.id.slice(-12)}_${index - 2}`);
    for (let at = 0; at < part.text.length; at += size) {
      if (gone.aborted) return 0;
      part.write(part.text.slice(at, at + size));
      if (paceMs > 0) await sleep(paceMs);
    }
  }
  return total;
}
