/** Ways in which the endpoint of a model misbehaves, by name: those that a program's tests want. */
import type { Frame, FrameStream, Part } from './play.js';
import type { PlainReply, ScriptedToolCall } from './scripted-reply.js';

export interface Fault {
  /** Replies otherwise than the script says. */
  reply?(reply: PlainReply): PlainReply;
  /** Streams the reply otherwise. What has no end closes the connection in order. */
  stream?(stream: FrameStream): Part[];
}

/** Chunks after which a reply that has a text is within it. */
const IN_TEXT = 3;
const never = new Promise<never>(() => undefined);

const answers = (status: number, message: string, code: string | null = null): Fault => ({
  reply: () => ({ error: { status, message, code } }),
});

/** What comes up to so many chunks, counted from the end where below zero. */
export function upTo({ head, chunks }: FrameStream, count = IN_TEXT): Frame[] {
  return [...head, ...chunks.slice(0, count).flat()];
}

/** The last call changed. */
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
  /** How the endpoint misbehaves with this reply: docs/testing.md says what each does. */
  fault?: FaultName;
}
