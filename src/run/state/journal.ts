/** The numbered, durable events of a run, which watchers follow and tests compare. */

import { EVENT_BYTES, JOURNAL_BYTES } from '../../base/sizes/bounds.js';
import { countOver } from '../../base/sizes/sizes.js';
import { fitted } from '../../base/text/fit.js';
import type { CheckStatus } from '../checks/check.js';
import type { Basis, Rest } from '../evidence/evidence.js';
import type { GateCloser, GateKind } from '../gates/gate.js';
import type { Cause, Outcome } from '../limits/cause.js';
import type { BudgetKind, Enlarger } from '../limits/limits.js';
import type { AppResult, SaidCall, StopReason, ToolEnding, Usage } from '../messages/message.js';
import type { Receipt } from '../steering/receipt.js';
import type { ToolChanges } from '../tools/tool.js';

export type ReplyForm = 'words' | 'json';

/** What each type of event says. Texts are short: long ones stay in messages, named by id. */
/** How a call of a tool ended, whoever asked for it. */
export interface CallEnded {
  callId: string;
  tool: string;
  ending: ToolEnding;
  isError: boolean;
  durationMs: number;
  text: string;
  /** For people, never for models: what an app of the tool shows, or is answered. */
  app?: AppResult;
}

export interface JournalPayloads {
  /** `goal`: its beginning. */
  run_started: { mode: string; goal: string };
  /** Tools and models that the goal may use; `tools`: how many. */
  run_loaded: { tools: number; models: string[]; warnings: string[] };
  /** A server's tools have changed, and this goal gets the new ones; names as models know them. */
  tools_changed: ToolChanges;
  mode_chosen: { mode: string; why: string };
  /** `cycle`: from 1, one more with each verification that wants more. */
  phase_started: { phase: string; cycle: number };
  /** The plan as it is now; `changed`: otherwise than before; `cut`: ids of tasks that there was no room for. */
  plan_updated: {
    tasks: { id: string; description: string; status: string }[];
    changed: boolean;
    cut: string[];
  };
  task_started: { taskId: string; description: string };
  /** `status`: completed, failed, skipped or blocked; `reason`: null for a task that was completed. */
  task_ended: { taskId: string; status: string; reason: string | null };
  /** It has taken longer than its estimate, by the goal's working time: said once. */
  task_overdue: { taskId: string; estimatedMs: number; takenMs: number };
  model_call_started: {
    callId: string;
    role: string;
    model: string;
    /**
     * Number of the reply in the run, from 1, where no other comes before it; a wrap-up, outside the count, has that
     * of the reply that would follow.
     */
    turn: number;
    round: number;
    taskId: string | null;
    /** What the role is to reply: words for a person, or JSON for the run, of which some may be for a person. */
    form: ReplyForm;
    /** Its words are the goal's answer, unless it calls tools. */
    answers?: true;
  };
  model_call_ended: {
    callId: string;
    taskId: string | null;
    role: string;
    model: string;
    turn: number;
    messageId: string;
    stopReason: StopReason;
    toolCalls: number;
    usage: Usage;
    durationMs: number;
    /** What it said, what it thought and the calls it made: filled in from the message where it is kept. */
    text?: string;
    reasoning?: string;
    calls?: SaidCall[];
  };
  model_call_failed: {
    callId: string;
    taskId: string | null;
    model: string;
    turn: number;
    /** A later try of the same model may bring a reply. */
    retryable: boolean;
    /** Dotted failure type, such as `model.server_error`, or `lost`. */
    failure: string;
    message: string;
    next: string;
  };
  /** A role goes on with another model. `why`: a failure, or who or what chose it, in words. */
  provider_switch: { role: string; fromModel: string; toModel: string; why: string };
  /** `turn`: of the reply that asked for it. */
  tool_call_started: {
    callId: string;
    taskId: string | null;
    turn: number;
    tool: string;
    /** JSON: whole where the reply is kept, which has it as the call `toolUseId`, else its beginning. */
    arguments: string;
    toolUseId?: string;
    /** A person edited the arguments: these are the edited ones. */
    edited?: true;
  };
  tool_call_ended: CallEnded & {
    taskId: string | null;
    turn: number;
    messageId: string;
    /** The result holds content for people's eyes: the message has it. `server`: whose it is. */
    parts?: { server: string | null };
  };
  /** A call that the app of another call, `askedBy`, has asked for; no model has. */
  app_call_started: { callId: string; askedBy: string; tool: string; arguments: string; edited?: true };
  /** It may never have begun. */
  app_call_ended: CallEnded & { askedBy: string };
  /** A sub-agent runs, for the tool call `callId`; `id`: unique in the run, such as `search/1`; `role`: its own. */
  subagent_started: { id: string; role: string; callId: string };
  /** `cause`: null where nobody tells it. */
  subagent_ended: {
    id: string;
    role: string;
    callId: string;
    outcome: Outcome | 'lost';
    cause: Cause | null;
  };
  /** A reply that could not be read is asked for once more. */
  reask: { role: string; errors: string[] };
  /** The second reply was unreadable too. `fallback` says in words how the run goes on. */
  output_fallback: { role: string; errors: string[]; fallback: string };
  /** `contradictions`: claims that the run's own record contradicts. */
  verdict: {
    done: boolean;
    feedback: string;
    improvements: string[];
    contradictions: string[];
    /** On what it rests, where it is accepted. */
    basis?: Basis;
  };
  /** A check of the goal; `id`: `c1` and so on, `check`: what it is. */
  check_started: { id: string; check: string };
  /** `interrupted`: it is made again, or the goal ends without it; `output`: what it said, unless it passed. */
  check_ended: {
    id: string;
    check: string;
    status: CheckStatus | 'interrupted';
    why: string;
    output: string;
    durationMs: number;
  };
  /** `limit`: of rounds, such as `planning` or `execution`. */
  limit_reached: { limit: string; taskId: string | null };
  /** Something that a person should know; it has no further effect. */
  warning: { text: string };
  /** Something that a person should know of the context, and no model is told. */
  context_note: { text: string };
  /** Most of it is used. */
  budget_warning: { budget: BudgetKind };
  /** `limits`: the new ones; null for none. */
  budget_set: { limits: Partial<Record<string, number | null>>; by: Enlarger };
  /** `shortened`: results made shorter in their place. */
  thread_trimmed: { thread: string; dropped: number; shortened: number; why: string };
  /** A transform of the worker's program has changed it; `refused`: changes that may not be, such as of the goal. */
  thread_transformed: {
    thread: string;
    transform: string;
    leftOut: number;
    replaced: number;
    added: number;
    refused: number;
  };
  /** A model is asked for a summary of a thread of so many tokens. */
  compaction_started: { thread: string; tokens: number; model: string };
  /** To the summary `messageId`, `dropped` messages gave way now; tokens of the thread `before` and `after`. */
  thread_compacted: {
    thread: string;
    dropped: number;
    before: number;
    after: number;
    model: string;
    messageId: string;
    usage: Usage;
    durationMs: number;
  };
  /** There is none: the thread stays as it is, and is trimmed where the model takes no more. */
  compaction_failed: { thread: string; model: string; why: string };
  /** What becomes of a message, under its sender's id: accepted, then applied, queued or dropped. */
  receipt: Receipt;
  /** A message was applied: the tool calls that were skipped for it. */
  steering: { ids: string[]; skippedTools: string[] };
  /** What the run makes of messages: `act`; `confirmed`: by a person, null where nobody was asked. */
  route: { ids: string[]; act: string; reason: string; confirmed: boolean | null };
  user_message: { role: string; text: string };
  /**
   * `body`: Markdown; `deadline`: when the safe answer is taken, null for never; `choices`: decisions that it takes.
   */
  gate_opened: {
    gateId: string;
    kind: GateKind;
    title: string;
    body: string;
    deadline: number | null;
    choices: string[];
  };
  gate_closed: {
    gateId: string;
    kind: GateKind;
    by: GateCloser;
    decision: string;
  };
  review: { subject: string; approved: boolean; fixes: string[] };
  orchestration: { accepted: boolean; why: string };
  goal_started: { number: number; text: string };
  /** `answer`: whole in what the `events` query tells, as far as the run has it; the journal keeps its beginning. */
  goal_ended: { number: number; outcome: Outcome; cause: Cause; answer: string } & Rest;
  /** A message began a run of its own. */
  new_run: { id: string; goal: string };
  paused: { reason: string };
  /** `agents`: the ways to those that a pause held. */
  resumed: { reason: string; agents?: string[] };
  stop_requested: { reason: string };
  /** Something was sent that the run does not understand, or not now. */
  signal_ignored: { signal: string; reason: string };
  /** A text that should have been kept by reference, and was cut. Said once a run; or, of the conversation: the store does not take it, and is asked again. */
  store_failed: { what: string; why: string };
  /** The store takes the conversation again, and has all of it that the run still had. */
  store_back: { afterMs: number };
  /** So many were shortened or dropped while the store did not take them: it will never have them whole. */
  store_gap: { messages: number; events: number; steps: number };
  continued_as_new: { segment: number };
  run_ended: { outcome: Outcome; cause: Cause; answer: string } & Rest;
}

export type JournalType = keyof JournalPayloads;

export type JournalEvent = {
  [T in JournalType]: { seq: number; at: number; type: T } & OfBranch<T> & JournalPayloads[T];
}[JournalType];

/** All else that happens in the work on a task that runs beside others says whose it is. */
type OfBranch<T extends JournalType> = JournalPayloads[T] extends { taskId: unknown }
  ? unknown
  : { taskId?: string };

/** What is kept: the last `JOURNAL_KEPT` events, fewer where they are long; `seq` counts all. */
export interface Journal {
  lastSeq: number;
  events: JournalEvent[];
}

export const JOURNAL_KEPT = 500;

/** Appends one event, its texts cut to its bound, and drops the oldest beyond what is kept. Changes `journal`. */
export function record<T extends JournalType>(
  journal: Journal,
  at: number,
  type: T,
  payload: JournalPayloads[T],
): void {
  journal.lastSeq += 1;
  const event = { seq: journal.lastSeq, at, type, ...payload } as unknown as JournalEvent;
  journal.events.push(fitted(event, EVENT_BYTES));
  journal.events.splice(0, Math.max(0, journal.events.length - JOURNAL_KEPT));
  journal.events.splice(0, countOver(journal.events, JOURNAL_BYTES));
}

export type ModelSwitch = JournalPayloads['provider_switch'];

export function lastSwitches({ events }: Journal): ModelSwitch[] {
  const last = new Map<string, ModelSwitch>();
  for (const event of events) {
    if (event.type !== 'provider_switch') continue;
    const { role, fromModel, toModel, why } = event;
    last.delete(role);
    last.set(role, { role, fromModel, toModel, why });
  }
  return [...last.values()];
}

/** Events after `since`, oldest first; `missed` counts those no longer kept. */
export function eventsSince(journal: Journal, since: number): { events: JournalEvent[]; missed: number } {
  const events = journal.events.filter(event => event.seq > since);
  const first = events[0]?.seq ?? journal.lastSeq + 1;
  return { events, missed: Math.max(0, first - since - 1) };
}

export const ANSWERED = 'it has its answer already';

const HOW_CLOSED: Record<GateCloser, string> = {
  person: ANSWERED,
  timeout: 'nobody answered in time',
  rule: 'nobody needed to be asked',
  superseded: 'nobody waits for an answer any more',
};

/** How a gate was closed, as far as the journal reaches back, in words without a full stop. */
export function howClosed({ events }: Journal, gateId: string): string {
  const closed = events.findLast(event => event.type === 'gate_closed' && event.gateId === gateId);
  if (closed?.type !== 'gate_closed') return HOW_CLOSED.superseded;
  const { by, decision } = closed;
  return `${HOW_CLOSED[by]} (${decision})`;
}
