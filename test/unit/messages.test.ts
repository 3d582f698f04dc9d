/** Conversations of every protocol: to the wire and back, and from one provider to another in the midst of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromAnthropicMessages,
  fromChatMessages,
  fromResponsesItems,
  toAnthropicMessages,
  toChatMessages,
  toResponsesInput,
} from '../../src/client/messages/index.js';
import { renamed } from '../../src/conversation/earlier.js';
import { newestWithin, readMessages } from '../../src/conversation/read-messages.js';
import { resultText, toolResult } from '../../src/conversation/tool-result.js';
import { toMessagesBody } from '../../src/models/anthropic/request-body.js';
import { PROTOCOLS, type Protocol } from '../../src/models/provider/endpoint.js';
import type { ModelRequest } from '../../src/models/provider/provider.js';
import { PLAIN_REQUEST } from '../../src/models/provider/provider.js';
import { wireCallId, wireToolName } from '../../src/models/request/message-text.js';
import { toResponsesBody } from '../../src/models/responses/request-body.js';
import type { AssistantMessage, Message, ToolContent } from '../../src/run/messages/message.js';
import { NO_USAGE, textOf } from '../../src/run/messages/message.js';
import { Seal } from '../support/endpoint/seal.js';
import { SIDES } from '../support/endpoint/sides.js';
import { tool } from '../support/model-calls.js';
import { pairingFaults } from '../support/pairing.js';
import { propertyRuns } from '../support/property-runs.js';

const numRuns = propertyRuns(500);
const seal = new Seal('test');
const MODELS: Record<Protocol, string> = {
  'openai-compatible': 'chat/model',
  'openai-responses': 'responses/model',
  anthropic: 'anthropic/model',
};

const words = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('', ' ', '\n', '</tool_output>', '<tool_output tool="x">', 'null', '{"a":1}', '\u0000'),
);
const callId = fc.oneof(
  fc.string({ minLength: 1, maxLength: 60 }),
  fc.constantFrom('functions.read:0', 'call_1', 'toolu_01'),
);
const input = fc.dictionary(
  fc.string({ maxLength: 8 }).filter(key => key !== '__proto__'),
  fc.jsonValue({ maxDepth: 2 }).map(value => JSON.parse(JSON.stringify(value)) as unknown),
  { maxKeys: 3 },
);
const toolContent = fc.oneof(
  words.map((text): ToolContent => ({ type: 'text', text })),
  fc.jsonValue({ maxDepth: 1 }).map((value): ToolContent => ({ type: 'json', value })),
);

/** What a model of each protocol gives beside its reasoning; those of OpenAI's chat completions nothing. */
function dataOf(protocol: Protocol, text: string): unknown {
  if (protocol === 'openai-compatible') return null;
  if (protocol === 'anthropic') return { type: 'thinking', signature: seal.sign(text) };
  const summary = [{ type: 'summary_text', text }];
  return { type: 'reasoning', id: 'rs_1', summary, encrypted_content: seal.close(text) };
}

/** A part of a conversation, with ids that are not yet those of a thread. */
type Part = (at: number) => Message[];

function user(texts: string[]): Part {
  return at => [
    {
      kind: 'user',
      purpose: 'instruction',
      id: `m${at}`,
      at,
      content: texts.map(text => ({ type: 'text', text })),
    },
  ];
}

interface Reply {
  thought: string | null;
  texts: string[];
  calls: {
    id: string;
    name: string;
    input: Record<string, unknown>;
    result: ToolContent[];
    isError: boolean;
  }[];
  interrupted: boolean;
}

function reply(protocol: Protocol, { thought, texts, calls, interrupted }: Reply): Part {
  return at => {
    const content: AssistantMessage['content'] = texts.map(text => ({ type: 'text', text }));
    const model = MODELS[protocol];
    if (thought !== null)
      content.unshift({
        type: 'reasoning',
        text: thought,
        data: { model, value: dataOf(protocol, thought) },
      });
    // Ids are unique in a thread: the run makes them so.
    const asked = interrupted
      ? []
      : calls.map((call, index) => ({ ...call, id: `${call.id}${at}_${index}` }));
    content.push(
      ...asked.map(({ id, name, input: given }) => ({ type: 'tool_use' as const, id, name, input: given })),
    );
    const stopReason = interrupted ? 'interrupted' : asked.length > 0 ? 'tool_use' : 'end_turn';
    const head = { role: 'executor', stopReason, action: 'executing', model, usage: NO_USAGE } as const;
    const results = asked.map((call, index): Message => {
      const block = toolResult(call, 'executed', { content: call.result, isError: call.isError });
      return { kind: 'tool_result', id: `t${at}_${index}`, at, content: [block] };
    });
    return [{ kind: 'assistant', id: `r${at}`, at, ...head, content }, ...results];
  };
}

const call = fc.record({
  id: callId,
  name: fc.constantFrom('read', 'write', 'no such tool!'),
  input,
  result: fc.array(toolContent, { maxLength: 2 }),
  isError: fc.boolean(),
});
const replyParts = fc.record({
  thought: fc.option(words),
  texts: fc.array(words, { maxLength: 2 }),
  calls: fc.array(call, { maxLength: 3 }),
  interrupted: fc.boolean(),
});

/** A thread that models of these protocols have written, each reply by one of them. */
function threadOf(protocols: readonly Protocol[]): fc.Arbitrary<Message[]> {
  const part = fc.oneof(
    fc.array(words, { minLength: 1, maxLength: 2 }).map(user),
    fc.tuple(fc.constantFrom(...protocols), replyParts).map(([protocol, given]) => reply(protocol, given)),
  );
  return fc
    .array(part, { minLength: 1, maxLength: 6 })
    .map(parts => [user(['Begin.']), ...parts].flatMap((make, at) => make(at)));
}

const ROUND_TRIPS: Record<Protocol, (thread: Message[]) => Message[]> = {
  'openai-compatible': thread => fromChatMessages(toChatMessages(thread)),
  'openai-responses': thread => fromResponsesItems(toResponsesInput(thread)),
  anthropic: thread => fromAnthropicMessages(toAnthropicMessages(thread)),
};

/** What a conversation says: its sides in turns, calls with their results. Blank texts, which some APIs refuse, are nothing. */
function outline(thread: readonly Message[]): unknown[] {
  const turns: { by: 'user' | 'model'; said: string; calls: unknown[] }[] = [];
  const results: unknown[] = [];
  for (const message of thread) {
    if (message.kind === 'tool_result') {
      const [{ toolUseId, ...block }] = message.content;
      results.push([wireCallId(toolUseId), plain(resultText(block)), block.isError]);
      continue;
    }
    const by = message.kind === 'assistant' ? 'model' : 'user';
    const cut = message.kind === 'assistant' && message.stopReason === 'interrupted' ? ' (cut)' : '';
    const said = plain(textOf(message)) + cut;
    const calls = message.content.flatMap(block =>
      block.type === 'tool_use' ? [[wireCallId(block.id), wireToolName(block.name), block.input]] : [],
    );
    if (said === '' && calls.length === 0) continue;
    const last = turns.at(-1);
    if (last?.by !== by) turns.push({ by, said, calls });
    else Object.assign(last, { said: last.said + said, calls: [...last.calls, ...calls] });
  }
  return [turns, results];
}

/** As `outline`, whatever calls are called, and wherever a reply was cut: one of no words is no part of a conversation. */
function said(thread: readonly Message[]): unknown[] {
  const [turns, results] = outline(thread) as [
    { by: string; said: string; calls: unknown[][] }[],
    unknown[][],
  ];
  const words = turns.map(({ by, said: text }) => [by, text.replaceAll(' (cut)', '')] as const);
  const spoken = words.filter(([, text]) => text !== '');
  const joined = spoken.map(([by, text], at) => `${by === spoken[at - 1]?.[0] ? '' : `\n${by}: `}${text}`);
  const calls = turns.flatMap(turn => turn.calls.map(([, ...call]) => call));
  return [joined.join(''), calls, results.map(([, text]) => text)];
}

/** Words without the space between them, and tags as they are written for models. */
function plain(text: string): string {
  return text.replaceAll('&lt;', '<').replace(/\s+/g, '');
}

describe('conversations', () => {
  it.each(PROTOCOLS)(
    '%s: to the wire and back → the same texts, calls and results, paired (G4)',
    protocol => {
      fc.assert(
        fc.property(threadOf([protocol]), thread => {
          const back = ROUND_TRIPS[protocol](thread);
          expect(outline(back)).toEqual(outline(thread));
          expect(pairingFaults(back)).toEqual({ open: [], stray: [] });
        }),
        { numRuns },
      );
    },
  );

  it.each(PROTOCOLS)(
    '%s: a run begins with what came from the wire → the same texts, calls and results, under ids of its own (G4)',
    protocol => {
      fc.assert(
        fc.property(threadOf([protocol]), thread => {
          const read = readMessages(JSON.parse(JSON.stringify(ROUND_TRIPS[protocol](thread))));
          if (!read.ok) throw new Error(read.errors.join(' '));
          let last = 0;
          const begun = renamed(newestWithin(read.messages).messages, prefix => `${prefix}${++last}`);
          expect(said(begun)).toEqual(said(thread));
          expect(pairingFaults(begun)).toEqual({ open: [], stray: [] });
          expect(new Set(begun.map(({ id }) => id)).size).toBe(begun.length);
        }),
        { numRuns },
      );
    },
  );

  it.each(PROTOCOLS)(
    '%s: anything from elsewhere → read without a throw, no result without its call',
    protocol => {
      const key = fc.constantFrom(
        'role',
        'type',
        'content',
        'text',
        'tool_calls',
        'id',
        'tool_call_id',
        'call_id',
      );
      const value = fc.oneof(
        words,
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom('assistant', 'user', 'tool'),
      );
      const wire = fc.array(fc.oneof(fc.dictionary(key, value), fc.jsonValue({ maxDepth: 1 })), {
        maxLength: 5,
      });
      const read = {
        'openai-compatible': fromChatMessages,
        'openai-responses': fromResponsesItems,
        anthropic: fromAnthropicMessages,
      };
      fc.assert(
        fc.property(wire, given => {
          expect(pairingFaults(read[protocol](given)).stray).toEqual([]);
        }),
        { numRuns },
      );
    },
  );

  const pairs = PROTOCOLS.flatMap(from => PROTOCOLS.map(to => [from, to] as const));
  it.each(pairs)(
    'begun at %s, gone on with at %s → valid by what the provider publishes (G5, M5)',
    (from, to) => {
      fc.assert(
        fc.property(threadOf([from, to]), thread => {
          const refusal = SIDES[to].refuse(bodyFor(to, thread), seal, { 'anthropic-version': '2026-10-21' });
          expect(refusal).toBeNull();
        }),
        { numRuns },
      );
    },
  );
});

function bodyFor(protocol: Protocol, messages: Message[]): Record<string, unknown> {
  const request: ModelRequest = {
    model: 'model',
    ...PLAIN_REQUEST,
    system: 'You are a test.',
    tools: [tool('read'), tool('write')],
    messages,
  };
  const [endpoint = ''] = MODELS[protocol].split('/');
  const body =
    protocol === 'anthropic'
      ? toMessagesBody(endpoint, request)
      : protocol === 'openai-responses'
        ? toResponsesBody(endpoint, request)
        : { model: 'model', messages: toChatMessages(messages, { model: MODELS[protocol] }) };
  return JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
}
