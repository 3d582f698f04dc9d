/** Tool calls written and read as text, for models and endpoints without an interface for tools (G14). */

import type { OfferedTool } from '../../rules/prompts/model-request.js';
import type { ToolResultBlock, ToolUseBlock } from '../../run/messages/message.js';

export interface ToolCallCodec {
  /** Describes the tools and how to call them; appended to the system prompt. */
  encodeTools(tools: readonly OfferedTool[]): string;
  /** Returns the text of a call from an earlier reply; null if the reply's text already contains it. */
  encodeCall(call: ToolUseBlock, replyText: string): string | null;
  /** `shown` holds the references of the pictures that are sent with it. */
  encodeResult(result: ToolResultBlock, shown?: ReadonlySet<string>): string;
  /** Creates a reader for one reply: it takes the text so far and returns the part for watchers. Default: everything. */
  proseReader?(): (text: string) => string;
  /** Returns the calls of a whole reply, in order. Never throws. */
  parse(text: string, tools: readonly OfferedTool[]): ParsedReply;
}

export interface ParsedReply {
  /** The reply's text without its calls. */
  text: string;
  calls: WrittenCall[];
}

export interface WrittenCall {
  name: string;
  /** JSON if the arguments could be read; otherwise their raw text. */
  arguments: string;
  raw: string;
  /** True if the reply ends within the call. */
  cut: boolean;
}
