/** Canonical messages in the wire form of OpenAI chat completions (G5). */
import type OpenAI from 'openai';
import type { AssistantMessage, LlmMessage } from '../../core/message.js';
import { toolCallsOf } from '../../core/message.js';
import type { OfferedTool } from '../../core/model-request.js';
import { toolResultText } from '../../core/tools/tool-result.js';
import { assistantText, userText } from '../message-text.js';

type WireMessage = OpenAI.Chat.ChatCompletionMessageParam;

/** One wire message for each canonical one, in order, after the system prompt. Reasoning is not sent. */
export function toWireMessages(system: string, messages: readonly LlmMessage[]): WireMessage[] {
  const wire = messages.map(toWireMessage);
  return system === '' ? wire : [{ role: 'system', content: system }, ...wire];
}

function toWireMessage(message: LlmMessage): WireMessage {
  switch (message.kind) {
    case 'assistant':
      return toWireAssistant(message);
    case 'tool_result': {
      const [result] = message.content;
      return { role: 'tool', tool_call_id: result.toolUseId, content: toolResultText(result) };
    }
    default:
      return { role: 'user', content: userText(message) };
  }
}

function toWireAssistant(message: AssistantMessage): WireMessage {
  const calls = toolCallsOf(message);
  const text = assistantText(message);
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
