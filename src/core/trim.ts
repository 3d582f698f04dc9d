/** Trimming of threads that no longer fit a model (X3). Pair-safe: calls and results go together (G7). */
import { type Message, toolCallsOf } from './message.js';
import { estimateMessageTokens } from './tokens.js';

/** Messages that stay or go together: positions, both included. */
interface Group {
  first: number;
  last: number;
  tokens: number;
  kept: boolean;
}

export interface TrimResult<M extends Message> {
  /** In their old order. */
  messages: M[];
  /** How many messages went. */
  dropped: number;
}

/**
 * Drops the oldest messages until the rest is within the budget. Kept in any case: the first goal and
 * the last goal or brief, that is what the conversation is for and what is wanted now, and the last reply
 * while its calls wait for results. A reply with tool calls goes together with all their results and what
 * lies between. Where even what is kept in any case is over the budget, the result is too. Trimming what
 * was trimmed changes nothing.
 */
export function trimThread<M extends Message>(messages: readonly M[], budgetTokens: number): TrimResult<M> {
  const groups = groupsOf(messages);
  let tokens = groups.reduce((sum, group) => sum + group.tokens, 0);
  const anchors = anchorsOf(messages);
  for (const group of groups) {
    if (tokens <= budgetTokens) break;
    if (anchors.some(at => at >= group.first && at <= group.last)) continue;
    group.kept = false;
    tokens -= group.tokens;
  }
  const kept = groups
    .filter(group => group.kept)
    .flatMap(({ first, last }) => messages.slice(first, last + 1));
  return { messages: kept, dropped: messages.length - kept.length };
}

function anchorsOf(messages: readonly Message[]): number[] {
  const results = lastResultPositions(messages);
  const lastReply = messages.findLastIndex(message => message.kind === 'assistant');
  const firstGoal = messages.findIndex(message => message.kind === 'user' && message.purpose === 'goal');
  const lastWish = messages.findLastIndex(message => message.kind === 'user' && message.purpose !== 'reask');
  const waits = messages
    .slice(lastReply)
    .flatMap(callIds)
    .some(id => !results.has(id));
  return waits ? [firstGoal, lastWish, lastReply] : [firstGoal, lastWish];
}

/** Cuts a thread where no call is waiting for its result. */
function groupsOf(messages: readonly Message[]): Group[] {
  const lastResult = lastResultPositions(messages);
  const groups: Group[] = [];
  let open: Group | null = null;
  messages.forEach((message, index) => {
    const reach = Math.max(index, ...callIds(message).map(id => lastResult.get(id) ?? index));
    const tokens = estimateMessageTokens(message);
    if (open !== null && index <= open.last) {
      open.last = Math.max(open.last, reach);
      open.tokens += tokens;
    } else {
      open = { first: index, last: reach, tokens, kept: true };
      groups.push(open);
    }
  });
  return groups;
}

function callIds(message: Message): string[] {
  return message.kind === 'assistant' ? toolCallsOf(message).map(call => call.id) : [];
}

function lastResultPositions(messages: readonly Message[]): Map<string, number> {
  const positions = new Map<string, number>();
  messages.forEach((message, index) => {
    if (message.kind === 'tool_result') positions.set(message.content[0].toolUseId, index);
  });
  return positions;
}
