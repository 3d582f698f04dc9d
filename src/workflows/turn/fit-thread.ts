/** Keeps threads within what a model takes: trimmed pair-safely, with a journal event. */
import { ownValue } from '../../core/json.js';
import type { PinnedRole } from '../../core/role.js';
import { offeredTools } from '../../core/run-config.js';
import { shortenThread } from '../../core/shorten-thread.js';
import type { Thread } from '../../core/thread.js';
import { DEFAULT_CONTEXT_TOKENS, estimateTokens } from '../../core/tokens.js';
import type { Run } from '../run.js';

/** Share of a model's context that a request may fill: estimates err, and the reply needs room. */
const CONTEXT_SHARE = 0.8;

/** What is pinned never changes: each role is measured once. */
const measured = new WeakMap<PinnedRole, { system: number; tools: number }>();

function fixedTokens({ pinned }: Run, role: PinnedRole): { system: number; tools: number } {
  const known = measured.get(role);
  if (known) return known;
  const tools = estimateTokens(JSON.stringify(offeredTools(pinned, role)));
  const tokens = { system: estimateTokens(role.system), tools };
  measured.set(role, tokens);
  return tokens;
}

/** Tokens that the messages of a call may take, after its system prompt and tool definitions. */
export function contextBudget(run: Run, role: PinnedRole, model: string, toolsOffered: boolean): number {
  const context = run.pinned.modelInfo[model]?.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const { system, tools } = fixedTokens(run, role);
  const room = Math.floor(context * CONTEXT_SHARE) - system - (toolsOffered ? tools : 0);
  return Math.min(room, ownValue(run.state.models.contextLimits, model) ?? room);
}

/** Trims the thread where it is over `limitTokens`; says whether it did. Only while no call on it is in flight. */
export function trimToFit(run: Run, thread: Thread, limitTokens: number, why: string): boolean {
  return shortenThread(run.state, thread, limitTokens, { why, at: run.ports.now() });
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
