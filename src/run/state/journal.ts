/** The numbered, durable events of a run, for watchers and tests. */

import { ownValue } from '../../base/json/json.js';
import { EVENT_BYTES, JOURNAL_BYTES, MOST_TOOLS_COUNTED } from '../../base/sizes/bounds.js';
import { sizeOf, sizeOfList } from '../../base/sizes/sizes.js';
import { fitted } from '../../base/text/fit.js';
import type { CheckStatus } from '../checks/check.js';
import type { Basis, EndFacts, FilesChanged } from '../evidence/evidence.js';
import type { GateCloser, GateKind } from '../gates/gate.js';
import type { Cause, Outcome } from '../limits/cause.js';
import type { BudgetKind, Enlarger } from '../limits/limits.js';
import type { AppResult, StopReason, ToolEnding, Usage, WrittenCall } from '../messages/message.js';
import type { Risk } from '../outputs/envelope.js';
import type { Receipt } from '../steering/receipt.js';
import type { ToolChanges } from '../tools/tool.js';

export type ReplyForm = 'words' | 'json';

/** A reply's statements about itself, as previews; the last three are fields of its envelope (O5). */
export interface ReplyAbout {
  /** The model's own description of its thoughts or act. */
  thought?: string;
  expectedOutcome?: string;
  risk?: Risk;
  /** 0 to 100. */
  confidence?: number;
}

/** How a tool call ended, independent of its caller. */
export interface CallEnded {
  callId: string;
  tool: string;
  ending: ToolEnding;
  isError: boolean;
  durationMs: number;
  /** The result's beginning on one line; of a long JSON its outline. */
  text: string;
  /** The result says more than `text`: its message has it. */
  cut?: true;
  /** The files that changed while a command ran, for people. */
  files?: FilesChanged;
  /** Data for people, never for models: for the tool's app, or the answer to an app's call. */
  app?: AppResult;
}

/** The payload of each type of event. Texts are short: long ones stay in messages, named by id. */
export interface JournalPayloads {
  /** `goal`: the beginning of its text. */
  run_started: { mode: string; goal: string };
  /** Tools and models that the goal may use; `tools` is their number. */
  run_loaded: { tools: number; models: string[]; warnings: string[] };
  /** A server's tools have changed, and this goal gets the new ones; names are those that models see. */
  tools_changed: ToolChanges;
  mode_chosen: { mode: string; why: string };
  /** `cycle` starts at 1, and grows with each verification that wants more. */
  phase_started: { phase: string; cycle: number };
  /** The present plan; `changed`: it differs from before; `cut`: ids of tasks left out for lack of room. */
  plan_updated: {
    tasks: { id: string; description: string; status: string }[];
    changed: boolean;
    cut: string[];
  };
  task_started: { taskId: string; description: string };
  /** `status`: completed, failed, skipped or blocked; `reason`: null for a completed task. */
  task_ended: { taskId: string; status: string; reason: string | null };
  /** The task exceeds its estimate, by the goal's working time; recorded once. */
  task_overdue: { taskId: string; estimatedMs: number; takenMs: number };
  model_call_started: {
    callId: string;
    role: string;
    model: string;
    /**
     * The expected number of the reply in the run, from 1: another reply may come first. A wrap-up is not counted and
     * has the next number.
     */
    turn: number;
    round: number;
    taskId: string | null;
    /** The expected form: words for a person, or JSON for the run, which may contain text for a person. */
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
    about?: ReplyAbout;
    /** Text, reasoning and calls of the reply; filled in from the message if it is still stored. */
    text?: string;
    reasoning?: string;
    calls?: WrittenCall[];
  };
  model_call_failed: {
    callId: string;
    taskId: string | null;
    model: string;
    turn: number;
    /** A later attempt with the same model may succeed. */
    retryable: boolean;
    /** Dotted failure type, such as `model.server_error`, or `lost`. */
    failure: string;
    message: string;
    next: string;
  };
  /** A role continues with another model. `why`: a failure, or the source of the choice, in words. */
  provider_switch: { role: string; fromModel: string; toModel: string; why: string };
  /**
   * The reply counts as its role's output. `decidedBy`: the field that decided its task; `error`: why it can't be read,
   * even after a re-ask.
   */
  output_read: {
    role: string;
    taskId: string | null;
    turn: number;
    messageId: string;
    decidedBy?: string;
    error?: string;
  };
  /** `turn` is the turn of the reply that made the call. */
  tool_call_started: {
    callId: string;
    taskId: string | null;
    turn: number;
    tool: string;
    /** JSON: complete if the reply (call `toolUseId`) is still stored, else its beginning. */
    arguments: string;
    toolUseId?: string;
    /** These arguments were edited by a person. */
    edited?: true;
  };
  tool_call_ended: CallEnded & {
    taskId: string | null;
    turn: number;
    messageId: string;
    /** The role for which the run made a call that its plan names: no reply asked for this call. */
    role?: string;
    /** The beginning of the model's own arguments, if the call never started, or a person edited them. */
    arguments?: string;
    /** The result has content for people; it is in the message. `server`: its source. */
    parts?: { server: string | null };
  };
  /** A call that an app requested, not a model; `askedBy`: the call whose result the app shows. */
  app_call_started: { callId: string; askedBy: string; tool: string; arguments: string; edited?: true };
  /** It may never have begun. */
  app_call_ended: CallEnded & { askedBy: string };
  /** A model read a skill, or its file `file`, at this digest. */
  skill_loaded: { name: string; digest: string; file?: string };
  /** A sub-agent starts for the tool call `callId`; `id`: unique in the run, such as `search/1`; `role`: its own role. */
  subagent_started: { id: string; role: string; callId: string };
  /** `cause`: null if unknown. */
  subagent_ended: {
    id: string;
    role: string;
    callId: string;
    outcome: Outcome | 'lost';
    cause: Cause | null;
  };
  /** An unreadable reply is requested once more. */
  reask: { role: string; errors: string[] };
  /** The second reply was unreadable too. `fallback` describes how the run continues. */
  output_fallback: { role: string; errors: string[]; fallback: string };
  /** `contradictions`: claims that the run's own record contradicts. */
  verdict: {
    done: boolean;
    feedback: string;
    improvements: string[];
    contradictions: string[];
    /** The basis of an accepting verdict. */
    basis?: Basis;
  };
  /** A check of the goal starts; `id`: `c1` and so on, `check`: its line; `before`: before the goal's first change. */
  check_started: { id: string; check: string; before?: true };
  /**
   * `role`: whose work it checks; `interrupted`: it is repeated, or the goal ends without it; `output`: its output, unless
   * it passed.
   */
  check_ended: {
    role?: string;
    id: string;
    check: string;
    status: CheckStatus | 'interrupted';
    why: string;
    output: string;
    durationMs: number;
    before?: true;
  };
  /** `limit` names the limit of rounds, such as `planning` or `execution`. */
  limit_reached: { limit: string; taskId: string | null };
  /** A fact for people without further effect. */
  warning: { text: string };
  /** A fact about the context for people; models do not get it. */
  context_note: { text: string };
  /** An event of the run that the application states: for people, never for a model. */
  system_event: { text: string };
  /** An act of an application's tool, as the application states it: for people, never for a model. */
  tool_log: { text: string };
  /** Most of the budget is used. */
  budget_warning: { budget: BudgetKind };
  /** `limits`: the new ones; null: unlimited. */
  budget_set: { limits: Partial<Record<string, number | null>>; by: Enlarger };
  /** `shortened`: results that were shortened in their place. */
  thread_trimmed: { thread: string; dropped: number; shortened: number; why: string };
  /** A transform of the worker's program changed the thread; `refused`: forbidden changes, such as of the goal. */
  thread_transformed: {
    thread: string;
    transform: string;
    leftOut: number;
    replaced: number;
    added: number;
    refused: number;
  };
  /** A model is asked to summarise a thread of this many tokens. */
  compaction_started: { thread: string; tokens: number; model: string };
  /** The summary `messageId` replaced `dropped` messages; `before` and `after` are the thread's tokens. */
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
  /** The summary failed: the thread stays unchanged, and is trimmed if it exceeds the model's limit. */
  compaction_failed: { thread: string; model: string; why: string };
  /** The state of a message, by its sender's id: accepted, then applied, queued or dropped. */
  receipt: Receipt;
  /** A message was applied; these tool calls were skipped for it. */
  steering: { ids: string[]; skippedTools: string[] };
  /** The run's decision about messages (`act`). `confirmed`: a person agreed; null if not asked. */
  route: { ids: string[]; act: string; reason: string; confirmed: boolean | null };
  user_message: { role: string; text: string };
  /** `body`: Markdown; `deadline`: the time of the safe answer, null for never; `choices`: the decisions it accepts. */
  gate_opened: {
    gateId: string;
    kind: GateKind;
    title: string;
    body: string;
    deadline: number | null;
    choices: string[];
    /** The number of changes, if it asks about several. */
    changes?: number;
    /** The call of a client's tool: its name, and the model's id of the call. */
    call?: { tool: string; id: string };
  };
  /** `edited`: the person approved other arguments; `reason`: the beginning of the person's reason. */
  gate_closed: {
    gateId: string;
    kind: GateKind;
    by: GateCloser;
    decision: string;
    edited?: true;
    reason?: string;
  };
  review: {
    subject: string;
    approved: boolean;
    fixes: string[];
    /** The reviewer's own: absent if code alone decided, or its reply was unreadable. */
    score?: number | null;
    feedback?: string;
  };
  orchestration: { accepted: boolean; why: string };
  goal_started: { number: number; text: string };
  /** `answer`: complete in the `events` query, if the run still has it; the journal stores its beginning. */
  goal_ended: { number: number; outcome: Outcome; cause: Cause; answer: string } & EndFacts;
  /** A message started a separate run. */
  new_run: { id: string; goal: string };
  paused: { reason: string };
  /** `agents`: paths of the agents that a pause held. */
  resumed: { reason: string; agents?: string[] };
  stop_requested: { reason: string };
  /** The run received a signal that it does not understand, or can't handle now. */
  signal_ignored: { signal: string; reason: string };
  /** A text was cut because it could not be stored by reference (once a run); or the store refuses the conversation for now. */
  store_failed: { what: string; why: string };
  /** The store accepts the conversation again, and has all of it that the run still had. */
  store_back: { afterMs: number };
  /** These were shortened or dropped while the store refused them: it will never have the originals. */
  store_gap: { messages: number; events: number };
  continued_as_new: { segment: number };
  run_ended: { outcome: Outcome; cause: Cause; answer: string } & EndFacts;
}

export type JournalType = keyof JournalPayloads;

export type JournalEvent = {
  [T in JournalType]: { seq: number; at: number; type: T; step?: number } & OfBranch<T> & JournalPayloads[T];
}[JournalType];

/** An event that ends a step of the trace, which it numbers: a tool call, a check, or a reply that counts. */
export type StepEvent = Extract<JournalEvent, { type: 'tool_call_ended' | 'check_ended' | 'output_read' }>;

/** Events of a task that runs in parallel carry its id, unless their payload does. */
type OfBranch<T extends JournalType> = JournalPayloads[T] extends { taskId: unknown }
  ? unknown
  : { taskId?: string };

/** The last `JOURNAL_KEPT` events, fewer if they are long; `seq` counts all. */
export interface Journal {
  lastSeq: number;
  events: JournalEvent[];
  /** The number of steps so far. */
  steps: number;
  usedTools: UsedTools;
}

export type UsedTools = Record<string, { count: number; totalMs: number }>;

export function newJournal(): Journal {
  return { lastSeq: 0, events: [], steps: 0, usedTools: {} };
}

export const JOURNAL_KEPT = 500;

/** Appends an event, with its texts cut to its bound, and drops the oldest beyond the limits. Changes `journal`. */
export function record<T extends JournalType>(
  journal: Journal,
  at: number,
  type: T,
  payload: JournalPayloads[T],
): void {
  journal.lastSeq += 1;
  const event = { seq: journal.lastSeq, at, type, ...payload } as unknown as JournalEvent;
  if (endsStep(event)) {
    journal.steps += 1;
    event.step = journal.steps;
  }
  journal.usedTools = withUse(journal.usedTools, event);
  append(journal.events, fitted(event, EVENT_BYTES));
}

/** Bytes of the events of a journal, which only `append` changes. */
const bytesOfEvents = new WeakMap<JournalEvent[], number>();

function append(events: JournalEvent[], event: JournalEvent): void {
  let bytes = (bytesOfEvents.get(events) ?? sizeOfList(events)) + sizeOf(event) + 1;
  events.push(event);
  let over = 0;
  for (const oldest of events) {
    if (events.length - over <= JOURNAL_KEPT && bytes <= JOURNAL_BYTES) break;
    bytes -= sizeOf(oldest) + 1;
    over += 1;
  }
  if (over > 0) events.splice(0, over);
  bytesOfEvents.set(events, bytes);
}

export function endsStep(event: JournalEvent): event is StepEvent {
  if (event.type === 'check_ended') return event.status !== 'interrupted' && !event.before;
  return event.type === 'tool_call_ended' || event.type === 'output_read';
}

/** The name under which the uses of further tools are counted, beyond `MOST_TOOLS_COUNTED`. */
const OTHER_TOOLS = '(others)';

/** Adds the use of a tool, if the event ends a call that was executed. */
export function withUse(usedTools: UsedTools, event: JournalEvent): UsedTools {
  if (event.type !== 'tool_call_ended' || event.ending !== 'executed') return usedTools;
  const known = ownValue(usedTools, event.tool) !== undefined;
  const isRoom = known || Object.keys(usedTools).length < MOST_TOOLS_COUNTED;
  const tool = isRoom ? event.tool : OTHER_TOOLS;
  const used = ownValue(usedTools, tool) ?? { count: 0, totalMs: 0 };
  return { ...usedTools, [tool]: { count: used.count + 1, totalMs: used.totalMs + event.durationMs } };
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

/** Returns the events after `since`, oldest first; `missed` counts those that were dropped. */
export function eventsSince(journal: Journal, since: number): { events: JournalEvent[]; missed: number } {
  const events = journal.events.filter(event => event.seq > since);
  const first = events[0]?.seq ?? journal.lastSeq + 1;
  return { events, missed: Math.max(0, first - since - 1) };
}
