/** Faults of how a reply is told: how its parts are numbered, begun and ended, how deep they are, what ends it. */
import type { Json } from '../protocol.js';
import type { ScriptedReply, ScriptedToolCall } from '../reply.js';
import { edited, type Fault, framesOf, withField } from './fault.js';

/** More than what walks JSON by recursion can bear. */
const DEEP = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const MARK = '@@';

/** The events with what `change` makes of their data; null leaves one out. */
const events = (change: (data: Json) => Json | null): Fault => ({
  stream: stream => edited(framesOf(stream), change),
});

/** Without the events whose type is one of these. */
const without = (types: RegExp): Fault => events(data => (types.test(String(data.type)) ? null : data));

/** Every number that says of which part an event is. */
const numbered = (number: unknown): Fault =>
  events(
    data =>
      withField(
        withField(data, 'output_index', () => number),
        'index',
        () => number,
      ) as Json,
  );

/** The reason why it ended, in these words. */
const ended = (words: Readonly<Record<string, string>>): Fault =>
  events(
    data =>
      Object.entries(words).reduce<unknown>(
        (all, [name, reason]) => withField(all, name, old => (old === 'in_progress' ? old : reason)),
        data,
      ) as Json,
  );

/** The arguments of the last call as JSON in place of a text. */
const lastArguments = (json: string): Fault => ({
  reply: reply => ({ ...reply, toolCalls: marked(reply) }),
  stream: stream =>
    framesOf(stream).map(({ data }) => ({
      bytes: `data: ${typeof data === 'string' ? data : JSON.stringify(data).replaceAll(`"${MARK}"`, json)}\n\n`,
    })),
});

function marked({ toolCalls = [] }: ScriptedReply): ScriptedToolCall[] {
  return toolCalls.map((call, at) => (at < toolCalls.length - 1 ? call : { ...call, arguments: MARK }));
}

export const FORM_FAULTS = {
  'parts.one-number': numbered(0),
  'parts.no-number': numbered(undefined),
  'parts.no-begin': {
    protocols: ['openai-responses', 'anthropic'],
    stream: stream =>
      edited(framesOf(stream), data => {
        const begins = /^(response.output_item.added|content_block_start)$/.test(String(data.type));
        return begins && !/function_call|tool_use/.test(JSON.stringify(data)) ? null : data;
      }),
  },
  'parts.no-end': {
    protocols: ['openai-responses', 'anthropic'],
    ...without(/^(response.output_item.done|content_block_stop)$/),
  },
  'parts.deep': {
    protocols: ['openai-compatible', 'openai-responses'],
    stream: (stream, protocol) => {
      const details = `{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"x","data":${DEEP}}]}}]}`;
      const frames = framesOf(stream).map(({ data }) => ({
        bytes: `data: ${JSON.stringify(data).replaceAll(/"summary":\[\{[^\]]*\]/g, `"summary":[${DEEP}]`)}\n\n`,
      }));
      return protocol === 'openai-compatible'
        ? [...stream.head, { bytes: `data: ${details}\n\n` }, ...stream.chunks.flat(), ...stream.tail]
        : frames;
    },
  },
  'call.arguments-object': lastArguments('{"path":"b.txt"}'),
  'call.arguments-deep': lastArguments(`{"path":"b.txt","more":${DEEP}}`),
  'end.other-word-for-limit': {
    protocols: ['openai-compatible', 'anthropic'],
    ...ended({ finish_reason: 'model_length', stop_reason: 'length' }),
  },
  'end.given-up': {
    protocols: ['openai-compatible', 'openai-responses'],
    ...ended({ finish_reason: 'abort', status: 'cancelled' }),
  },
  'end.nothing-after-reason': {
    protocols: ['anthropic'],
    stream: stream => [
      ...edited(framesOf(stream), data => (data.type === 'message_stop' ? null : data)),
      { end: 'stall' },
    ],
  },
} as const satisfies Record<string, Fault>;
