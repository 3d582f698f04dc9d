/** Faults of what is said: how a reply ends, its calls, its usage, its thinking. */
import { firstHalf, lastCall, onlyText } from '../../../../packages/test-kit/faults.js';
import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { Frame, Part } from '../../../../packages/test-kit/play.js';
import type { ScriptedToolCall } from '../../../../packages/test-kit/scripted-reply.js';
import { edited, type Fault, framesOf, withField } from './fault.js';

function everyCall(change: (call: ScriptedToolCall) => ScriptedToolCall): Fault {
  return { reply: reply => ({ ...reply, toolCalls: (reply.toolCalls ?? []).map(change) }) };
}

const argumentsOf = (call: ScriptedToolCall): string => JSON.stringify(call.arguments ?? {});

/** Every field of these names, wherever it stands. */
function fields(names: readonly string[], replace: (old: unknown) => unknown): Fault {
  const change = (data: Json) =>
    names.reduce<unknown>((all, name) => withField(all, name, replace), data) as Json;
  return { stream: stream => edited(framesOf(stream), change) };
}

/** Why a reply ended, as each protocol says it at its end. */
function endReason(reason: string | undefined): Fault {
  const names = ['finish_reason', 'stop_reason', 'status'];
  const change = (data: Json) =>
    names.reduce<unknown>((all, name) => withField(all, name, () => reason), data) as Json;
  return {
    stream: ({ head, chunks, tail }) => [...head, ...chunks.flat(), ...edited(tail, change)],
  };
}

/** Each count of usage, however deep, as `count` says. */
function usage(count: (tokens: number) => unknown): Fault {
  const inside = (value: unknown): unknown => {
    if (typeof value === 'number') return count(value);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)]));
  };
  return fields(['usage'], inside);
}

export const REPLY_FAULTS = {
  'end.missing': endReason(undefined),
  'end.unknown': endReason('sparkle'),
  'end.filtered': { reply: reply => ({ ...onlyText(reply), stopReason: 'content_filter' }) },
  'end.limit-in-call': {
    reply: reply => ({
      ...(lastCall(call => ({ ...call, arguments: firstHalf(argumentsOf(call)) })).reply?.(reply) ?? reply),
      stopReason: 'max_tokens',
    }),
  },
  'end.turn-with-calls': { reply: reply => ({ ...reply, stopReason: 'end_turn' }) },
  'end.calls-without-calls': { reply: reply => ({ ...onlyText(reply), stopReason: 'tool_use' }) },
  'reply.two-choices': {
    protocols: ['openai-compatible'],
    stream: stream => framesOf(stream).flatMap(withSecondChoice),
  },
  'reply.other-model': { reply: reply => ({ ...reply, servedModel: 'another-model' }) },
  'call.no-id': everyCall(call => ({ ...call, id: null })),
  'call.long-ids': {
    reply: reply => ({
      ...reply,
      toolCalls: (reply.toolCalls ?? []).map((call, at) => ({
        ...call,
        id: `functions.read:${at}`.padEnd(70, '.'),
      })),
    }),
  },
  'call.same-ids': everyCall(call => ({ ...call, id: 'same' })),
  'call.interleaved': {
    stream: ({ head, chunks, tail }) => [...head, ...inTurns(chunks).flat(), ...tail],
  },
  'call.arguments-unquoted': lastCall(call => ({
    ...call,
    arguments: argumentsOf(call).replaceAll(/"(\w+)":/g, '$1:'),
  })),
  'call.arguments-empty': lastCall(call => ({ ...call, arguments: '' })),
  'call.arguments-twice': lastCall(call => ({ ...call, arguments: argumentsOf(call).repeat(2) })),
  'call.arguments-list': lastCall(call => ({ ...call, arguments: '["a.txt"]' })),
  'call.unknown-name': lastCall(call => ({ ...call, name: 'no_such_tool' })),
  'call.strange-name': lastCall(call => ({ ...call, name: 'functions.read file' })),
  'call.no-name': lastCall(call => ({ ...call, name: '' })),
  'usage.missing': { reply: reply => ({ ...reply, usage: null }) },
  'usage.absurd': usage(() => 1e12),
  'usage.negative': usage(tokens => -tokens - 1),
  'usage.text': usage(tokens => `${tokens} tokens`),
  'usage.twice': {
    protocols: ['openai-compatible', 'anthropic'],
    stream: ({ head, chunks, tail }) => [
      ...head,
      ...chunks.flat(),
      ...edited(tail.filter(hasUsage), data => withField(data, 'usage', tooLittle) as Json).map(withoutEnd),
      ...tail,
    ],
  },
  'thinking.other-field': {
    protocols: ['openai-compatible'],
    stream: stream =>
      edited(
        framesOf(stream),
        data => JSON.parse(JSON.stringify(data).replaceAll('"reasoning_content"', '"reasoning"')) as Json,
      ),
  },
  'thinking.in-tags': {
    protocols: ['openai-compatible'],
    reply: ({ reasoning, ...reply }) => ({ ...reply, text: `<think>${reasoning}</think>\n\n${reply.text}` }),
  },
  'thinking.never-closed': {
    protocols: ['openai-compatible'],
    reply: reply => ({ ...onlyText(reply), text: `<think>${reply.text}` }),
  },
  'thinking.unsigned': {
    protocols: ['anthropic'],
    stream: stream =>
      edited(framesOf(stream), data => (JSON.stringify(data).includes('signature_delta') ? null : data)),
  },
  'thinking.redacted': {
    protocols: ['anthropic'],
    stream: (stream, _protocol, seal) => {
      const block = { type: 'redacted_thinking', data: seal.close('Hm.') };
      return framesOf(stream).flatMap((frame): Part[] => {
        const text = JSON.stringify(frame.data);
        if (text.includes('thinking_delta') || text.includes('signature_delta')) return [];
        if (!text.includes('"type":"thinking"')) return [frame];
        return [{ ...frame, data: { ...(frame.data as Json), content_block: block } }];
      });
    },
  },
} as const satisfies Record<string, Fault>;

/** Each event of the first choice, and one like it of a second. */
function withSecondChoice(frame: Frame): Frame[] {
  const { choices } = typeof frame.data === 'string' ? {} : (frame.data as { choices?: Json[] });
  if (!choices || choices.length === 0) return [frame];
  const second = choices.map(choice => ({ ...choice, index: 1, delta: { content: 'Another reply. ' } }));
  return [frame, { ...frame, data: { ...(frame.data as Json), choices: second } }];
}

/** The chunks of the last two calls one by one in turns. Which call a chunk is of, its numbers say. */
function inTurns(chunks: readonly Frame[][]): Frame[][] {
  const groups = new Map<number, Frame[][]>();
  for (const chunk of chunks) {
    const index = callIndex(chunk);
    groups.set(index, [...(groups.get(index) ?? []), chunk]);
  }
  const calls = [...groups.keys()].filter(index => index >= 0).slice(-2);
  const [first = [], second = []] = calls.map(index => groups.get(index));
  const others = chunks.filter(chunk => !calls.includes(callIndex(chunk)));
  const longer = Math.max(first.length, second.length);
  const turns = Array.from({ length: longer }, (_, at) => [first[at], second[at]]).flat();
  return [...others, ...turns.filter(chunk => chunk !== undefined)];
}

/** -1 for what is of no call. */
function callIndex(chunk: readonly Frame[]): number {
  const data = chunk[0]?.data as Json & { choices?: { delta?: { tool_calls?: { index: number }[] } }[] };
  const called = data.choices?.[0]?.delta?.tool_calls?.[0];
  if (called) return called.index;
  const index = data.output_index ?? data.index;
  const isCall = JSON.stringify(chunk).match(/function_call|tool_use|input_json_delta/);
  return isCall && typeof index === 'number' ? index : -1;
}

function hasUsage({ data }: Frame): boolean {
  return typeof data !== 'string' && 'usage' in data && data.usage !== null;
}

function tooLittle(usage: unknown): unknown {
  return Object.fromEntries(
    Object.entries(usage as Json).map(([name, count]) => [name, typeof count === 'number' ? 1 : count]),
  );
}

/** An event that says usage and no end. */
function withoutEnd(frame: Frame): Frame {
  return { ...frame, data: withField(frame.data, 'stop_reason', () => null) as object };
}
