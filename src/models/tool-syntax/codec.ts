/** Tool calls of models and endpoints that have no interface for them: written and read as text (G14). */

import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { ToolResultBlock, ToolUseBlock } from '../../run/messages/message.js';

export interface ToolCallCodec {
  /** What tells a model which tools there are and how to call them: the end of its system prompt. */
  encodeTools(tools: readonly OfferedTool[]): string;
  /** A call of an earlier reply, as it would have been written; null where the reply's text holds it. */
  encodeCall(call: ToolUseBlock, replyText: string): string | null;
  /** `shown`: references of the pictures that stand beside it. */
  encodeResult(result: ToolResultBlock, shown?: ReadonlySet<string>): string;
  /** Of one reply: takes its text so far, gives what of it a watcher sees. Default: all. */
  proseReader?(): (text: string) => string;
  /** The calls of a whole reply, in order. Never throws. */
  parse(text: string, tools: readonly OfferedTool[]): ParsedReply;
}

export interface ParsedReply {
  /** What the reply says besides its calls. */
  text: string;
  calls: WrittenCall[];
}

export interface WrittenCall {
  name: string;
  /** JSON where it could be read; else what stands there. */
  arguments: string;
  raw: string;
  /** The reply ends within it. */
  cut: boolean;
}
