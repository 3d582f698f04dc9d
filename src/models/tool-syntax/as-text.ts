/** Writes tools, calls and results of a request as text, and reads replies accordingly, for models without a tool interface. */
import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { AssistantMessage, Message, TextBlock, ToolUseBlock } from '../../run/messages/message.js';
import { textOf, toolCallId, toolCallsOf } from '../../run/messages/message.js';
import type { ModelRequest, Pictures } from '../provider/provider.js';
import { NO_PICTURES, refsOf } from '../request/message-text.js';
import { toToolUse } from '../request/tool-arguments.js';
import type { ToolCallCodec, WrittenCall } from './codec.js';

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
    // A reply bound to the schema of the role's output could not contain a call.
    output: 'text',
  };
}

/** The message's id is unchanged, so its pictures stay attached. */
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

type Content = AssistantMessage['content'];

export interface WrittenReply {
  /** The reply's text, repaired if necessary. */
  text: string;
  callId: string;
  tools: readonly OfferedTool[];
}

/** Returns the content of a reply with the calls found in its text; null if there are no calls. */
export function withWrittenCalls(
  content: Content,
  reply: WrittenReply,
  codec: Pick<ToolCallCodec, 'parse'>,
): Content | null {
  if (reply.tools.length === 0) return null;
  const parsed = codec.parse(reply.text, reply.tools);
  if (parsed.calls.length === 0) return null;
  const calls = parsed.calls.map((call, index) => toBlock(call, index, reply));
  const textBlocks: TextBlock[] = parsed.text === '' ? [] : [{ type: 'text', text: parsed.text }];
  const first = content.findIndex(block => block.type === 'text');
  const others = content.filter(block => block.type !== 'text');
  return [...others.slice(0, first), ...textBlocks, ...others.slice(first), ...calls];
}

function toBlock(call: WrittenCall, index: number, { callId, tools }: WrittenReply): ToolUseBlock {
  const text = call.cut ? `${call.raw} …` : call.arguments;
  return toToolUse({ id: toolCallId(callId, index + 1), name: call.name, text, cut: call.cut }, tools);
}
