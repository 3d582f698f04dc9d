/** https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking */
import type { Seal } from '../seal.js';
import type { MessagesBlock, MessagesBody } from './schema.js';
import { type Turn, turnsOf } from './turns.js';

export function thinkingFault(request: MessagesBody, seal: Seal): string | null {
  const turns = turnsOf(request.messages);
  return optionFault(request) ?? sealFault(turns, seal) ?? (isOn(request) ? loopFault(turns) : null);
}

function isOn({ thinking }: MessagesBody): boolean {
  return thinking !== undefined && thinking.type !== 'disabled';
}

function optionFault(request: MessagesBody): string | null {
  const { thinking, max_tokens, temperature, tool_choice } = request;
  if (thinking?.type === 'enabled' && max_tokens <= thinking.budget_tokens)
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  if (!isOn(request)) return null;
  if (temperature !== undefined && temperature !== 1)
    return '`temperature` may only be set to 1 when thinking is enabled.';
  const isForced = tool_choice?.type === 'any' || tool_choice?.type === 'tool';
  return isForced ? 'Thinking may not be enabled when tool_choice forces tool use.' : null;
}

/** Thinking comes back as it was given. */
function sealFault(turns: readonly Turn[], seal: Seal): string | null {
  for (const { block, at } of turns.flatMap(turn => turn.blocks)) {
    if (block.type === 'thinking' && block.signature !== seal.sign(block.thinking))
      return `${at}: Invalid \`signature\` in \`thinking\` block`;
    if (block.type === 'redacted_thinking' && !seal.opens(block.data))
      return `${at}: Invalid \`data\` in \`redacted_thinking\` block`;
  }
  return null;
}

/** With thinking on, what the model said in a loop of calls that still goes on begins with its thinking. */
function loopFault(turns: readonly Turn[]): string | null {
  const [said, results] = turns.slice(-2);
  if (said?.role !== 'assistant' || !results?.blocks.some(({ block }) => block.type === 'tool_result'))
    return null;
  const [first] = said.blocks;
  if (!first || isThinking(first.block)) return null;
  const words = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.block.type}\`.`;
  const rule =
    'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).';
  return `${first.at}.type: ${words} ${rule}`;
}

function isThinking({ type }: MessagesBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}
