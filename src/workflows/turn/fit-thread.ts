/** Fits threads into the context of a model. Trims keep calls and results paired, and the journal reports them. */

import { ownValue } from '../../base/json/json.js';
import { shortenThread } from '../../conversation/handover.js';
import { oldResults, type Unneeded, unneededResults } from '../../conversation/shorten-result.js';
import { isRecall } from '../../conversation/tool-result.js';
import { recallIdOf } from '../../conversation/trim.js';
import { paragraphs } from '../../rules/prompts/instructions.js';
import { prefixOf, recallText } from '../../rules/prompts/shared-prefix.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools, type PinnedRun } from '../../run/agents/run-config.js';
import {
  type ContextRules,
  carryingCostsMore,
  EARLIER_SAVED_SHARE,
  isShare,
  softTokensOf,
  thinPays,
} from '../../run/limits/decide.js';
import { DEFAULT_CONTEXT_TOKENS, estimateMessageTokens, estimateTokens } from '../../run/limits/tokens.js';
import type { Message } from '../../run/messages/message.js';
import { tokenFactor } from '../../run/models/model-use.js';
import type { Thread } from '../../run/state/thread.js';
import { storeIsAway } from '../run/keep-session.js';
import type { Run } from '../run/run.js';

/** Share of a model's context that a request may fill. Estimates err, and the reply needs space. */
const CONTEXT_SHARE = 0.8;

/** Pinned roles never change, so each is measured once. */
const measured = new WeakMap<PinnedRole, number>();

function prefixTokens({ pinned }: Run, role: PinnedRole): number {
  const known = measured.get(role);
  if (known !== undefined) return known;
  const { system, tools } = prefixOf(pinned, role);
  const tokens = estimateTokens(system) + estimateTokens(JSON.stringify(tools));
  measured.set(role, tokens);
  return tokens;
}

function windowOf({ modelInfo }: PinnedRun, model: string): number {
  return modelInfo[model]?.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
}

/** Returns the estimated tokens that messages of a call may use, after system prompt and tools. */
export function contextBudget(run: Run, role: PinnedRole, model: string): number {
  const context = windowOf(run.pinned, model);
  const { contextLimits, inputCounts } = run.state.models;
  const whole = Math.floor((context * CONTEXT_SHARE) / tokenFactor(inputCounts, model));
  const room = whole - prefixTokens(run, role);
  return Math.min(room, ownValue(contextLimits, model) ?? room);
}

/** Returns the estimated tokens of a role's next request: system prompt, tools and messages. */
export function requestTokens(run: Run, role: PinnedRole, thread: Thread = run.threadOf(role)): number {
  return prefixTokens(run, role) + thread.tokens;
}

/** Trims a thread that is over `limitTokens`; true if it did. Only allowed while no call on the thread is in flight. */
export function trimToFit(run: Run, thread: Thread, limitTokens: number, why: string): boolean {
  return shortenThread(run.state, thread, limitTokens, { why, at: run.ports.now() });
}

/** Share of the context at which old results are left out and the thread is summarised, before it must be cut. */
const FULL_SHARE = 0.8;

/** Returns the tokens from which on a thread is thinned or summarised. */
export function softLimit(
  { pinned }: Run,
  context: ContextRules,
  { role: { name }, model, room }: { role: PinnedRole; model: string; room: number },
): number {
  const soft = softTokensOf(context, name, windowOf(pinned, model));
  return Math.min(soft, Math.floor(room * FULL_SHARE));
}

/** Thinning goes down to this share of the soft limit, so that many turns then append to the same prefix. */
const THINNED_SHARE = 0.3;
const EARLIER_THINNED_SHARE = 0.5;

/** Replies that a judging or summarising role may spend on recalling what was left out. */
const RECALLS = 2;

/** Returns how many replies a role has to `recall` what was left out of its thread, before it judges (SE2). */
export function recallRounds({ pinned }: Run, role: PinnedRole, thread: Thread): number {
  const isOffered = offeredTools(pinned, role).some(isRecall);
  return isOffered && thread.messages.some(isLeftOut) ? RECALLS : 0;
}

/** Returns an instruction to a role that judges, with the replies in which it may recall what was left out. */
export function withRecalls(run: Run, role: PinnedRole, text: string): string {
  const rounds = recallRounds(run, role, run.threadOf(role));
  return paragraphs(recallText(run.pinned, role, rounds, run.words), text);
}

/** True for a result whose note names an id to recall, and for a message that replaces others. */
function isLeftOut(message: Message): boolean {
  if (message.kind === 'tool_result') return message.content[0].note.includes(`"${recallIdOf(message)}"`);
  return message.kind === 'cut' || (message.kind === 'user' && message.purpose === 'summary');
}

/** Leaves old results out if that is cheaper than sending them: the model can read them again by the tool `recall`. */
export function thinIfItPays(run: Run, role: PinnedRole, thread: Thread, model: string): void {
  const { state, pinned, ports } = run;
  if (!pinned.context || !pinned.tools.some(isRecall) || storeIsAway(run)) return;
  const before = thread.tokens;
  const least = run.behaves(4) ? undefined : EARLIER_SAVED_SHARE;
  const room = contextBudget(run, role, model);
  const soft = softLimit(run, pinned.context, { role, model, room });
  if (before <= soft) {
    if (run.behaves(4) && isShare(pinned.context, role.name)) leaveOutUnneeded(run, thread);
    return;
  }
  shortenThread(state, thread, soft, {
    why: WHY_THINNED,
    at: ports.now(),
    targetShare: run.behaves(4) ? THINNED_SHARE : EARLIER_THINNED_SHARE,
    resultsOnly: true,
    pays: after =>
      thinPays({ before, after, cachedShare: cachedShare(run), turns: state.total.turns }, least),
  });
}

const WHY_THINNED = 'old results cost more than they are worth';
/** Below this no result is left out for its price alone: a short conversation is whole. */
const SHORT_TOKENS = 16_000;
/** Tokens of the note that replaces a result. */
const NOTE_TOKENS = 40;

/** Leaves out results that no call has gone back to, together, so that the endpoint's cache breaks rarely. */
function leaveOutUnneeded(run: Run, thread: Thread): void {
  const { messages, tokens: before } = thread;
  if (before <= SHORT_TOKENS) return;
  const cached = cachedOfRepeated(thread);
  const pays = (unneeded: readonly Unneeded[], behind: number) => {
    const tokens = unneeded.map(({ at, replies }) => ({ saved: savedAt(messages, at), replies }));
    const saved = tokens.reduce((sum, each) => sum + each.saved, 0);
    const carried = tokens.reduce((sum, each) => sum + each.saved * each.replies, 0);
    return carryingCostsMore({ before, saved, behind: behind - saved, carried, cachedShare: cached });
  };
  // All that is old shows quickly that nothing pays yet: only then is it looked at which of it was needed since.
  const old = oldResults(messages);
  const kept = tokensFrom(messages, (old.at(-1)?.at ?? -1) + 1);
  if (!pays(old, kept + old.reduce((sum, { at }) => sum + savedAt(messages, at), 0))) return;
  const unneeded = unneededResults(messages).filter(({ at }) => savedAt(messages, at) > 0);
  const only = new Set(unneeded.map(({ at }) => at));
  if (!pays(unneeded, tokensFrom(messages, Math.min(...only)))) return;
  const how = { why: WHY_THINNED, at: run.ports.now(), targetShare: 0, resultsOnly: true, only };
  shortenThread(run.state, thread, SHORT_TOKENS, how);
}

function tokensFrom(messages: readonly Message[], first: number): number {
  return messages.slice(first).reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

/** Returns the tokens that a result takes beyond the note in its place. */
function savedAt(messages: readonly Message[], at: number): number {
  const message = messages[at];
  return message?.kind === 'tool_result' ? Math.max(0, estimateMessageTokens(message) - NOTE_TOKENS) : 0;
}

/** Returns the share of the input so far that came from a cache, 0 to 1. */
export function cachedShare({ state }: Run): number {
  const { inputTokens, cachedInputTokens } = state.total.usage;
  return inputTokens === 0 ? 0 : Math.min(1, cachedInputTokens / inputTokens);
}

const REPLIES_COMPARED = 5;

/** Returns which share of what a request repeats comes from a cache: the largest of the last ones, so without changes. */
function cachedOfRepeated({ messages }: Thread): number {
  const shares: number[] = [];
  let added = 0;
  for (const message of messages) {
    if (message.kind !== 'assistant') {
      added += estimateMessageTokens(message);
      continue;
    }
    const { inputTokens, cachedInputTokens } = message.usage;
    if (inputTokens > added) shares.push(Math.min(1, cachedInputTokens / (inputTokens - added)));
    added = estimateMessageTokens(message);
  }
  return Math.max(0, ...shares.slice(-REPLIES_COMPARED));
}

/** Share of a refused request's tokens that the model is then assumed to accept. */
const REFUSED_SHARE = 0.8;

/** Trims a thread that the model refused as too long, and lowers the model's limit. True if it trimmed. */
export function trimAfterRefusal(run: Run, thread: Thread, model: string): boolean {
  const limit = Math.floor(thread.tokens * REFUSED_SHARE);
  const trimmed = trimToFit(run, thread, limit, 'the model found the context too long');
  if (trimmed) run.state.models.contextLimits[model] = limit;
  return trimmed;
}
