/** A Messages request as scripts read it: in the form of chat completions. */

import type { Json, WireBody, WireMessage } from '../../../../packages/test-kit/model-server.js';
import { isRecord, stringOr } from '../../../../src/base/json/json.js';

export function anthropicToChat(body: Json): WireBody | null {
  if (typeof body.model !== 'string' || !Array.isArray(body.messages)) return null;
  const system = textOf(body.system);
  const messages: WireMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  for (const message of body.messages) if (isRecord(message)) messages.push(...messagesOf(message));
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord) : [];
  return {
    model: body.model,
    messages,
    stream: body.stream === true,
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input_schema }) => ({
            type: 'function',
            function: { name, description, parameters: input_schema },
          })),
        }
      : {}),
    ...formatOf(body),
  } as WireBody;
}

/** Results come first in a message, and each is one of its own for chat completions. */
function messagesOf({ role, content }: Json): WireMessage[] {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : [];
  const text = textOf(content);
  if (role === 'assistant') {
    const calls = blocks.filter(block => block.type === 'tool_use').map(toWireCall);
    return [{ role, content: text, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  }
  const results = blocks
    .filter(block => block.type === 'tool_result')
    .map(
      (block): WireMessage => ({
        role: 'tool',
        tool_call_id: stringOr(block.tool_use_id, ''),
        content: textOf(block.content),
      }),
    );
  return [
    ...results,
    ...(text === '' && results.length > 0 ? [] : [{ role: 'user' as const, content: text }]),
  ];
}

function toWireCall(block: Json): NonNullable<WireMessage['tool_calls']>[number] {
  const called = { name: stringOr(block.name, ''), arguments: JSON.stringify(block.input) };
  return { id: stringOr(block.id, ''), type: 'function', function: called };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .filter(isRecord)
    .map(block => stringOr(block.text, ''))
    .filter(Boolean)
    .join('\n');
}

/** Anthropic's formats have no name. */
function formatOf({ output_config }: Json): Pick<WireBody, 'response_format'> {
  if (!isRecord(output_config) || !isRecord(output_config.format)) return {};
  const schema = isRecord(output_config.format.schema) ? output_config.format.schema : {};
  return { response_format: { type: 'json_schema', json_schema: { name: '', strict: true, schema } } };
}
