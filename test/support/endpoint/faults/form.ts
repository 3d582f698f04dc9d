/** Faults of how a reply is told: how its parts are numbered, begun and ended, how deep they are, what ends it. */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { Frame, FrameStream } from '../../../../packages/test-kit/play.js';
import type { PlainReply, ScriptedToolCall } from '../../../../packages/test-kit/scripted-reply.js';
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

function marked({ toolCalls = [] }: PlainReply): ScriptedToolCall[] {
  return toolCalls.map((call, at) => (at < toolCalls.length - 1 ? call : { ...call, arguments: MARK }));
}

/** A reason of the end, and usage, in each of them. */
function endingAlways({ head, chunks, tail }: FrameStream): Frame[] {
  const usage = tail.map(({ data }) => (data as { usage?: object }).usage).find(Boolean);
  const withReason = (choice: Json) => ({ ...choice, finish_reason: 'stop' });
  return edited([...head, ...chunks.flat()], data => ({
    ...data,
    choices: (data.choices as Json[]).map(withReason),
    usage,
  }));
}

/** A call as endpoints told it before there could be more than one in a reply. */
function inOldForm(data: Json): Json {
  return withField(data, 'delta', old => {
    const { tool_calls: calls, ...delta } = old as { tool_calls?: { function: object }[] };
    return calls ? { ...delta, function_call: calls[0]?.function } : delta;
  }) as Json;
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
  'call.old-form': {
    protocols: ['openai-compatible'],
    reply: reply => ({ ...reply, toolCalls: (reply.toolCalls ?? []).slice(0, 1) }),
    stream: stream => edited(framesOf(stream), inOldForm),
  },
  'call.arguments-object': lastArguments('{"path":"b.txt"}'),
  'call.arguments-deep': lastArguments(`{"path":"b.txt","more":${DEEP}}`),
  'end.other-word-for-limit': {
    protocols: ['openai-compatible', 'anthropic'],
    ...ended({ finish_reason: 'model_length', stop_reason: 'length' }),
  },
  'end.missing-in-call': {
    protocols: ['openai-compatible'],
    stream: ({ head, chunks, tail }) => [...head, ...chunks.slice(0, -1).flat(), ...tail.slice(1)],
  },
  'end.every-chunk': {
    protocols: ['openai-compatible'],
    stream: stream => [...endingAlways(stream), ...stream.tail],
  },
  'end.every-chunk-cut': {
    protocols: ['openai-compatible'],
    stream: stream => [...endingAlways({ ...stream, chunks: stream.chunks.slice(0, 3) }), { end: 'cut' }],
  },
  'end.given-up': {
    ...ended({ finish_reason: 'abort', status: 'cancelled', stop_reason: 'error' }),
  },
  'end.nothing-after-reason': {
    protocols: ['anthropic'],
    stream: stream => [
      ...edited(framesOf(stream), data => (data.type === 'message_stop' ? null : data)),
      { end: 'stall' },
    ],
  },
} as const satisfies Record<string, Fault>;
