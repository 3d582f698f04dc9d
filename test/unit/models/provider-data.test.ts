import { expect, test } from 'vitest';
import { toWireTurns } from '../../../src/models/anthropic/wire-messages.js';
import { toWireMessages } from '../../../src/models/chat/wire-messages.js';
import type { Protocol } from '../../../src/models/provider/endpoint.js';
import { toWireInput } from '../../../src/models/responses/wire-input.js';
import type { Message } from '../../../src/run/messages/message.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';

const MODEL = 'proxy/m';

/** What each protocol keeps beside reasoning, and beside a call. */
const KEPT: Record<Protocol, { reasoning: unknown; call?: unknown }> = {
  anthropic: { reasoning: { type: 'thinking', signature: 'MARK' } },
  'openai-compatible': {
    reasoning: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'MARK' }] },
    call: { extra_content: { google: { thought_signature: 'MARK' } } },
  },
  'openai-responses': {
    reasoning: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'MARK' },
  },
};

const SENT: Record<Protocol, (messages: Message[]) => unknown> = {
  anthropic: messages => toWireTurns(MODEL, messages),
  'openai-compatible': messages => toWireMessages(MODEL, '', messages),
  'openai-responses': messages => toWireInput(MODEL, messages),
};

/** A reply of `model`; with what is kept beside it, where that is of a protocol. */
function replyOf(model: string, { reasoning, call }: { reasoning?: unknown; call?: unknown }): Message[] {
  const data = (value: unknown) => (value === undefined ? {} : { data: { model, value } });
  const content = [
    { type: 'reasoning' as const, text: '', ...data(reasoning) },
    { type: 'text' as const, text: 'Reading.' },
    { type: 'tool_use' as const, id: 'c1', name: 'read', input: {}, ...data(call) },
  ];
  const head = { role: 'executor', stopReason: 'tool_use', action: 'calling_tool', usage: NO_USAGE } as const;
  return [{ kind: 'assistant', id: 'r', at: 1, ...head, model, content }];
}

const protocols = Object.keys(KEPT) as Protocol[];
const pairs = protocols.flatMap(from => protocols.map(to => [from, to] as const));

test.each(pairs)(
  'what %s keeps beside a reply, the endpoint now speaks %s → sent where that is the same, else the reply alone (M11)',
  (from, to) => {
    const sent = SENT[to](replyOf(MODEL, KEPT[from]));
    if (from === to) expect(JSON.stringify(sent)).toContain('MARK');
    else expect(sent).toEqual(SENT[to](replyOf(MODEL, {})));
    expect(JSON.stringify(SENT[to](replyOf('proxy/other', KEPT[from])))).not.toContain('MARK');
  },
);
