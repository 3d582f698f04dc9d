/** Keeps threads within what a model takes: trimmed pair-safely, with a journal event. */

import { ownValue } from '../../base/json/json.js';
import { shortenThread } from '../../conversation/handover.js';
import { isRecall } from '../../conversation/tool-result.js';
import { recallIdOf } from '../../conversation/trim.js';
import { prefixOf } from '../../rules/prompts/shared-prefix.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools } from '../../run/agents/run-config.js';
import { type ContextRules, softTokensOf, thinPays } from '../../run/limits/decide.js';
import { DEFAULT_CONTEXT_TOKENS, estimateTokens } from '../../run/limits/tokens.js';
import type { Message } from '../../run/messages/message.js';
import { tokenFactor } from '../../run/models/model-use.js';
import type { Thread } from '../../run/state/thread.js';
import { storeIsAway } from '../run/keep-session.js';
import type { Run } from '../run/run.js';

/** Share of a model's context that a request may fill: estimates err, and the reply needs room. */
const CONTEXT_SHARE = 0.8;

/** What is pinned never changes: each role is measured once. */
const measured = new WeakMap<PinnedRole, number>();

function prefixTokens({ pinned }: Run, role: PinnedRole): number {
  const known = measured.get(role);
  if (known !== undefined) return known;
  const { system, tools } = prefixOf(pinned, role);
  const tokens = estimateTokens(system) + estimateTokens(JSON.stringify(tools));
  measured.set(role, tokens);
  return tokens;
}

/** Estimated tokens that the messages of a call may take, after what it opens with. */
export function contextBudget(run: Run, role: PinnedRole, model: string): number {
  const context = run.pinned.modelInfo[model]?.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const { contextLimits, inputCounts } = run.state.models;
  const whole = Math.floor((context * CONTEXT_SHARE) / tokenFactor(inputCounts, model));
  const room = whole - prefixTokens(run, role);
  return Math.min(room, ownValue(contextLimits, model) ?? room);
}

/** Estimated tokens of a role's next request: what it opens with, and its messages. */
export function requestTokens(run: Run, role: PinnedRole, thread: Thread = run.threadOf(role)): number {
  return prefixTokens(run, role) + thread.tokens;
}

/** Trims the thread where it is over `limitTokens`; says whether it did. Only while no call on it is in flight. */
export function trimToFit(run: Run, thread: Thread, limitTokens: number, why: string): boolean {
  return shortenThread(run.state, thread, limitTokens, { why, at: run.ports.now() });
}

/** Of what a model takes: from here on old results are left out and a conversation is summarised, before it has to be cut. */
const FULL_SHARE = 0.8;

/** From so many tokens on a thread is looked at, before it has to be cut. */
export function softLimit(context: ContextRules, { name }: PinnedRole, room: number): number {
  return Math.min(softTokensOf(context, name), Math.floor(room * FULL_SHARE));
}

/** Down to this share of the soft limit, so that many turns add to the same beginning. */
const THINNED_SHARE = 0.5;

/** Replies that a role which judges or sums up may spend on reading what is not shown any more. */
const RECALLS = 2;

/** How many replies a role has to read by `recall` what was left out of its thread before it judges (SE2). */
export function recallRounds({ pinned }: Run, role: PinnedRole, thread: Thread): number {
  const isOffered = offeredTools(pinned, role).some(isRecall);
  return isOffered && thread.messages.some(isLeftOut) ? RECALLS : 0;
}

/** A result that says by which id the rest is read, or what stands in the place of messages. */
function isLeftOut(message: Message): boolean {
  if (message.kind === 'tool_result') return message.content[0].note.includes(`"${recallIdOf(message)}"`);
  return message.kind === 'cut' || (message.kind === 'user' && message.purpose === 'summary');
}

/** Leaves old results out where that is cheaper than sending them on: the model reads them again by the tool `recall`. */
export function thinIfItPays(run: Run, role: PinnedRole, thread: Thread, model: string): void {
  const { state, pinned, ports } = run;
  if (!pinned.context || !pinned.tools.some(isRecall) || storeIsAway(run)) return;
  const before = thread.tokens;
  shortenThread(state, thread, softLimit(pinned.context, role, contextBudget(run, role, model)), {
    why: 'old results cost more than they are worth',
    at: ports.now(),
    targetShare: THINNED_SHARE,
    resultsOnly: true,
    pays: after => thinPays({ before, after, cachedShare: cachedShare(run), turns: state.total.turns }),
  });
}

/** Share of the input so far that came from a cache, 0 to 1. */
export function cachedShare({ state }: Run): number {
  const { inputTokens, cachedInputTokens } = state.total.usage;
  return inputTokens === 0 ? 0 : Math.min(1, cachedInputTokens / inputTokens);
}

/** Of what a model has refused, so much is taken for what it takes. */
const REFUSED_SHARE = 0.8;

/** The model found the thread too long, whatever the estimate says: from now on less is sent to it. */
export function trimAfterRefusal(run: Run, thread: Thread, model: string): boolean {
  const limit = Math.floor(thread.tokens * REFUSED_SHARE);
  const trimmed = trimToFit(run, thread, limit, 'the model found the context too long');
  if (trimmed) run.state.models.contextLimits[model] = limit;
  return trimmed;
}
