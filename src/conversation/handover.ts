/** The state that continue-as-new carries, with the conversation shortened to its bound. */

import { isRecord } from '../base/json/json.js';
import { wordsOf } from '../base/words/words.js';
import { behavesAs } from '../run/agents/run-config.js';
import { estimateMessageTokens } from '../run/limits/tokens.js';
import { type Message, rulesOf } from '../run/messages/message.js';
import { begun, taskOf } from '../run/position/position.js';
import { type Cursor, cursorAt, newBranch } from '../run/state/cursor.js';
import { record } from '../run/state/journal.js';
import { type Log, newRunState, type RunState } from '../run/state/run-state.js';
import { rememberUnkept } from '../run/state/stored-line.js';
import type { Thread } from '../run/state/thread.js';
import type { Trace } from '../run/state/trace.js';
import { forgetResults } from '../run/tools/ledger.js';
import { folded, replaceMessages, unfolded } from './branch-threads.js';
import { withShortTexts } from './fit-message.js';
import { MAX_STATE_BYTES, roomForThreads, threadsBytes } from './state-bounds.js';
import { isRecall } from './tool-result.js';
import { trimThread } from './trim.js';

/** Returns the state for the next segment. Changes the threads and the journal of `state`. */
export function fitForHandover(
  state: RunState,
  runId: string,
  at: number,
  maxBytes: number = MAX_STATE_BYTES,
): RunState {
  const next: RunState = { ...state, segment: state.segment + 1, previousRunId: runId };
  record(next.log.journal, at, 'continued_as_new', { segment: next.segment });
  const missing = MAX_STATE_BYTES - maxBytes;
  shortenThreads(next, { maxBytes: roomForThreads(next) - missing, why: 'size of the next segment', at });
  return { ...next, threads: folded(next.threads) };
}

/** Trims further than necessary, so that the next trim is not due at once. */
const TRIMMED_SHARE = 0.8;

/** Shortens the threads, keeping pairs, if together they take more than `maxBytes`. Changes `state`. */
export function shortenThreads(
  state: RunState,
  { maxBytes, why, at }: { maxBytes: number; why: string; at: number },
): void {
  if (threadsBytes(state) <= maxBytes) return;
  trimThreads(state, { maxBytes, why, at });
  cutTexts(state, maxBytes, at);
  // The number of a person's messages has no bound.
  trimThreads(state, { maxBytes, why, at, keepsUserNotes: false });
}

function trimThreads(
  state: RunState,
  { maxBytes, ...how }: { maxBytes: number; why: string; at: number; keepsUserNotes?: boolean },
): void {
  const threads = Object.values(state.threads);
  const before = threadsBytes(state);
  let share = Math.max(0, (maxBytes / before) * TRIMMED_SHARE);
  const tokens = threads.map(thread => thread.tokens);
  for (; threadsBytes(state) > maxBytes && share > 0.01; share *= 0.6) {
    for (const [index, thread] of threads.entries()) {
      shortenThread(state, thread, Math.floor((tokens[index] ?? 0) * share), { ...how, targetShare: 1 });
    }
  }
}

/** The sizes that messages are cut to, if even those that always stay are too large. */
const TEXT_STEPS = [16_000, 4_000, 500];

function cutTexts(state: RunState, maxBytes: number, at: number): void {
  for (const bytes of TEXT_STEPS) {
    if (threadsBytes(state) <= maxBytes) return;
    for (const thread of Object.values(state.threads)) {
      const others = thread.messages.filter(
        message => message.kind !== 'user' || !rulesOf(message.purpose).uncut,
      );
      const short = others.map(message => withShortTexts(message, bytes));
      replaceInThread(state, thread, short, at);
    }
  }
}

/** A thread that is too long is trimmed to this share, so that many turns pass before the next trim. */
const TARGET_SHARE = 0.7;

export interface ShortenRules {
  why: string;
  at: number;
  targetShare?: number;
  keepsUserNotes?: boolean;
  /** Only results that were read are left out. */
  resultsOnly?: boolean;
  /** With `resultsOnly`: the positions of results that may be left out. */
  only?: ReadonlySet<number>;
  /** Gets the tokens after the change; false leaves the thread unchanged. */
  pays?: (tokens: number) => boolean;
}

/** Trims a thread above its limit to well below it, and records that; returns whether it changed. Changes `state`. */
export function shortenThread(
  state: RunState,
  thread: Thread,
  limitTokens: number,
  {
    why,
    at,
    targetShare = TARGET_SHARE,
    keepsUserNotes = true,
    resultsOnly = false,
    only,
    pays = () => true,
  }: ShortenRules,
): boolean {
  if (thread.tokens <= limitTokens) return false;
  const { messages, tokens, dropped, shortened, lost } = trimThread(thread.messages, {
    recalls: state.pinned?.tools.some(isRecall) === true,
    resultsOnly,
    ...(only && { only }),
    byWorth: behavesAs(state.pinned, 4),
    limitTokens,
    targetTokens: Math.floor(limitTokens * targetShare),
    // The task at work is kept while another role is asked, or a message is being understood.
    taskId: thread.branch?.taskId ?? taskOf(state.cursor.position),
    words: wordsOf(state),
    keepsUserNotes,
    mark: { id: `cut-${thread.id}-${thread.epoch + 1}`, at },
  });
  if ((dropped === 0 && shortened === 0) || !pays(tokens)) return false;
  forgetResults(state.tools.ledger, lost);
  shortenTo(state, thread, messages, at);
  Object.assign(thread, { tokens, epoch: thread.epoch + 1, dropped: thread.dropped + dropped });
  record(state.log.journal, at, 'thread_trimmed', { thread: thread.id, dropped, shortened, why });
  return true;
}

/** Replaces a thread's messages while no call on it is in flight. Changes `state`. */
export function replaceInThread(state: RunState, thread: Thread, messages: Message[], at: number): void {
  shortenTo(state, thread, messages, at);
  thread.tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  thread.epoch += 1;
}

/** Replaces messages by shorter ones; the store gets the originals that it lacks. */
function shortenTo(state: RunState, thread: Thread, messages: Message[], at: number): void {
  const lost = rememberUnkept(state, thread, messages);
  if (lost > 0) record(state.log.journal, at, 'store_gap', { messages: lost, events: 0 });
  replaceMessages(thread, messages);
}

// Takes over a run from its previous segment, which may have run on older code.

export function resumedState(handedOver: RunState): RunState {
  // Fields that earlier code did not know begin as in a new run, so that a deployment stops no run. Fields that a new
  // run leaves empty, such as `pinned`, or details of a position's step are not filled in. Known models of the start
  // are dropped, because the state has their later values.
  const { knownModels: _atItsBeginning, ...settings } = handedOver.settings;
  const fresh = newRunState('', settings, handedOver.startedAt);
  const cursor = resumedCursor({ ...fresh.cursor, ...handedOver.cursor });
  const threads = unfolded(handedOver.threads ?? {});
  const log = resumedLog(handedOver.log ?? fresh.log);
  // The new run's position differs from the one handed over.
  return filled(
    { ...handedOver, cursor, threads, log },
    { ...fresh, settings: {}, cursor: { ...fresh.cursor, position: {}, interrupts: [] } },
  );
}

/** Earlier code stored the steps outside the journal: their number and the uses of tools are continued. */
function resumedLog({ trace, ...log }: Log & { trace?: Trace }): Log {
  if (!trace) return log;
  const { steps, dropped, usedTools } = trace;
  return { ...log, journal: { ...log.journal, steps: dropped + steps.length, usedTools } };
}

function resumedCursor(cursor: Cursor): Cursor {
  const { position, interrupts = [], branches = [] } = cursor;
  return filled(
    {
      ...cursor,
      position: filled(position, begun(position)),
      interrupts: interrupts.map(each => filled(each, begun(each))),
      branches: branches.map(branch => ({
        ...filled(branch, { ...newBranch(branch.taskId, 1), cursor: {} }),
        cursor: resumedCursor(branch.cursor),
      })),
    },
    { ...cursorAt(position), position: {} },
  );
}

function filled<T extends object>(known: T, fresh: object): T {
  const result: Record<string, unknown> = Object.fromEntries(Object.entries(known));
  for (const [key, value] of Object.entries(fresh)) {
    const own = result[key];
    if (own === undefined) result[key] = value;
    else if (isRecord(own) && isRecord(value)) result[key] = filled(own, value);
  }
  return result as T;
}
