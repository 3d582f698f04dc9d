/** What the Responses API asks of a request beyond its schema. This server keeps no replies: as with `store: false`. */

import type { Json } from '../../../../packages/test-kit/model-server.js';
import type { WireError } from '../../../../packages/test-kit/scripted-reply.js';
import { openAiIssue, strictSchemaFault } from '../openai-checks.js';
import { firstIssue } from '../schema-issue.js';
import type { Seal } from '../seal.js';
import { type ResponsesBody, type ResponsesItem, responsesSchema } from './schema.js';

/** What the API answers to a request that breaks its rules; null for one that keeps them. */
export function refuseResponses(body: Json, seal: Seal): WireError | null {
  const issue = firstIssue(responsesSchema, body);
  if (issue) return openAiIssue(issue);
  const request = body as ResponsesBody;
  const items = typeof request.input === 'string' ? [] : request.input;
  return optionFault(request) ?? reasoningFault(items, seal) ?? pairingFault(items);
}

function optionFault({ tools, text, stream, stream_options }: ResponsesBody): WireError | null {
  if (stream_options && !stream) {
    return bad("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  for (const [index, tool] of (tools ?? []).entries()) {
    const fault = tool.strict ? strictSchemaFault(tool.parameters) : null;
    if (fault) {
      const param = `tools[${index}].parameters`;
      return bad(
        `Invalid schema for function '${tool.name}': ${fault}`,
        param,
        'invalid_function_parameters',
      );
    }
  }
  const format = text?.format?.type === 'json_schema' ? text.format : null;
  const fault = format?.strict ? strictSchemaFault(format.schema) : null;
  const words = `Invalid schema for response_format '${format?.name}': ${fault}`;
  return fault ? bad(words, 'text.format.schema', 'invalid_json_schema') : null;
}

/** Reasoning comes back as it was given, before what it led to. */
function reasoningFault(items: readonly ResponsesItem[], seal: Seal): WireError | null {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    const sealed = item.encrypted_content ?? null;
    if (sealed === null) {
      const words = `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
      return { status: 404, message: words, param: 'input' };
    }
    if (!seal.opens(sealed)) {
      const shown = `${sealed.slice(0, 4)}...${sealed.slice(-4)}`;
      const words = `The encrypted content ${shown} could not be verified.`;
      return bad(words, null, 'invalid_encrypted_content');
    }
    const next = items[index + 1];
    const follows = next?.type === 'function_call' || next?.type === 'reasoning' || isAnswer(next);
    if (!follows) {
      const words = `Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
      return bad(words, 'input');
    }
  }
  return null;
}

function isAnswer(item: ResponsesItem | undefined): boolean {
  return item !== undefined && 'role' in item && item.role === 'assistant';
}

/** Each call has its output after it, and no output stands without its call. */
function pairingFault(items: readonly ResponsesItem[]): WireError | null {
  const open = new Set<string>();
  for (const item of items) {
    if (item.type === 'function_call') open.add(item.call_id);
    if (item.type !== 'function_call_output' || open.delete(item.call_id)) continue;
    return bad(`No tool call found for function call output with call_id ${item.call_id}.`, 'input');
  }
  const [first] = open;
  return first === undefined ? null : bad(`No tool output found for function call ${first}.`, 'input');
}

function bad(message: string, param: string | null, code: string | null = null): WireError {
  return { status: 400, message, param, code };
}
