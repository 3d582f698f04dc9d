/** A reply in the form of the Messages API: https://docs.anthropic.com/en/api/messages-streaming */
import type Anthropic from '@anthropic-ai/sdk';
import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { Frame, FrameStream } from '../../../../packages/test-kit/play.js';
import {
  chunksOf,
  type FullReply,
  type ScriptedStop,
  withCallId,
} from '../../../../packages/test-kit/scripted-reply.js';
import { isRecord } from '../../../../src/base/json/json.js';
import type { Seal } from '../seal.js';

const STOP_REASONS: Record<ScriptedStop, Anthropic.StopReason> = {
  end_turn: 'end_turn',
  tool_use: 'tool_use',
  max_tokens: 'max_tokens',
  content_filter: 'refusal',
  refusal: 'refusal',
};

/** A block as it begins, and the deltas that fill it. */
interface Growing {
  block: object;
  deltas: Json[];
  whole: object;
}

function blocksOf(reply: FullReply, body: Json, seal: Seal): Growing[] {
  const calls = reply.calls.map((call, index) => {
    const head = {
      type: 'tool_use',
      ...withCallId('id', call.id, `toolu_${reply.id.slice(-12)}_${index}`),
      name: call.name,
    };
    return {
      block: { ...head, input: {} },
      deltas: ['', ...chunksOf(call.text, reply.chunkChars)].map(part => ({
        type: 'input_json_delta',
        partial_json: part,
      })),
      whole: { ...head, input: parsed(call.text) },
    };
  });
  const text = {
    block: { type: 'text', text: '' },
    deltas: chunksOf(reply.text, reply.chunkChars).map(part => ({ type: 'text_delta', text: part })),
    whole: { type: 'text', text: reply.text },
  };
  return [...thinkingOf(reply, body, seal), ...(reply.text === '' ? [] : [text]), ...calls];
}

/** Thinking is given where the request turns it on; where it is not to be shown, only its signature. */
function thinkingOf({ reasoning, chunkChars }: FullReply, { thinking }: Json, seal: Seal): Growing[] {
  if (reasoning === '' || !isRecord(thinking) || thinking.type === 'disabled') return [];
  const shown = thinking.display === 'omitted' ? '' : reasoning;
  const signature = seal.sign(shown);
  const parts = chunksOf(shown, chunkChars).map(part => ({ type: 'thinking_delta', thinking: part }));
  return [
    {
      block: { type: 'thinking', thinking: '', signature: '' },
      deltas: [...parts, { type: 'signature_delta', signature }],
      whole: { type: 'thinking', thinking: shown, signature },
    },
  ];
}

/** A whole reply gives the input as an object: what is no JSON can't be said in it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

export function anthropicStream(reply: FullReply, body: Json, seal: Seal): FrameStream {
  const frame = (type: string, fields: object): Frame => ({ event: type, data: { type, ...fields } });
  const chunks = blocksOf(reply, body, seal).flatMap(({ block, deltas }, index) => {
    const frames = deltas.map(delta => [frame('content_block_delta', { index, delta })]);
    frames[0]?.unshift(frame('content_block_start', { index, content_block: block }));
    frames.at(-1)?.push(frame('content_block_stop', { index }));
    return frames;
  });
  const { usage } = reply;
  const begun = { ...messageHead(reply), content: [], stop_reason: null };
  const first = usage ? { usage: { ...usageOf(usage), output_tokens: 1 } } : {};
  const last = usage ? { usage: usageOf(usage) } : {};
  const delta = { ...stopOf(reply), stop_sequence: null };
  return {
    head: [frame('message_start', { message: { ...begun, ...first } }), frame('ping', {})],
    chunks,
    tail: [frame('message_delta', { delta, ...last }), frame('message_stop', {})],
  };
}

export function anthropicWhole(reply: FullReply, body: Json, seal: Seal): object {
  return {
    ...messageHead(reply),
    content: blocksOf(reply, body, seal).map(({ whole }) => whole),
    ...stopOf(reply),
    ...(reply.usage ? { usage: usageOf(reply.usage) } : {}),
  };
}

function messageHead({ id, model }: FullReply): object {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
}

function stopOf({ stopReason }: FullReply): object {
  const stop_reason = STOP_REASONS[stopReason];
  const details = { type: 'refusal', category: null, explanation: null };
  return { stop_reason, stop_details: stop_reason === 'refusal' ? details : null };
}

/** `input_tokens` are those that neither came from the cache nor went into it. */
function usageOf(usage: NonNullable<FullReply['usage']>): object {
  const { inputTokens, cachedInputTokens, cacheWriteInputTokens } = usage;
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteInputTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens },
    service_tier: 'standard',
  };
}
