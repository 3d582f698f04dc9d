/** Has a model summarise a conversation that is too long, in place of its older messages (X5). */
import type { PinnedRole } from '../../core/agents/role.js';
import { compactionHelps, compactionPays } from '../../core/context/decide.js';
import { replacedBy } from '../../core/context/replaced.js';
import {
  COMPACTOR,
  countOf,
  inPlaceOf,
  readSummary,
  type Summary,
  summaryAgain,
  summaryRequest,
  summaryText,
  whatGoes,
} from '../../core/context/summary.js';
import { declined } from '../../core/limits/model-failure.js';
import { here } from '../../core/state/cursor.js';
import { replaceInThread } from '../../core/state/handover.js';
import { addUsage, type Message, NO_USAGE, textOf, type Usage } from '../../core/state/message.js';
import { taskOf } from '../../core/state/position.js';
import type { Thread } from '../../core/state/thread.js';
import { ownValue } from '../../core/text/json.js';
import { isRecall } from '../../core/tools/tool-result.js';
import type { Run } from '../run.js';
import { cachedShare, contextBudget, softLimit } from './fit-thread.js';
import { hasUnkept, keepSession, storeIsAway } from './keep-session.js';
import { optionsFor, pinCall } from './pin-call.js';
import { spend } from './spend.js';

/** Down to this share of the limit, its newest turns stay. */
const KEPT_SHARE = 0.4;
/** One that failed is tried again when the conversation has grown by so much, or to what the model takes. */
const GROWN = 1.25;
/** Nobody waits longer for what only saves: in so many tries. */
const SUMMARY_MS = 60_000;
const SUMMARY_TRIES = 2;

interface Compaction {
  role: PinnedRole;
  thread: Thread;
  /** The first that gives a summary counts. */
  models: readonly string[];
  gone: Set<Message>;
  /** Tokens that the role's model takes. */
  room: number;
}

/** The model takes no more: what is left to choose is a summary or a cut. */
function isForced({ thread, room }: Pick<Compaction, 'thread' | 'room'>): boolean {
  return thread.tokens > room;
}

interface CompactionAsked extends Pick<Compaction, 'role' | 'thread'> {
  model: string;
  toolsOffered: boolean;
}

/** Of a conversation for which a summary is due, what is to be done; null where there is none. */
export function compactionDue(
  run: Run,
  { role, thread, model, toolsOffered }: CompactionAsked,
): Compaction | null {
  const { pinned, state } = run;
  const { context } = pinned;
  // What the goal has left is for the answer.
  if (!context?.compacts || !pinned.tools.some(isRecall) || here(state.cursor).phase === 'wrap_up')
    return null;
  const room = contextBudget(run, role, model);
  const limit = softLimit(context, role, room);
  const before = thread.tokens;
  if (before <= Math.max(limit, thread.compactFrom ?? 0)) return null;
  const forced = isForced({ thread, room });
  // Who has no tools can't read what a summary leaves out.
  if ((storeIsAway(run) || !toolsOffered) && !forced) return null;
  const taskId = thread.branch?.taskId ?? taskOf(state.cursor.position);
  const { gone, tokens: kept } = whatGoes(thread.messages, { targetTokens: limit * KEPT_SHARE, taskId });
  const asked = { before, kept, cachedShare: cachedShare(run), turns: state.total.turns };
  if (!(forced ? compactionHelps(asked) : compactionPays(asked))) return null;
  const { model: own } = context.compacts;
  const takes = own !== undefined && before <= contextBudget(run, role, own);
  const isOut = own !== undefined && ownValue(state.models.out, own) !== undefined;
  const models = takes && !isOut && own !== model ? [own, model] : [model];
  return { role, thread, gone, room, models };
}

export async function compact(run: Run, due: Compaction): Promise<void> {
  // What goes is read again from there.
  if (hasUnkept(run)) await keepSession(run);
  if (storeIsAway(run) && !isForced(due)) return;
  for (const model of due.models) if ((await compactBy(run, due, model)) !== 'failed') return;
}

async function compactBy(
  run: Run,
  due: Compaction,
  model: string,
): Promise<'done' | 'failed' | 'interrupted'> {
  const { state } = run;
  const { thread, gone, room } = due;
  const before = thread.tokens;
  const startedAt = run.ports.now();
  const asked = thread.messages.length;
  run.journal('compaction_started', { thread: thread.id, tokens: before, model });
  const end = await summarise(run, due, model);
  const at = run.ports.now();
  const said = thread.messages.slice(0, asked);
  if (!('summary' in end)) {
    replaceInThread(state, thread, said, at);
    const grown = Math.floor(before * GROWN);
    if (!end.interrupted) thread.compactFrom = isForced(due) ? grown : Math.min(grown, room);
    run.journal('compaction_failed', { thread: thread.id, model, why: end.why });
    return end.interrupted || state.people.stop ? 'interrupted' : 'failed';
  }
  const standsFor = countOf(gone);
  const text = summaryText(end.summary, standsFor, run.words);
  const message = run.say(thread, 'summary', text, { replaces: replacedBy(gone), standsFor });
  replaceInThread(state, thread, inPlaceOf(said, gone, message), at);
  thread.dropped += gone.size;
  delete thread.compactFrom;
  run.journal('thread_compacted', {
    ...{ thread: thread.id, dropped: gone.size, before, after: thread.tokens },
    ...{ model, messageId: message.id, usage: end.usage, durationMs: at - startedAt },
  });
  return 'done';
}

type Summarised = { summary: Summary; usage: Usage } | { why: string; interrupted: boolean };

/** Asks in the conversation itself, so that an endpoint has most of the request in its cache; twice where need be. */
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
    if (times === 2 || run.state.people.stop || run.ports.now() >= by)
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
  const check = run.memory.offered.offer(run.state, run.ports, call);
  const options = inTime(optionsFor(run, role, { ...call, role: COMPACTOR }), timeMs);
  const called = await run.call({ kind: 'model', role: COMPACTOR }, options, () =>
    run.ports.callModel({ callId, role: role.name, model, check }, options),
  );
  if (!called.ok) {
    const { kind, message, usage = NO_USAGE } = called.failure;
    spend(run, by, usage, { failedCalls: 1 });
    return { why: message, interrupted: kind === 'cancelled' };
  }
  const { content, stopReason, usage, outputText } = called.value;
  const failure = declined(called.value, model);
  spend(run, by, usage, failure ? { failedCalls: 1 } : {});
  if (failure) return { why: failure.message, interrupted: false };
  const message = run.append(thread, {
    ...{ id: run.nextId('m'), at: run.ports.now(), kind: 'assistant', role: COMPACTOR, action: 'answering' },
    ...{ content: content.filter(block => block.type !== 'tool_use'), stopReason, model, usage },
  });
  if (stopReason === 'interrupted') return { why: 'It was interrupted.', interrupted: true };
  return { text: outputText ?? textOf(message), isCut: stopReason === 'max_tokens', usage };
}

function inTime(options: ReturnType<typeof optionsFor>, timeMs: number): ReturnType<typeof optionsFor> {
  return {
    ...options,
    timeoutMs: Math.min(options.timeoutMs, timeMs),
    wholeMs: Math.min(options.wholeMs, timeMs),
    attempts: Math.min(options.attempts, SUMMARY_TRIES),
  };
}
