/** Tool calls that a role of the envelope dialect writes as JSON: the same blocks as native ones. */

import type { ToolUseBlock } from '../core/message.js';
import { toolCallId } from '../core/message.js';
import type { ModelRequestHead } from '../core/model-request.js';
import { envelopeToolCall } from '../core/outputs/envelope.js';
import { extractJson } from '../core/outputs/parse-output.js';
import { toToolUse } from './tool-arguments.js';

/**
 * The call that a reply without native calls is: its `action` names a tool that was offered. Null for every
 * other reply and in the component dialect, where such JSON is data. Arguments are checked like native ones.
 */
export function envelopeToolUse(
  text: string,
  callId: string,
  { dialect, tools }: Pick<ModelRequestHead, 'dialect' | 'tools'>,
): ToolUseBlock | null {
  if (dialect !== 'envelope' || tools.length === 0) return null;
  const json = extractJson(text);
  const names = tools.map(tool => tool.name);
  const call = json && envelopeToolCall(json, names);
  if (!call) return null;
  const { name, input } = call;
  return toToolUse({ id: toolCallId(callId, 1), name, text: JSON.stringify(input), cut: false }, tools);
}
