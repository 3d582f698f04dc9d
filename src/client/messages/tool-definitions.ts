/** Converts definitions of tools between the project's form and those of the model protocols and of MCP. */

import { isRecord, type JsonSchema, stringOr } from '../../base/json/json.js';
import { toWireTools as toAnthropic } from '../../models/anthropic/wire-messages.js';
import { toWireTools as toChat } from '../../models/chat/wire-messages.js';
import { toWireTool as toResponses } from '../../models/responses/wire-input.js';
import { recordsOf } from './read-messages.js';

/** A tool, in the form that models are offered. */
export interface DescribedTool {
  name: string;
  description: string;
  /** A JSON Schema of an object. */
  inputSchema: JsonSchema;
}

/** Reads tools of chat completions, of Responses, of Anthropic's Messages, or of an MCP server. One without a name is left out. */
export function fromTools(tools: readonly unknown[]): DescribedTool[] {
  return recordsOf(tools).flatMap(tool => {
    const spec = isRecord(tool.function) ? tool.function : tool;
    const name = stringOr(spec.name, '');
    if (name === '') return [];
    const given = [spec.parameters, spec.input_schema, spec.inputSchema].find(isRecord);
    return [{ name, description: stringOr(spec.description, ''), inputSchema: given ?? { type: 'object' } }];
  });
}

/** Returns the `tools` of a request of chat completions. */
export function toChatTools(tools: readonly DescribedTool[]): ReturnType<typeof toChat> {
  return toChat(tools.map(offered));
}

/** Returns the `tools` of a request of the Responses API. */
export function toResponsesTools(tools: readonly DescribedTool[]): ReturnType<typeof toResponses>[] {
  return tools.map(tool => toResponses(offered(tool)));
}

/** Returns the `tools` of a request of the Messages API. */
export function toAnthropicTools(tools: readonly DescribedTool[]): ReturnType<typeof toAnthropic> {
  return toAnthropic(tools.map(offered));
}

function offered(tool: DescribedTool) {
  return { ...tool, validation: 'strict' as const };
}
