/**
 * What a prefix cache can't spare: of the requests that were sent, the tokens that no earlier request to the same model
 * began with. Counted with the project's estimator, in the order in which endpoints read a request.
 */

import { roleOf } from '../../packages/test-kit/by-role.js';
import { estimateTokens } from '../../src/run/limits/tokens.js';
import type { ChatRequest } from './endpoint/model.js';

/** A request as an endpoint reads it: schema of the reply, tools, system text, messages. */
export interface SentRequest {
  role: string;
  model: string;
  /** What tells conversations apart: each has a system text of its own. */
  system: string;
  parts: readonly string[];
}

export interface Count {
  calls: number;
  /** All input tokens. */
  input: number;
  /** Of them: not the beginning of an earlier request. */
  fresh: number;
}

export interface SentTokens extends Count {
  byRole: Record<string, Count>;
  /**
   * Tokens of the last request of each conversation, with all that stands before it: one for each model and system
   * text, and another whenever a request does not begin as the one before it did, as after a trim.
   */
  conversations: number[];
}

export function sentRequest(request: ChatRequest): SentRequest {
  const { model, messages, tools = [], response_format: form } = request.body;
  const parts = [...(form ? [form] : []), ...tools, ...messages].map(part => JSON.stringify(part));
  return { role: roleOf(request), model, system: request.system, parts };
}

export function countSent(requests: readonly SentRequest[]): SentTokens {
  const total: SentTokens = { calls: 0, input: 0, fresh: 0, byRole: {}, conversations: [] };
  requests.forEach((request, at) => {
    const earlier = requests.slice(0, at).filter(({ model }) => model === request.model);
    const known = Math.max(0, ...earlier.map(other => commonParts(other.parts, request.parts)));
    const input = tokens(request.parts);
    const fresh = tokens(request.parts.slice(known));
    total.byRole[request.role] ??= { calls: 0, input: 0, fresh: 0 };
    for (const count of [total, total.byRole[request.role]]) {
      if (count === undefined) continue;
      count.calls += 1;
      count.input += input;
      count.fresh += fresh;
    }
    const later = requests
      .slice(at + 1)
      .find(other => other.model === request.model && other.system === request.system);
    const goesOn = later && commonParts(request.parts, later.parts) === request.parts.length;
    if (!goesOn) total.conversations.push(input);
  });
  return total;
}

/** How many parts two requests have in common at their beginning. */
function commonParts(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs < 0 ? Math.min(a.length, b.length) : differs;
}

function tokens(parts: readonly string[]): number {
  return parts.reduce((sum, part) => sum + estimateTokens(part), 0);
}
