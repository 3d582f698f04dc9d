/** Canonical messages in the wire form of OpenAI chat completions (G5). */
import type OpenAI from 'openai';
import { type AssistantMessage, type LlmMessage, type ToolUseBlock, textOf } from '../../core/message.js';
import type { OfferedTool } from '../../core/model-request.js';
import { toolResultText } from '../../core/tools/tool-result.js';

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** Said after a reply that a person cut off, so that it is not taken for a whole one. */
const INTERRUPTED_NOTE = '[The user interrupted this reply here: it is not complete.]';

/** One wire message for each canonical one, in order, after the system prompt. Reasoning is not sent. */
export function toWireMessages(system: string, messages: readonly LlmMessage[]): WireMessage[] {
  const wire = messages.map(toWireMessage);
  return system === '' ? wire : [{ role: 'system', content: system }, ...wire];
}

function toWireMessage(message: LlmMessage): WireMessage {
  switch (message.kind) {
    case 'user':
    case 'cut':
      return { role: 'user', content: textOf(message) };
    case 'summary':
      return { role: 'user', content: `Summary of the conversation so far:\n${textOf(message)}` };
    case 'assistant':
      return toWireAssistant(message);
    case 'tool_result': {
      const [result] = message.content;
      return { role: 'tool', tool_call_id: result.toolUseId, content: toolResultText(result) };
    }
  }
}

function toWireAssistant(message: AssistantMessage): WireMessage {
  const calls = message.content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  const said = textOf(message);
  const text = message.stopReason === 'interrupted' ? `${said}\n${INTERRUPTED_NOTE}`.trim() : said;
  if (calls.length === 0) return { role: 'assistant', content: text };
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    tool_calls: calls.map(call => ({
      id: call.id,
      type: 'function',
      // The parsed arguments, not the raw text: chat templates of local servers fail on broken JSON.
      function: { name: call.name, arguments: JSON.stringify(call.input) },
    })),
  };
}

/** Tool definitions as the wire wants them: an object schema with `properties`, without a dialect line. */
export function toWireTools(tools: readonly OfferedTool[]): OpenAI.Chat.ChatCompletionTool[] {
  return tools.map(tool => {
    const { $schema: _dialect, ...schema } = tool.inputSchema;
    const parameters = { type: 'object', properties: {}, ...schema };
    return { type: 'function', function: { name: tool.name, description: tool.description, parameters } };
  });
}
