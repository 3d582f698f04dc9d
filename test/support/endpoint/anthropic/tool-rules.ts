/**
 * Calls and their results: each call is answered at the beginning of the next turn, and nothing else is.
 * https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use
 */
import type { MessagesBody } from './schema.js';
import { type Turn, turnsOf } from './turns.js';

export function toolFault({ messages, tools, tool_choice }: MessagesBody): string | null {
  const names = (tools ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  if (tool_choice && tool_choice.type !== 'none' && names.length === 0)
    return 'tool_choice: tool_choice may only be specified while providing tools';
  const turns = turnsOf(messages);
  const ids = turns.flatMap(callsOf);
  if (new Set(ids).size < ids.length) return 'messages: `tool_use` ids must be unique';
  if (ids.length > 0 && names.length === 0) {
    return 'Requests which include `tool_use` or `tool_result` blocks must define tools';
  }
  for (const [at, turn] of turns.entries()) {
    const fault = unanswered(turn, turns[at + 1]) ?? unasked(turn, turns[at - 1]);
    if (fault !== null) return fault;
  }
  return null;
}

function unanswered(turn: Turn, next: Turn | undefined): string | null {
  const results = leadingResults(next);
  const open = callsOf(turn).filter(id => !results.includes(id));
  if (open.length === 0) return null;
  const words = '`tool_use` ids were found without `tool_result` blocks immediately after';
  const rule = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
  return `messages.${turn.index}: ${words}: ${open.join(', ')}. ${rule}`;
}

function unasked(turn: Turn, before: Turn | undefined): string | null {
  const open = new Set(before ? callsOf(before) : []);
  for (const { block, at } of turn.blocks) {
    if (block.type !== 'tool_result' || open.delete(block.tool_use_id)) continue;
    const words = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}`;
    const rule =
      'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
    return `${at}: ${words}. ${rule}`;
  }
  return null;
}

function callsOf({ blocks }: Turn): string[] {
  return blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []));
}

/** Results that come before anything else. */
function leadingResults(turn: Turn | undefined): string[] {
  const results: string[] = [];
  for (const { block } of turn?.blocks ?? []) {
    if (block.type !== 'tool_result') break;
    results.push(block.tool_use_id);
  }
  return results;
}
