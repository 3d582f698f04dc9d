/** Faults of the connection and of the stream's form. */

import { upTo } from '../../../../packages/test-kit/faults.js';
import type { Frame, FrameStream, Part } from '../../../../packages/test-kit/play.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import type { Protocol } from '../../../../src/models/provider/endpoint.js';
import type { ProtocolSide } from '../protocol.js';
import { SIDES } from '../sides.js';
import { type Fault, framesOf } from './fault.js';

const HUGE_BYTES = 5 * 1024 * 1024;

function linesOf({ event, data }: Frame, end = '\n'): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}${end}`}data: ${text}${end}${end}`;
}

/** These between all events. */
const between = (...parts: Part[]): Fault => ({
  stream: stream => framesOf(stream).flatMap(frame => [frame, ...parts]),
});

/** Every event as these bytes. */
const asBytes = (write: (frame: Frame) => string): Fault => ({
  stream: stream => framesOf(stream).map(frame => ({ bytes: write(frame) })),
});

function errorIn(error: WireError): Fault {
  const frameOf = (side: ProtocolSide) => side.errorFrame(error);
  return {
    stream: (stream: FrameStream, protocol: Protocol) => [...upTo(stream), frameOf(SIDES[protocol])],
  };
}

export const STREAM_FAULTS = {
  'stream.empty': { stream: () => [] },
  'stream.cut-at-start': { stream: ({ head }) => [...head.slice(0, 1), { end: 'cut' }] },
  'stream.cut-in-call': { stream: stream => [...upTo(stream, -1), { end: 'cut' }] },
  'stream.cut-before-end': { stream: stream => [...upTo(stream, Number.POSITIVE_INFINITY), { end: 'cut' }] },
  'stream.ends-in-text': { stream: stream => upTo(stream) },
  'stream.ends-before-end': { stream: stream => upTo(stream, Number.POSITIVE_INFINITY) },
  'stream.cut-after-end': {
    stream: stream => [...framesOf(stream).filter(({ data }) => data !== '[DONE]'), { end: 'cut' }],
  },
  'stream.open-after-end': {
    protocols: ['openai-compatible'],
    stream: stream => {
      const frames = upTo(stream, Number.POSITIVE_INFINITY);
      const last = frames.pop()?.data as { choices: object[] };
      const [choice] = last.choices;
      const ended = { ...last, choices: [{ ...choice, finish_reason: 'stop' }] };
      return [...frames, { data: ended }, { end: 'stall' }];
    },
  },
  'stream.stalls-at-start': { stream: ({ head }) => [...head.slice(0, 1), { end: 'stall' }] },
  'stream.keep-alive': between(
    { bytes: ': keep-alive\n\n' },
    { event: 'ping', data: { type: 'ping' } },
    { bytes: '\n\n' },
  ),
  'stream.unknown-events': between({
    event: 'response.sparkle',
    data: { type: 'response.sparkle', output_index: 0, index: 0, delta: 'x' },
  }),
  'stream.null-events': between({ data: 'null' }, { data: '' }),
  'stream.split-bytes': {
    stream: stream =>
      [
        ...Buffer.from(
          framesOf(stream)
            .map(frame => linesOf(frame))
            .join(''),
        ),
      ].map(byte => ({
        bytes: Buffer.from([byte]),
      })),
  },
  'stream.crlf': {
    stream: stream => [
      { bytes: '\uFEFF' },
      ...framesOf(stream).map(frame => ({ bytes: linesOf(frame, '\r\n') })),
    ],
  },
  'stream.no-names': asBytes(({ data }) => linesOf({ data })),
  'stream.twice': {
    protocols: ['openai-responses'],
    stream: stream => framesOf(stream).flatMap(frame => [frame, frame]),
  },
  'stream.again': {
    protocols: ['anthropic'],
    stream: stream => [...upTo(stream), ...framesOf(stream)],
  },
  'stream.other-type': { headers: { 'content-type': 'text/plain' }, stream: framesOf },
  'stream.huge-event': {
    stream: stream => [...upTo(stream), { bytes: `data: {"a":"${'a'.repeat(HUGE_BYTES)}"}\n\n` }],
  },
  'stream.not-json': { stream: stream => [...upTo(stream), { bytes: 'data: {"type":"re\n\n' }] },
  'stream.ends-in-event': { stream: stream => [...upTo(stream), { bytes: 'data: {"type":"re' }] },
  'stream.error-as-text': {
    stream: stream => [...upTo(stream), { data: { error: 'the model runner has stopped' } }],
  },
  'stream.error': errorIn({ status: 500, message: 'The server had an error.', type: 'server_error' }),
  'stream.overloaded': errorIn({ status: 529, message: 'Overloaded', type: 'overloaded_error' }),
  'stream.rate-limited': errorIn({ status: 429, message: 'Rate limit reached.', type: 'rate_limit_error' }),
} as const satisfies Record<string, Fault>;
