/** What chat completions asks of a request beyond its schema. */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import { openAiIssue, strictSchemaFault } from '../openai-checks.js';
import { firstIssue } from '../schema-issue.js';
import { type ChatMessage, type ChatRequestBody, chatSchema } from './schema.js';

/** What the API answers to a request that breaks its rules; null for one that keeps them. */
export function refuseChat(body: Json): WireError | null {
  const issue = firstIssue(chatSchema, body);
  if (issue) return openAiIssue(issue);
  const request = body as ChatRequestBody;
  return optionFault(request) ?? pairingFault(request.messages);
}

function optionFault({ tools, tool_choice, parallel_tool_calls, stream, ...rest }: ChatRequestBody) {
  const { stream_options, response_format } = rest;
  if (!tools && tool_choice)
    return bad("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  if (!tools && parallel_tool_calls) {
    return bad("'parallel_tool_calls' is only allowed when 'tools' are specified.", 'parallel_tool_calls');
  }
  if (stream_options && !stream) {
    return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  for (const [index, { function: called }] of (tools ?? []).entries()) {
    const fault = called.strict ? strictSchemaFault(called.parameters ?? {}) : null;
    if (fault) {
      const param = `tools[${index}].function.parameters`;
      return bad(
        `Invalid schema for function '${called.name}': ${fault}`,
        param,
        'invalid_function_parameters',
      );
    }
  }
  const format = response_format?.type === 'json_schema' ? response_format.json_schema : null;
  const fault = format?.strict ? strictSchemaFault(format.schema) : null;
  return fault
    ? bad(`Invalid schema for response_format '${format?.name}': ${fault}`, 'response_format')
    : null;
}

/** Each call has its result right behind it, and no result stands without its call. */
function pairingFault(messages: readonly ChatMessage[]): WireError | null {
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const param = `messages.[${index}].role`;
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue;
      const words = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
      return bad(`Invalid parameter: ${words}`, param);
    }
    if (open.size > 0) return unanswered(open, param);
    if (message.role !== 'assistant') continue;
    if (!message.tool_calls && (message.content ?? null) === null) {
      const words = `Invalid value for 'content': expected a string, got null.`;
      return bad(words, `messages.[${index}].content`);
    }
    open = new Set((message.tool_calls ?? []).map(call => call.id));
    if (open.size < (message.tool_calls ?? []).length)
      return bad("Duplicate value for 'tool_call_id'.", param);
  }
  return open.size > 0 ? unanswered(open, 'messages') : null;
}

function unanswered(open: ReadonlySet<string>, param: string): WireError {
  const words =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
  const ids = [...open].join(', ');
  return bad(`${words} The following tool_call_ids did not have response messages: ${ids}`, param);
}

function bad(message: string, param: string, code: string | null = null): WireError {
  return { status: 400, message, param, code };
}
