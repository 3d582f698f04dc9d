/** Lets a model summarise a conversation that is too long, in place of its older messages (X5). */

import { ownValue } from '../../base/json/json.js';
import { replaceInThread } from '../../conversation/handover.js';
import { replacedBy } from '../../conversation/replaced.js';
import { isRecall } from '../../conversation/tool-result.js';
import { declined } from '../../rules/limits/model-failure.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { estimateMessageTokens, estimateTokens } from '../../run/limits/tokens.js';
import { COMPACTOR } from '../../run/limits/usage-by.js';
import { addUsage, type Message, NO_USAGE, textOf, type Usage } from '../../run/messages/message.js';
import { cautiousFactor, withInputCount } from '../../run/models/model-use.js';
import { taskOf } from '../../run/position/position.js';
import { here } from '../../run/state/cursor.js';
import { noteSummaries } from '../../run/state/goal.js';
import type { Thread } from '../../run/state/thread.js';
import type { CallAhead } from '../../workflows/beside/feature.js';
import { replied } from '../../workflows/beside/tell.js';
import { hasUnkept, keepSession, storeIsAway } from '../../workflows/run/keep-session.js';
import type { Run } from '../../workflows/run/run.js';
import { spend } from '../../workflows/run/spend.js';
import { contextBudget, requestTokens } from '../../workflows/turn/fit-thread.js';
import { modelCallOptions, pinCall } from '../../workflows/turn/pin-call.js';
import { compactionHelps, compactionPays, summaryIsAffordable, summaryShrinks } from './pays.js';
import {
  countOf,
  inPlaceOf,
  readSummary,
  replaceableMessages,
  type Summary,
  summaryAgain,
  summaryRequest,
  summaryText,
} from './summary.js';
import { cachedShare, softLimit } from './thin.js';

/** The newest turns up to this share of the limit are not summarised. */
const KEPT_SHARE = 0.4;
/** Time limit of a summary, in milliseconds, and its attempts if the goal can pay for them. */
const SUMMARY_MS = 60_000;
const SUMMARY_TRIES = 2;
/** Tokens of a reply if its role sets no limit. */
const REPLY_TOKENS = 16_384;

const NONE_CAME = 'no summary came about in this goal';
const TOO_DEAR = 'a summary would cost more than a tenth of the tokens that this goal has sent';

interface Compaction {
  role: PinnedRole;
  thread: Thread;
  /** Tried in this order until one returns a summary. */
  models: readonly string[];
  gone: Set<Message>;
  /** Tokens that the role's model accepts. */
  room: number;
}

/** True if the model cannot accept the thread, so that it must be summarised or cut. */
function isForced({ thread, room }: Pick<Compaction, 'thread' | 'room'>): boolean {
  return thread.tokens > room;
}

/** Returns the compaction that is due, or the reason why the thread must be cut instead; null if neither is due. */
export function compactionDue(
  run: Run,
  { role, thread, model, toolsOffered }: CallAhead,
): Compaction | { noSummary: string } | null {
  const { pinned, state } = run;
  const { context } = pinned;
  // The remaining budget of the goal is reserved for the answer.
  if (!context?.compacts || !pinned.tools.some(isRecall) || here(run.cursor).phase === 'wrap_up') return null;
  const room = contextBudget(run, role, model);
  const limit = softLimit(run, context, { role, model, room });
  const before = thread.tokens;
  if (before <= limit) return null;
  const forced = isForced({ thread, room });
  // A role without tools cannot recall what a summary omits.
  if ((storeIsAway(run) || !toolsOffered) && !forced) return null;
  const taskId = thread.branch?.taskId ?? taskOf(run.cursor.position);
  const { gone, tokens: kept } = replaceableMessages(thread.messages, {
    targetTokens: limit * KEPT_SHARE,
    taskId,
  });
  const earlier = tokensOf([...gone].filter(each => each.kind === 'user' && each.purpose === 'summary'));
  const asked = { before, kept, earlier, cachedShare: cachedShare(run), turns: state.total.turns };
  if (!(forced ? compactionHelps(asked) : compactionPays(asked))) return null;
  const ended = state.goal.summaries?.ended === true;
  const { model: own } = context.compacts;
  const takes = own !== undefined && before <= contextBudget(run, role, own);
  const isOut = own !== undefined && ownValue(state.models.out, own) !== undefined;
  const models = (takes && !isOut && own !== model ? [own, model] : [model]).filter(
    each => !ended && isAffordable(run, { role, thread }, each),
  );
  if (models.length > 0) return { role, thread, gone, room, models };
  return forced ? { noSummary: ended ? NONE_CAME : TOO_DEAR } : null;
}

function tokensOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
}

type Subject = Pick<Compaction, 'role' | 'thread'>;

/** Returns the most tokens that one request for a summary uses, with its reply. */
function priceOf(run: Run, { role, thread }: Subject, model: string): number {
  const { pinned, state } = run;
  const ofRole = role.maxOutputTokens ?? REPLY_TOKENS;
  const reply = Math.min(ofRole, pinned.modelInfo[model]?.maxOutputTokens ?? ofRole);
  const asked = requestTokens(run, role, thread) + estimateTokens(summaryRequest(run.words));
  return Math.ceil(asked * cautiousFactor(state.models.inputCounts, model)) + reply;
}

/** True if the goal has sent enough tokens to pay for another summary with this number of attempts. */
function isAffordable(run: Run, subject: Subject, model: string, tries = 1): boolean {
  const { usage, summaries } = run.state.goal;
  const spent = summaries?.tokens ?? 0;
  const price = tries * priceOf(run, subject, model);
  return summaryIsAffordable({ sent: Math.max(0, usage.inputTokens - spent), spent, price });
}

export async function compact(run: Run, due: Compaction): Promise<void> {
  // `recall` reads the removed messages from the store, so store them first.
  if (hasUnkept(run)) await keepSession(run);
  if (storeIsAway(run) && !isForced(due)) return;
  let ended = false;
  for (const model of due.models) {
    // Parallel tasks may have used the remaining budget.
    if (!isAffordable(run, due, model)) break;
    if ((await compactBy(run, due, model)) !== 'failed') return;
    ended = true;
  }
  if (ended) noteSummaries(run.state.goal, { ended });
}

async function compactBy(
  run: Run,
  due: Compaction,
  model: string,
): Promise<'done' | 'failed' | 'interrupted'> {
  const { state } = run;
  const { thread, gone } = due;
  const before = thread.tokens;
  const startedAt = run.ports.now();
  const asked = thread.messages.length;
  run.journal('compaction_started', { thread: thread.id, tokens: before, model });
  const end = await summarise(run, due, model);
  const at = run.ports.now();
  const original = thread.messages.slice(0, asked);
  const failed = (why: string) => {
    replaceInThread(state, thread, original, at);
    run.journal('compaction_failed', { thread: thread.id, model, why });
    return state.people.stop ? 'interrupted' : 'failed';
  };
  if (!('summary' in end)) {
    const outcome = failed(end.why);
    return end.interrupted ? 'interrupted' : outcome;
  }
  const standsFor = countOf(gone);
  const text = summaryText(end.summary, standsFor, run.words);
  const [written, replaced] = [estimateTokens(text), tokensOf([...gone])];
  if (!summaryShrinks(written, replaced))
    return failed(`The summary has ${written} tokens and stands for ${replaced}: it is too long.`);
  const message = run.say(thread, 'summary', text, { replaces: replacedBy(gone), standsFor });
  replaceInThread(state, thread, inPlaceOf(original, gone, message), at);
  thread.dropped += gone.size;
  run.journal('thread_compacted', {
    ...{ thread: thread.id, dropped: gone.size, before, after: thread.tokens },
    ...{ model, messageId: message.id, usage: end.usage, durationMs: at - startedAt },
  });
  return 'done';
}

type Summarised = { summary: Summary; usage: Usage } | { why: string; interrupted: boolean };

/** Asks in the conversation itself, so that an endpoint has most of it cached. A bad summary is asked for again once. */
async function summarise(run: Run, due: Compaction, model: string): Promise<Summarised> {
  const { thread } = due;
  const by = run.ports.now() + SUMMARY_MS;
  run.say(thread, 'compact', summaryRequest(run.words));
  let usage = NO_USAGE;
  for (let times = 1; ; times++) {
    const reply = await ask(run, due, { model, timeMs: by - run.ports.now() });
    if ('why' in reply) return reply;
    usage = addUsage(usage, reply.usage);
    const read = readSummary(reply.text, reply.isCut);
    if (read.ok) return { summary: read.value, usage };
    const isLast = times === 2 || !isAffordable(run, due, model);
    if (isLast || run.state.people.stop || run.ports.now() >= by)
      return { why: read.errors.join(' '), interrupted: false };
    run.say(thread, 'compact', summaryAgain(read.errors, run.words));
  }
}

async function ask(
  run: Run,
  { role, thread }: Compaction,
  { model, timeMs }: { model: string; timeMs: number },
): Promise<{ text: string; isCut: boolean; usage: Usage } | { why: string; interrupted: boolean }> {
  const call = pinCall(run, { role, thread, model, toolsOffered: false, compacts: true });
  const by = { role: COMPACTOR, model };
  const { callId } = call;
  const { goal, models } = run.state;
  const check = run.memory.offered.offer(run, call);
  const estimated = requestTokens(run, role, thread);
  const tries = isAffordable(run, { role, thread }, model, SUMMARY_TRIES) ? SUMMARY_TRIES : 1;
  const options = inTime(modelCallOptions(run, role, { ...call, role: COMPACTOR }), timeMs, tries);
  // Reserves the price, so that parallel tasks count it.
  const price = tries * priceOf(run, { role, thread }, model);
  noteSummaries(goal, { tokens: price });
  const called = await run.call({ kind: 'model', role: COMPACTOR }, options, () =>
    run.ports.callModel({ callId, role: role.name, model, check }, options),
  );
  noteSummaries(goal, { tokens: -price });
  if (!called.ok) {
    const { kind, message, usage = NO_USAGE } = called.failure;
    spend(run, by, usage, { failedCalls: 1 });
    // A provider may charge for a failed call without reporting its usage.
    const tokens = tokensUsed(usage) || Math.ceil(estimated * cautiousFactor(models.inputCounts, model));
    noteSummaries(goal, { tokens });
    return { why: message, interrupted: kind === 'cancelled' || kind === 'lost' };
  }
  const { content, stopReason, usage, outputText } = called.value;
  const failure = declined(called.value, model);
  spend(run, by, usage, failure ? { failedCalls: 1 } : {});
  noteSummaries(goal, { tokens: tokensUsed(usage) });
  models.inputCounts = withInputCount(models.inputCounts, model, { estimated, usage });
  if (failure) return { why: failure.message, interrupted: false };
  const message = run.append(thread, {
    ...{ id: run.nextId('m'), at: run.ports.now(), kind: 'assistant', role: COMPACTOR, action: 'answering' },
    ...{ content: content.filter(block => block.type !== 'tool_use'), stopReason, model, usage },
  });
  if (stopReason === 'interrupted') return { why: 'It was interrupted.', interrupted: true };
  await replied(run, message);
  return { text: outputText ?? textOf(message), isCut: stopReason === 'max_tokens', usage };
}

function tokensUsed({ inputTokens, outputTokens }: Usage): number {
  return inputTokens + outputTokens;
}

function inTime(
  options: ReturnType<typeof modelCallOptions>,
  timeMs: number,
  tries: number,
): ReturnType<typeof modelCallOptions> {
  return {
    ...options,
    timeoutMs: Math.min(options.timeoutMs, timeMs),
    wholeMs: Math.min(options.wholeMs, timeMs),
    attempts: Math.min(options.attempts, tries),
  };
}
