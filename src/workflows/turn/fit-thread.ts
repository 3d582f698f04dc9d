/** Fits threads into the context of a model. Trims keep calls and results paired, and the journal reports them. */

import { ownValue } from '../../base/json/json.js';
import { shortenThread } from '../../conversation/handover.js';
import { isRecall } from '../../conversation/tool-result.js';
import { recallIdOf } from '../../conversation/trim.js';
import { paragraphs } from '../../rules/prompts/instructions.js';
import { prefixOf, recallText } from '../../rules/prompts/shared-prefix.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools, type PinnedRun } from '../../run/agents/run-config.js';
import { DEFAULT_CONTEXT_TOKENS, estimateTokens } from '../../run/limits/tokens.js';
import type { Message } from '../../run/messages/message.js';
import { tokenFactor } from '../../run/models/model-use.js';
import type { Thread } from '../../run/state/thread.js';
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

export function windowOf({ modelInfo }: PinnedRun, model: string): number {
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

/** Share of a refused request's tokens that the model is then assumed to accept. */
const REFUSED_SHARE = 0.8;

/** Trims a thread that the model refused as too long, and lowers the model's limit. True if it trimmed. */
export function trimAfterRefusal(run: Run, thread: Thread, model: string): boolean {
  const limit = Math.floor(thread.tokens * REFUSED_SHARE);
  const trimmed = trimToFit(run, thread, limit, 'the model found the context too long');
  if (trimmed) run.state.models.contextLimits[model] = limit;
  return trimmed;
}
