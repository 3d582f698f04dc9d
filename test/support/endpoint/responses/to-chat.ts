/** A Responses request as scripts read it: in the form of chat completions. */

import type { Json, WireBody, WireMessage } from '../../../../packages/test-kit/model-server.js';
import { isRecord, stringOr } from '../../../../src/base/json/json.js';

export function responsesToChat(body: Json): WireBody | null {
  const { input } = body;
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  if (typeof body.model !== 'string' || !Array.isArray(items)) return null;
  const messages: WireMessage[] = [];
  if (typeof body.instructions === 'string') messages.push({ role: 'system', content: body.instructions });
  for (const item of items) if (isRecord(item)) add(item, messages);
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord) : [];
  return {
    model: body.model,
    messages,
    stream: body.stream === true,
    ...(tools.length > 0
      ? {
          tools: tools.map(({ type: _type, ...tool }) => ({
            type: 'function',
            function: { ...tool, name: stringOr(tool.name, '') },
          })),
        }
      : {}),
    ...formatOf(body),
  } as WireBody;
}

function add(item: Json, messages: WireMessage[]): void {
  if (item.type === 'function_call') {
    const call = { name: stringOr(item.name, ''), arguments: stringOr(item.arguments, '') };
    const last = messages.at(-1);
    const owner: WireMessage = last?.role === 'assistant' ? last : { role: 'assistant', content: null };
    if (owner !== last) messages.push(owner);
    owner.tool_calls = [
      ...(owner.tool_calls ?? []),
      { id: stringOr(item.call_id, ''), type: 'function', function: call },
    ];
  } else if (item.type === 'function_call_output') {
    messages.push({ role: 'tool', tool_call_id: stringOr(item.call_id, ''), content: textOf(item.output) });
  } else if (typeof item.role === 'string') {
    messages.push({ role: item.role as WireMessage['role'], content: textOf(item.content) });
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(part => (isRecord(part) ? stringOr(part.text, '') : '')).join('');
}

function formatOf({ text }: Json): Pick<WireBody, 'response_format'> {
  if (!isRecord(text) || !isRecord(text.format) || text.format.type !== 'json_schema') return {};
  const { type, ...json_schema } = text.format;
  return { response_format: { type, json_schema } as NonNullable<WireBody['response_format']> };
}
