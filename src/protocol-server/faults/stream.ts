/** Faults of the connection and of the stream's form. */
import { type Fault, framesOf } from './fault.js';

export const STREAM_FAULTS = {
  'stream.cut-after-end': {
    stream: stream => [...framesOf(stream).filter(({ data }) => data !== '[DONE]'), { end: 'cut' }],
  },
  'stream.open-after-end': {
    protocols: ['openai-compatible'],
    stream: stream => {
      const frames = [...stream.head, ...stream.chunks.flat()];
      const last = frames.pop()?.data as { choices: object[] };
      const [choice] = last.choices;
      const ended = { ...last, choices: [{ ...choice, finish_reason: 'stop' }] };
      return [...frames, { data: ended }, { end: 'stall' }];
    },
  },
} as const satisfies Record<string, Fault>;
