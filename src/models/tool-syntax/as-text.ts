/** A request in which tools, calls and results are text: for models that have no interface for them. */
import type { AssistantMessage, Message, TextBlock } from '../../core/state/message.js';
import { textOf, toolCallsOf } from '../../core/state/message.js';
import type { ModelRequest, Pictures } from '../provider.js';
import { NO_PICTURES, refsOf } from '../request/message-text.js';
import type { ToolCallCodec } from './codec.js';

export function asText(request: ModelRequest, codec: ToolCallCodec): ModelRequest {
  const { tools, system, pictures = NO_PICTURES } = request;
  const messages = request.messages.map(message => inText(message, codec, pictures));
  if (tools.length === 0) return { ...request, messages };
  return {
    ...request,
    messages,
    system: [system, codec.encodeTools(tools)].filter(text => text !== '').join('\n\n'),
    tools: [],
    toolChoice: 'auto',
    // A reply that is held to the form of the role's output could call nothing.
    output: 'text',
  };
}

/** A message keeps its id, and so its pictures. */
function inText(message: Message, codec: ToolCallCodec, pictures: Pictures): Message {
  if (message.kind === 'assistant') return replyInText(message, codec);
  if (message.kind !== 'tool_result') return message;
  const { id, at } = message;
  const content: TextBlock[] = message.content.map(result => ({
    type: 'text',
    text: codec.encodeResult(result, refsOf(message, pictures)),
  }));
  return { id, at, kind: 'user', purpose: 'instruction', content };
}

function replyInText(reply: AssistantMessage, codec: ToolCallCodec): Message {
  const calls = toolCallsOf(reply);
  if (calls.length === 0) return reply;
  const said = textOf(reply);
  const written = calls.flatMap(call => codec.encodeCall(call, said) ?? []);
  const text = [said, ...written].filter(part => part !== '').join('\n\n');
  const reasoning = reply.content.filter(block => block.type === 'reasoning');
  return { ...reply, content: [...reasoning, { type: 'text', text }] };
}
