/** Keeps threads within what a model takes (X3): trimmed pair-safely, with a journal event. */
import type { PinnedRole } from '../core/role.js';
import { offeredTools } from '../core/run-config.js';
import type { Thread } from '../core/run-state.js';
import { shortenThread } from '../core/shorten-thread.js';
import { estimateTokens } from '../core/tokens.js';
import type { Run } from './run.js';

/** Share of a model's context that a request may fill: estimates err, and the reply needs room (X2). */
const CONTEXT_SHARE = 0.8;
const DEFAULT_CONTEXT_TOKENS = 128_000;

/** Tokens that the messages of a call may take, after its system prompt and tool definitions. */
export function contextBudget(run: Run, role: PinnedRole, model: string, toolsOffered: boolean): number {
  const context = run.pinned.modelInfo[model]?.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
  const tools = toolsOffered ? estimateTokens(JSON.stringify(offeredTools(run.pinned, role))) : 0;
  return Math.floor(context * CONTEXT_SHARE) - estimateTokens(role.system) - tools;
}

/** Trims the thread below `budgetTokens` if it is above. Only while no call on it is in flight. */
export function trimToFit(run: Run, thread: Thread, budgetTokens: number, why: string): void {
  shortenThread(run.state, thread, budgetTokens, { why, at: run.ports.now() });
}
