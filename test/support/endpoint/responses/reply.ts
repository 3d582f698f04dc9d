/** A reply in the form of the Responses API: https://platform.openai.com/docs/api-reference/responses */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { Frame, FrameStream } from '../../../../packages/test-kit/play.js';
import { chunksOf, type FullReply, withCallId } from '../../../../packages/test-kit/scripted-reply.js';
import type { Seal } from '../seal.js';

/** The items of a reply as they stand at its end. */
function itemsOf(reply: FullReply, body: Json, seal: Seal): Json[] {
  const id = reply.id;
  const include = Array.isArray(body.include) ? body.include : [];
  const sealed = include.includes('reasoning.encrypted_content')
    ? { encrypted_content: seal.close(reply.reasoning) }
    : {};
  const reasoning = { id: `rs_${id}`, type: 'reasoning', summary: summaryOf(reply, body), ...sealed };
  const part =
    reply.stopReason === 'refusal'
      ? { type: 'refusal', refusal: reply.text }
      : { type: 'output_text', text: reply.text, annotations: [], logprobs: [] };
  const cut = reply.stopReason === 'max_tokens' || reply.stopReason === 'content_filter';
  const status = (isLast: boolean) => (cut && isLast ? 'incomplete' : 'completed');
  const message = {
    id: `msg_${id}`,
    type: 'message',
    status: status(reply.calls.length === 0),
    role: 'assistant',
    content: [part],
  };
  const calls = reply.calls.map((call, index) => ({
    id: `fc_${id}_${index}`,
    type: 'function_call',
    status: status(index === reply.calls.length - 1),
    ...withCallId('call_id', call.id, `call_${id.slice(-12)}_${index}`),
    name: call.name,
    arguments: call.text,
  }));
  return [...(reply.reasoning === '' ? [] : [reasoning]), ...(reply.text === '' ? [] : [message]), ...calls];
}

/** What a model thought is shown as a summary, and only where one is asked for. */
function summaryOf({ reasoning }: FullReply, { reasoning: asked }: Json): object[] {
  const wanted = typeof asked === 'object' && asked !== null && 'summary' in asked && asked.summary !== null;
  return wanted ? [{ type: 'summary_text', text: reasoning }] : [];
}

export function responsesWhole(reply: FullReply, body: Json, seal: Seal): object {
  const reason = { max_tokens: 'max_output_tokens', content_filter: 'content_filter' }[
    reply.stopReason as string
  ];
  return {
    ...responseHead(reply, body),
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(reply, body, seal),
    ...(reply.usage ? { usage: usageOf(reply.usage) } : {}),
  };
}

function responseHead({ id, model }: FullReply, body: Json): Json {
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: 0,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
  };
}

/** Events numbered in the order in which they are made. */
export function responsesStream(reply: FullReply, body: Json, seal: Seal): FrameStream {
  let number = 0;
  const event: MakeEvent = (type, fields) => ({
    event: type,
    data: { type, sequence_number: number++, ...fields },
  });
  const begun = responseHead(reply, body);
  const head = [
    event('response.created', { response: begun }),
    event('response.in_progress', { response: begun }),
  ];
  const chunks = itemsOf(reply, body, seal).flatMap((item, index) =>
    itemChunks(item, index, reply.chunkChars, event),
  );
  const whole = responsesWhole(reply, body, seal);
  const status = 'status' in whole ? String(whole.status) : '';
  return { head, chunks, tail: [event(`response.${status}`, { response: whole })] };
}

type MakeEvent = (type: string, fields: object) => Frame;

/** The item begins with its first chunk and is done with its last. */
function itemChunks(item: Json, index: number, chars: number, event: MakeEvent): Frame[][] {
  const at = { output_index: index };
  const of = { item_id: item.id, ...at };
  const added = event('response.output_item.added', { ...at, item: { ...item, ...emptyItem(item) } });
  const grown = growing(item, of, chars, event);
  const done = event('response.output_item.done', { ...at, item });
  const [first = [], ...rest] = grown;
  // A call begins with a chunk of its own, as in the other protocols.
  const chunks = item.type === 'function_call' ? [[added], ...grown] : [[added, ...first], ...rest];
  chunks.at(-1)?.push(done);
  return chunks;
}

function emptyItem({ type }: Json): Json {
  if (type === 'reasoning') return { summary: [] };
  if (type === 'message') return { status: 'in_progress', content: [] };
  return { status: 'in_progress', arguments: '' };
}

function growing(item: Json, of: object, chars: number, event: MakeEvent): Frame[][] {
  if (item.type === 'function_call') {
    const text = String(item.arguments);
    const name = 'response.function_call_arguments';
    const deltas = chunksOf(text, chars).map(delta => [event(`${name}.delta`, { ...of, delta })]);
    const done = event(`${name}.done`, { ...of, name: item.name, arguments: text });
    if (deltas.length === 0) return [[done]];
    deltas.at(-1)?.push(done);
    return deltas;
  }
  const parts = (item.type === 'reasoning' ? item.summary : item.content) as Json[];
  const [part] = parts;
  return part ? partChunks(part, of, chars, event) : [];
}

/** For each type of part: its name in events of its own, the name in events of its text, its field. */
const PARTS: Record<string, { part: string; text: string; field: string; index: string }> = {
  summary_text: {
    part: 'response.reasoning_summary_part',
    text: 'response.reasoning_summary_text',
    field: 'text',
    index: 'summary_index',
  },
  output_text: {
    part: 'response.content_part',
    text: 'response.output_text',
    field: 'text',
    index: 'content_index',
  },
  refusal: {
    part: 'response.content_part',
    text: 'response.refusal',
    field: 'refusal',
    index: 'content_index',
  },
};

function partChunks(part: Json, of: object, chars: number, event: MakeEvent): Frame[][] {
  const names = PARTS[String(part.type)];
  if (!names) return [];
  const at = { ...of, [names.index]: 0 };
  const text = String(part[names.field]);
  const added = event(`${names.part}.added`, { ...at, part: { ...part, [names.field]: '' } });
  const logprobs = part.type === 'output_text' ? { logprobs: [] } : {};
  const deltas = chunksOf(text, chars).map(delta => [
    event(`${names.text}.delta`, { ...at, delta, ...logprobs }),
  ]);
  const done = [
    event(`${names.text}.done`, { ...at, [names.field]: text, ...logprobs }),
    event(`${names.part}.done`, { ...at, part }),
  ];
  const [first = [], ...rest] = deltas;
  const chunks = [[added, ...first], ...rest];
  chunks.at(-1)?.push(...done);
  return chunks;
}

function usageOf(usage: NonNullable<FullReply['usage']>): object {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens,
      cache_write_tokens: usage.cacheWriteInputTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}
