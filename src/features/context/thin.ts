/** Leaves old results out of a conversation before a call, if that is cheaper than sending them on. */
import { shortenThread } from '../../conversation/handover.js';
import { oldResults, type Unneeded, unneededResults } from '../../conversation/shorten-result.js';
import { isRecall } from '../../conversation/tool-result.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { ContextRules } from '../../run/limits/context-rules.js';
import { estimateMessageTokens } from '../../run/limits/tokens.js';
import type { Message, Usage } from '../../run/messages/message.js';
import type { Thread } from '../../run/state/thread.js';
import { storeIsAway } from '../../workflows/run/keep-session.js';
import type { Run } from '../../workflows/run/run.js';
import { contextBudget, windowOf } from '../../workflows/turn/fit-thread.js';
import { carryingCostsMore, EARLIER_SAVED_SHARE, isShare, softTokensOf, thinPays } from './pays.js';

/** Share of the context at which old results are left out and the thread is summarised, before it must be cut. */
const FULL_SHARE = 0.8;

/** Returns the number of tokens above which a thread is thinned or summarised. */
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

/** Leaves out results that no later call needed, all at once, so that the endpoint's cache breaks rarely. */
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
  // First assume that all old results are unneeded. Only if that would pay off, find out which of them really are.
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

/** Returns the cached share of repeated tokens: the largest of the last calls, because a changed thread lowers it. */
function cachedOfRepeated({ messages }: Thread): number {
  const shares: number[] = [];
  let usage: Usage | undefined;
  let added = 0;
  // Walks backwards. A request is new from the previous reply on; `added` counts the tokens of that part.
  for (let at = messages.length - 1; at >= -1 && shares.length < REPLIES_COMPARED; at -= 1) {
    const message = messages[at];
    if (message) added += estimateMessageTokens(message);
    if (message && message.kind !== 'assistant') continue;
    if (usage && usage.inputTokens > added)
      shares.push(Math.min(1, usage.cachedInputTokens / (usage.inputTokens - added)));
    usage = message?.usage;
    added = 0;
  }
  return Math.max(0, ...shares);
}
