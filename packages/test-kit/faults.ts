/** Faults of a model endpoint, by name, which tests of programs need. */
import type { Frame, FrameStream, Part } from './play.js';
import type { PlainReply, ScriptedToolCall } from './scripted-reply.js';

export interface Fault {
  /** Changes the scripted reply. */
  reply?(reply: PlainReply): PlainReply;
  /** Changes the stream. Without an end part, the connection closes normally. */
  stream?(stream: FrameStream): Part[];
}

/** After this many chunks, a text reply has begun and is not complete. */
const IN_TEXT = 3;
const never = new Promise<never>(() => undefined);

const answers = (status: number, message: string, code: string | null = null): Fault => ({
  reply: () => ({ error: { status, message, code } }),
});

/** Returns the frames up to this number of chunks; a negative count is counted from the end. */
export function upTo({ head, chunks }: FrameStream, count = IN_TEXT): Frame[] {
  return [...head, ...chunks.slice(0, count).flat()];
}

/** Changes the last tool call. */
export function lastCall(change: (call: ScriptedToolCall) => ScriptedToolCall): Fault {
  return {
    reply: ({ toolCalls = [], ...reply }) => ({
      ...reply,
      toolCalls: toolCalls.map((call, at) => (at < toolCalls.length - 1 ? call : change(call))),
    }),
  };
}

export function onlyText({ toolCalls: _calls, ...reply }: PlainReply): PlainReply {
  return reply;
}

export function firstHalf(text: string): string {
  return text.slice(0, Math.ceil(text.length / 2));
}

export const FAULTS = {
  'http.context-too-long': answers(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
    'context_length_exceeded',
  ),
  'http.rate-limited': answers(
    429,
    'Rate limit reached for m in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000.',
  ),
  'http.server-error': answers(
    500,
    'The server had an error while processing your request. Sorry about that!',
  ),
  'http.overloaded': answers(503, 'The engine is currently overloaded, please try again later'),
  'http.never-answers': { reply: reply => ({ ...reply, hold: { until: never } }) },
  'stream.slow': { reply: reply => ({ ...reply, delayMs: 50 }) },
  'stream.cut-in-text': { stream: stream => [...upTo(stream), { end: 'cut' }] },
  'stream.stalls-in-text': { stream: stream => [...upTo(stream), { end: 'stall' }] },
  'end.refused': { reply: reply => ({ ...onlyText(reply), stopReason: 'refusal' }) },
  'end.limit-in-text': {
    reply: ({ text = '', ...reply }) => ({
      ...onlyText(reply),
      text: firstHalf(text),
      stopReason: 'max_tokens',
    }),
  },
  'reply.empty': { reply: () => ({}) },
  'call.arguments-broken': lastCall(call => ({ ...call, arguments: 'path is a.txt' })),
} as const satisfies Record<string, Fault>;

export type FaultName = keyof typeof FAULTS;

export interface ScriptedReply extends PlainReply {
  /** The endpoint's fault with this reply; docs/testing.md describes each. */
  fault?: FaultName;
}
