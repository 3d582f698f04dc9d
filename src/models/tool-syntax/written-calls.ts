/** Tool calls that stand in a reply's text: the same blocks as native ones, checked alike. */

import type { OfferedTool } from '../../core/prompts/model-request.js';
import type { AssistantMessage, TextBlock, ToolUseBlock } from '../../core/state/message.js';
import { toolCallId } from '../../core/state/message.js';
import { toToolUse } from '../request/tool-arguments.js';
import type { ToolCallCodec, WrittenCall } from './codec.js';

type Content = AssistantMessage['content'];

export interface WrittenReply {
  /** As text, mended where it had to be. */
  text: string;
  callId: string;
  tools: readonly OfferedTool[];
  /** The reply was cut at its limit: a call without its end is not run. */
  cut: boolean;
}

/** The content of a reply with the calls that its text holds; null where it holds none. */
export function withWrittenCalls(
  content: Content,
  reply: WrittenReply,
  codec: ToolCallCodec,
): Content | null {
  if (reply.tools.length === 0) return null;
  const parsed = codec.parse(reply.text, reply.tools);
  if (parsed.calls.length === 0) return null;
  const calls = parsed.calls.map((call, index) => toBlock(call, index, reply));
  const said: TextBlock[] = parsed.text === '' ? [] : [{ type: 'text', text: parsed.text }];
  const first = content.findIndex(block => block.type === 'text');
  const others = content.filter(block => block.type !== 'text');
  return [...others.slice(0, first), ...said, ...others.slice(first), ...calls];
}

function toBlock(call: WrittenCall, index: number, { callId, tools, cut }: WrittenReply): ToolUseBlock {
  const isCut = cut && call.unclosed;
  const text = isCut ? `${call.raw} …` : call.arguments;
  return toToolUse({ id: toolCallId(callId, index + 1), name: call.name, text, cut: isCut }, tools);
}
