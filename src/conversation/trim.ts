/** Makes a thread fit a model (X3): results are shortened, then left out, then messages dropped, calls with their results. */

import { fill, type Words } from '../base/words/words.js';
import { estimateMessageTokens } from '../run/limits/tokens.js';
import {
  type CutMessage,
  type Message,
  PURPOSES,
  type Purpose,
  rulesOf,
  type ToolResultBlock,
  toolCallsOf,
} from '../run/messages/message.js';
import { isPromptOf, roleAtHand } from '../run/state/thread.js';
import { inOrderOfWorth, leaveOutResult, type ShortResult, shortenResult } from './shorten-result.js';

export interface TrimRules {
  /** Threads up to this size stay unchanged. */
  limitTokens: number;
  /** The size after a trim, so that the next turns extend the same beginning without trimming. */
  targetTokens: number;
  /** The current task: its instruction stays. */
  taskId: string | null;
  /** Content that is left out can be read again by its id. Default false. */
  recalls?: boolean;
  /** Only results that were read are shortened. Default false. */
  resultsOnly?: boolean;
  /** With `resultsOnly`: the positions of results that may be shortened. Default: all. */
  only?: ReadonlySet<number>;
  /** Superseded reads go first, then the largest results; short ones and files that the goal names go last, or stay. */
  byWorth?: boolean;
  /** All of people's messages since the goal stay; else only the last. Default true. */
  keepsUserNotes?: boolean;
  /** Id and time of the message that marks the cut. */
  mark: Pick<CutMessage, 'id' | 'at'>;
  words: Words;
}

export interface Trimmed {
  messages: Message[];
  tokens: number;
  dropped: number;
  shortened: number;
  /** Messages whose results can no longer be read, not even by reference. */
  lost: string[];
}

/** Trims a thread above its limit to the target, by worth or oldest first. Messages in `anchorsOf` stay. */
export function trimThread(messages: readonly Message[], rules: TrimRules): Trimmed {
  // Unread results are shortened only if all else is not enough. Trimming twice changes nothing.
  const tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  const trimmed: Trimmed = { messages: [...messages], tokens, dropped: 0, shortened: 0, lost: [] };
  if (tokens <= rules.limitTokens) return trimmed;
  const { targetTokens, limitTokens, words, recalls = false, resultsOnly = false, byWorth = false } = rules;
  const idFor = (id: string) => (recalls ? id : undefined);
  const shorten: Shortener = (block, id) => shortenResult(block, words, idFor(id));
  const leaveOut: Shortener = (block, id) => leaveOutResult(block, words, idFor(id));
  // A thinned thread is not too long, so its newest results stay whole instead of a part of each.
  const ways = resultsOnly ? [leaveOut] : [shorten, leaveOut];
  const lastReply = messages.findLastIndex(message => message.kind === 'assistant');
  const order = byWorth ? inOrderOfWorth(messages, resultsOnly) : [...messages.keys()];
  const read = order.filter(at => at < lastReply && (rules.only?.has(at) ?? true));
  for (const how of ways) shorter(trimmed, how, read, targetTokens);
  if (!resultsOnly) {
    dropGroups(trimmed, rules);
    const left = trimmed.messages.findLastIndex(message => message.kind === 'assistant');
    const unread = [...trimmed.messages.keys()].filter(at => at > left);
    for (const how of ways) shorter(trimmed, how, unread, limitTokens);
  }
  const before = new Set(messages);
  trimmed.shortened = trimmed.messages.filter(
    message => message.kind === 'tool_result' && !before.has(message),
  ).length;
  return trimmed;
}

/** Returns the id for `recall`. */
export function recallIdOf({ id, from }: Message): string {
  return from ? `${from.chain}/${from.id}` : id;
}

type Shortener = (block: ToolResultBlock, id: string) => ShortResult | null;

function shorter(trimmed: Trimmed, how: Shortener, order: readonly number[], tokens: number): void {
  const { messages } = trimmed;
  for (const at of order) {
    if (trimmed.tokens <= tokens) return;
    const message = messages[at];
    const short = message?.kind === 'tool_result' ? how(message.content[0], recallIdOf(message)) : null;
    if (message?.kind !== 'tool_result' || !short) continue;
    const changed: Message = { ...message, content: [short.block] };
    const saved = estimateMessageTokens(message) - estimateMessageTokens(changed);
    if (saved <= 0) continue;
    messages[at] = changed;
    trimmed.tokens -= saved;
    if (!short.readable) trimmed.lost.push(message.id);
  }
}

function dropGroups(
  trimmed: Trimmed,
  { targetTokens, taskId, mark, words, keepsUserNotes = true, recalls = false }: TrimRules,
): void {
  // Otherwise the cut's note alone could exceed the target.
  if (trimmed.tokens <= targetTokens) return;
  const { messages } = trimmed;
  const anchors = [...anchorsOf(messages, taskId, keepsUserNotes), lastSummary(messages)];
  const earlier = messages.find(message => message.kind === 'cut');
  const gone = new Set<Message>();
  let cut = earlier ?? cutMessage(words, mark, 0, recalls ? null : {});
  let tokens = trimmed.tokens + (earlier ? 0 : estimateMessageTokens(cut));
  for (const { first, last } of groupsOf(messages)) {
    if (tokens <= targetTokens) break;
    if (anchors.some(at => at >= first && at <= last)) continue;
    const group = messages.slice(first, last + 1).filter(message => message !== earlier);
    for (const message of group) gone.add(message);
    const wider = cutMessage(
      words,
      mark,
      cut.dropped + group.length,
      recalls ? null : toolCounts(words, cut.tools, group),
    );
    tokens += estimateMessageTokens(wider) - estimateMessageTokens(cut);
    tokens -= group.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    cut = wider;
  }
  if (gone.size === 0) return;
  const position = messages.findIndex(message => message === earlier || gone.has(message));
  trimmed.messages = messages.flatMap((message, at) => {
    const stays = message === earlier || gone.has(message) ? [] : [message];
    return at === position ? [cut, ...stays] : stays;
  });
  trimmed.tokens = tokens;
  trimmed.dropped = gone.size;
  if (!recalls) trimmed.lost.push(...[...gone].map(({ id }) => id));
}

/** Tools that a cut names; others are counted together. */
const TOOLS_NAMED = 20;

function toolCounts(
  words: Words,
  before: Readonly<Record<string, number>>,
  gone: readonly Message[],
): Record<string, number> {
  const counts = new Map(Object.entries(before));
  for (const message of gone) {
    if (message.kind !== 'tool_result') continue;
    const { toolName } = message.content[0];
    const name = counts.has(toolName) || counts.size < TOOLS_NAMED ? toolName : words.trimmedOthers;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** Returns the message at the cut, including earlier cuts (LI7). `tools` is null if the model can read them again. */
function cutMessage(
  words: Words,
  mark: TrimRules['mark'],
  dropped: number,
  counts: Record<string, number> | null,
): CutMessage {
  const tools = counts ?? {};
  const results = Object.entries(tools).map(([tool, count]) =>
    count > 1 ? fill(words.trimmedTimes, { tool, count }) : tool,
  );
  const said =
    results.length === 0
      ? fill(counts === null ? words.trimmedRecall : words.trimmed, { count: dropped })
      : fill(words.trimmedResults, { count: dropped, tools: results.join(', ') });
  return { ...mark, kind: 'cut', dropped, tools, content: [{ type: 'text', text: said }] };
}

/** Purposes whose last message stays. */
const STAYING = (Object.keys(PURPOSES) as Purpose[]).filter(purpose => PURPOSES[purpose].lastStays);

/** Returns positions that the current work rests on. Other roles' prompts are repeated when their turn comes. */
export function anchorsOf(
  messages: readonly Message[],
  taskId: string | null,
  keepsUserNotes: boolean,
): number[] {
  const lastOf = (isWanted: (purpose: Purpose) => boolean) =>
    messages.findLastIndex(message => message.kind === 'user' && isWanted(message.purpose));
  const goal = lastOf(purpose => purpose === 'goal');
  const userNote = lastOf(purpose => purpose === 'steer');
  const userNotes = messages.flatMap((message, at) => {
    if (message.kind !== 'user' || at < goal) return [];
    const isInstruction = taskId !== null && message.taskId === taskId;
    const isUserNote = message.purpose === 'steer' && (keepsUserNotes || at === userNote);
    return isUserNote || isInstruction ? [at] : [];
  });
  const role = roleAtHand({ messages });
  const prompt = messages.findLastIndex(message => isPromptOf(message, role));
  const staying = STAYING.map(purpose => lastOf(each => each === purpose));
  const last = lastOf(purpose => rulesOf(purpose).instructs);
  const lastReply = messages.findLastIndex(message => message.kind === 'assistant');
  const calls = messages.slice(Math.max(0, lastReply), lastReply + 1).flatMap(callIds);
  const anchors = [...staying, ...userNotes, prompt, last, ...(calls.length > 0 ? [lastReply] : [])];
  return anchors.filter(at => at >= 0);
}

/** The last summary stays until another replaces it, because it stands for earlier messages. */
export function lastSummary(messages: readonly Message[]): number {
  return messages.findLastIndex(message => message.kind === 'user' && message.purpose === 'summary');
}

interface Group {
  first: number;
  last: number;
}

export function groupsOf(messages: readonly Message[]): Group[] {
  const lastResult = lastResultPositions(messages);
  const groups: Group[] = [];
  let open: Group | null = null;
  messages.forEach((message, index) => {
    const reach = Math.max(index, ...callIds(message).map(id => lastResult.get(id) ?? index));
    if (open !== null && index <= open.last) open.last = Math.max(open.last, reach);
    else {
      open = { first: index, last: reach };
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
