/** Read-only views of a run's state, for queries and the result. */

import type { WorkflowInfo } from '@temporalio/workflow';
import { jsonBytes, ownValue, without } from '../../base/json/json.js';
import { firstPage, PAGE_BYTES } from '../../base/sizes/sizes.js';
import { fitted } from '../../base/text/fit.js';
import { ownMessages } from '../../conversation/branch-threads.js';
import { isSubagent, sessionOf } from '../../rules/agents/subagent.js';
import { chainOf, limitsOf } from '../../rules/limits/in-force.js';
import { phaseOf, unansweredGates } from '../../rules/steering/status.js';
import type { Outcome } from '../../run/limits/cause.js';
import { type AssistantMessage, type Message, toolCallsOf } from '../../run/messages/message.js';
import { released } from '../../run/plan/plan.js';
import { readersOf } from '../../run/position/modes.js';
import type { GoalRecord } from '../../run/state/goal.js';
import { eventsSince, type JournalEvent, lastSwitches } from '../../run/state/journal.js';
import { budgetUse, modeOf, type RunState } from '../../run/state/run-state.js';
import {
  completeEvent,
  type FindsReply,
  type KeepPage,
  type Mark,
  markAfter,
  markOf,
  recordBytes,
  recordsBetween,
} from '../../run/state/stored-line.js';
import { REST_BYTES, type StoredTail } from '../../run/state/stored-tail.js';
import { MAIN_THREAD } from '../../run/state/thread.js';
import { type TraceReport, traceReport } from '../../run/state/trace.js';
import type { InboxItem } from '../../run/steering/inbox.js';
import { type EventsPage, NOTHING_SEEN, type RunResult, type RunView, type Seen } from './definitions.js';

/** Returns the answer of the query `state`: first what a person needs, last what helps debugging. Long texts are cut to fit. */
export function viewOf(
  state: RunState,
  info: RunInfo,
  passed: readonly InboxItem[] = [],
  seen: Partial<Seen> = {},
): RunView {
  return withSeen(seen, wholeView(state, info, { passed, seen }), PAGE_BYTES);
}

/** The parts of features have their own limits, so they are never cut. */
function withSeen<T extends object>(seen: Partial<Seen>, all: T, maxBytes: number): T {
  const names = Object.keys(seen) as (keyof T)[];
  return { ...fitted(without(all, ...names), maxBytes - jsonBytes(seen)), ...seen } as T;
}

type RunInfo = Pick<WorkflowInfo, 'workflowId' | 'runId'>;

function wholeView(
  state: RunState,
  info: RunInfo,
  { passed, seen }: { passed: readonly InboxItem[]; seen: Partial<Seen> },
): RunView {
  const { pinned } = state;
  const { tokens, wallTimeMs, costUsd } = budgetUse(state, Date.now());
  return {
    phase: phaseOf(state),
    outcome: state.end?.outcome ?? null,
    cause: state.end?.cause ?? null,
    gates: unansweredGates(state),
    answer: state.end?.answer ?? null,
    ...madeSoFar(state, seen),
    paused: state.people.pausedAt !== null,
    pausedAgents: state.children.paused,
    stopping: state.people.stop !== null,
    inbox: [...state.people.inbox.items, ...passed],
    limits: pinned && limitsOf(state),
    budget: { tokens, wallTimeMs, costUsd },
    modeWhy: state.goal.modeWhy,
    model: pinned?.models[0] ?? state.settings.model ?? '',
    models: Object.fromEntries(
      Object.values(pinned?.roles ?? {}).map(role => [role.name, [...chainOf(state, role)]]),
    ),
    readers: readersOf(modeOf(state)),
    switches: lastSwitches(state.log.journal),
    language: pinned?.language ?? null,
    workspace: state.settings.workspace,
    internals: {
      id: info.workflowId,
      runId: info.runId,
      segment: state.segment,
      previousRunId: state.previousRunId,
      lastEventSeq: state.log.journal.lastSeq,
      cursor: { position: state.cursor.position, interrupts: state.cursor.interrupts },
      threads: Object.fromEntries(
        Object.values(state.threads).map(thread => {
          const { id, tokens, epoch, dropped } = thread;
          return [id, { messages: ownMessages(thread).length, tokens, epoch, dropped }];
        }),
      ),
    },
  };
}

/** The fields that view and result share. */
function madeSoFar({ goal, goals, tasks, children, total }: RunState, seen: Partial<Seen>) {
  const { basis = null, exceptions = [] } = goals.findLast(({ number }) => number === goal.number) ?? {};
  return {
    mode: goal.mode,
    goal: goal.text,
    basis,
    exceptions,
    goals,
    tasks: tasks.map(released),
    checks: goal.checks.results,
    ...NOTHING_SEEN,
    ...seen,
    children: children.list,
    usage: total.usage,
    usageBy: total.usageBy,
    counters: goal.counters,
  };
}

/** Returns events after `since` with the full texts of replies, as many as fit a page. */
export function eventsPage(state: RunState, since: number): EventsPage {
  const { events, missed } = eventsSince(state.log.journal, since);
  const page = firstPage(withTexts(state, events), jsonBytes);
  const more = page.length < events.length;
  return { events: page, more, missed, previousRunId: state.previousRunId, open: state.end === null };
}

/** Adds the texts that the journal leaves to goals and messages, if the run still has them. */
function* withTexts(state: RunState, events: readonly JournalEvent[]): Generator<JournalEvent> {
  const replies = repliesOf(state);
  for (const event of events) yield completeEvent(event, replies);
}

/** Searches the newest first, because watchers mostly ask for recent events. */
function repliesOf({ threads, goals }: RunState): FindsReply {
  const newest = (is: (reply: AssistantMessage) => boolean) => {
    for (const { messages } of Object.values(threads)) {
      const found = messages.findLast(message => message.kind === 'assistant' && is(message));
      if (found?.kind === 'assistant') return found;
    }
    return undefined;
  };
  return {
    byId: wanted => newest(({ id }) => id === wanted),
    byCall: wanted => newest(reply => toolCallsOf(reply).some(({ id }) => id === wanted)),
    answerTo: goal => goals.find(({ number }) => number === goal)?.answer,
  };
}

/** Returns messages of a thread from an index on, as many as fit a page. A branch's copy counts from its own. */
export function transcript(state: RunState, thread: string = MAIN_THREAD, from = 0): Message[] {
  const known = ownValue(state.threads, thread);
  return firstPage(known ? ownMessages(known).slice(from) : [], jsonBytes);
}

/** Returns the messages of these ids that the run has, as many as fit a page. */
export function messagesOf({ threads }: RunState, ids: unknown): Message[] {
  const wanted = new Set(Array.isArray(ids) ? ids : []);
  const found = Object.values(threads).flatMap(({ messages }) => messages.filter(({ id }) => wanted.has(id)));
  // Copies of a thread share messages.
  const once = [...new Map(found.map(message => [message.id, message])).values()];
  return firstPage(once, jsonBytes);
}

/** Returns the answer of the query `keepPage`: records after a mark, as many as fit a page. */
export function keepPage(
  state: RunState,
  info: StoredInfo,
  after: Mark,
  { upTo = markOf(state), seen = {} }: { upTo?: Mark; seen?: Partial<Seen> } = {},
): KeepPage {
  const between = recordsBetween(state, after, upTo);
  const records = firstPage(between, recordBytes);
  const more = records.length < between.length;
  return {
    run: runRecord(state, info, seen),
    records,
    kept: more ? records.reduce(markAfter, after) : upTo,
    more,
  };
}

type StoredInfo = Pick<WorkflowInfo, 'workflowId' | 'runId' | 'firstExecutionRunId' | 'parent'>;

function runRecord(state: RunState, info: StoredInfo, seen: Partial<Seen>): KeepPage['run'] {
  const { workflowId, runId, firstExecutionRunId, parent } = info;
  const { settings, goal, goals, idleSince, end, total, startedAt } = state;
  // Between two goals, the last goal's end counts as the run's.
  const last = end ?? (idleSince === null ? null : (goals.at(-1) ?? null));
  const { outcome = null, cause = null, answer = null } = last ?? {};
  return {
    chain: firstExecutionRunId,
    session: sessionOf(workflowId, settings),
    workflowId,
    runId,
    goal: goal.text,
    mode: goal.mode,
    workspace: settings.workspace,
    ...(isSubagent(settings) && parent && { parent: parent.workflowId }),
    number: goal.number,
    startedAt,
    changedAt: Date.now(),
    ...{ outcome, cause, answer, ended: end !== null },
    ...(last && { rest: storedTail(state, seen) }),
    usage: total.usage,
  };
}

function storedTail(state: RunState, seen: Partial<Seen>): StoredTail {
  const { mode: _mode, goal: _goal, usage: _usage, ...rest } = madeSoFar(state, seen);
  return withSeen(seen, rest, REST_BYTES);
}

/** Returns the answer of the query `trace`. A result has the other fields already. */
export function traceView(state: RunState, now: number): TraceReport {
  return { ...traceOf(state, state.end, now), usageBy: state.total.usageBy };
}

/** Returns the steps of the run; `end`: how it ended, null while it runs. */
function traceOf(
  { log, total, startedAt }: RunState,
  end: { outcome: Outcome; answer: string } | null,
  now: number,
): TraceReport {
  return traceReport({ journal: log.journal, usage: total.usage, startedAt }, end, now);
}

/** Returns the result of a run that ends this way. */
export function resultOf(
  state: RunState,
  end: Pick<GoalRecord, 'outcome' | 'cause' | 'answer'> & {
    id: string;
    now: number;
    unread?: InboxItem[];
    seen?: Partial<Seen>;
  },
): RunResult {
  const { id, now, outcome, cause, answer, unread = [], seen = {} } = end;
  return {
    id,
    outcome,
    cause,
    text: answer,
    ...madeSoFar(state, seen),
    ...(unread.length > 0 && { unread }),
    ...(state.tools.effects.length > 0 && { effects: state.tools.effects }),
    trace: traceOf(state, { outcome, answer }, now),
  };
}
