/** Every signal, update and query of a run, with its types. Clients import this file. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { JsonSchema } from '../../base/json/json.js';
import type { AgentMessage, FromCaller } from '../../rules/agents/agent-message.js';
import type { ModelRequestPage } from '../../rules/prompts/model-request.js';
import type { ComponentAction } from '../../rules/steering/component-action.js';
import type { ShownPhase } from '../../rules/steering/status.js';
import type { ChildRecord } from '../../run/agents/children.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import type { Check, CheckResult } from '../../run/checks/check.js';
import type { Basis } from '../../run/evidence/evidence.js';
import type { FormMessage } from '../../run/gates/form.js';
import type { FormAnswer, Gate } from '../../run/gates/gate.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import type { Counters, Limits } from '../../run/limits/limits.js';
import type { UsageEntry } from '../../run/limits/usage-by.js';
import type { Message, Usage } from '../../run/messages/message.js';
import type { Artifact } from '../../run/outputs/artifact.js';
import type { Task, TaskChange } from '../../run/plan/plan.js';
import type { Cursor } from '../../run/state/cursor.js';
import type { GoalRecord } from '../../run/state/goal.js';
import type { JournalEvent, ModelSwitch } from '../../run/state/journal.js';
import type { Note } from '../../run/state/note.js';
import type { RunState } from '../../run/state/run-state.js';
import type { KeepPage, Lack, Mark } from '../../run/state/stored-line.js';
import type { TraceReport } from '../../run/state/trace.js';
import type { InboxItem, SteerTime } from '../../run/steering/inbox.js';

/** Marks runs whose end the store of sessions lacks in part: no other run passes this patch. */
export const LACKS_PATCH = 'steersman-unkept';
export const DEFAULT_TASK_QUEUE = 'steersman';

/** Input of a start, or of the next segment of a run. */
export type RunInput =
  | { goal: string; settings: RunSettings; messages?: readonly Message[]; leftOut?: number }
  | { resume: RunState };

/** A file before the goal's first write to it. */
export interface FileBefore {
  /** Relative to the workspace. */
  path: string;
  /** The path as a call named it. */
  named: string;
  /** There was no file. */
  isNew: boolean;
  /** The reference of its stored text; null if only its hash is known. */
  ref: string | null;
}

/** The end of a run: the workflow's result, the first detail of its failure, or (cancelled) the memo `result`. */
export interface RunResult<T = unknown> {
  /** The answer. */
  text: string;
  outcome: Outcome;
  /** Tokens and cost in total. */
  usage: Usage;
  /** The reason of the end, such as the limit that was reached. `causeText` states it in a sentence. */
  cause: Cause;
  /** The failure of a failed run, as clients read it; also of a run that could not begin. */
  failure?: { type: string; message: string };
  /** The basis of a completed goal: its checks, evidence for each task, or the verifier's verdict; else null. */
  basis: Basis | null;
  /** Parts of the goal that are impossible here, each with its reason; the answer contains them too. */
  exceptions: string[];
  id: string;
  mode: string;
  goal: string;
  /** All goals of the run; the last one is `goal`. */
  goals: GoalRecord[];
  tasks: Task[];
  /** Results of the last goal's checks; empty if it has no checks, or they did not run. */
  checks: CheckResult[];
  /** Texts that it wrote, by reference. */
  artifacts: Artifact[];
  /** The last goal's answer as a value that fits `settings.answer`; absent without one. */
  value?: T;
  /** Files that the last goal's calls named, as they were before; absent if none was looked at. */
  filesBefore?: FileBefore[];
  /** The latest sub-agents, with how each ended. */
  children: ChildRecord[];
  /** The parts of `usage`, by role and model. */
  usageBy: UsageEntry[];
  counters: Counters;
  /** Sub-agents only: messages that it did not read, which its caller gets back. */
  unread?: InboxItem[];
  /** Sub-agents only: their calls that may have changed something. */
  effects?: string[];
  /** The parts that the store lacks because it was unavailable at the end: a worker adds them later. Absent if it has all. */
  unkept?: Lack;
  /** The latest steps, about a hundred. `RunReader.trace` adds the earlier ones from the store. */
  trace: TraceReport;
}

/** The fields that features add to a result. For a run without them, clients see `NOTHING_SEEN`. */
export type Seen = Pick<RunResult, 'artifacts' | 'value' | 'filesBefore'>;
export const NOTHING_SEEN: Seen = { artifacts: [] };

/** Result of the query `state`: what `show --json` prints, except what only the server knows. */
export interface RunView
  extends Pick<
    RunResult,
    | 'goal'
    | 'basis'
    | 'exceptions'
    | 'tasks'
    | 'checks'
    | 'artifacts'
    | 'value'
    | 'filesBefore'
    | 'counters'
    | 'usage'
    | 'usageBy'
    | 'goals'
    | 'mode'
  > {
  phase: ShownPhase;
  outcome: Outcome | null;
  cause: Cause | null;
  /** Open gates; the first is the one that the run waits at. */
  gates: Gate[];
  answer: string | null;
  paused: boolean;
  /** Paths to sub-agents that are paused, such as `lead/1/search/1`: `resume` resumes them, too. */
  pausedAgents: string[];
  stopping: boolean;
  /** Messages that are not applied yet, including those that were passed on to sub-agents. */
  inbox: InboxItem[];
  limits: Limits | null;
  budget: { tokens: number; wallTimeMs: number; costUsd: number | null };
  /** The latest sub-agents that it called. Their workflow id is the run's id, `/` and their `id`. */
  children: ChildRecord[];
  /** The reason why `auto` chose this mode, at most 300 characters; null if no role chose it. */
  modeWhy: string | null;
  model: string;
  /** Models of each role, in order of preference; empty while the run loads. */
  models: Record<string, string[]>;
  /** Roles of its mode that read messages. */
  readers: string[];
  /** Roles that changed their model, each with its last change and the reason. */
  switches: ModelSwitch[];
  /** Language of the prompts; null while the run loads. */
  language: string | null;
  /** Folder in which its tools work, on the machine of its worker. */
  workspace: string;
  /** For debugging. */
  internals: {
    id: string;
    runId: string;
    segment: number;
    previousRunId: string | null;
    lastEventSeq: number;
    cursor: Pick<Cursor, 'position' | 'interrupts'>;
    threads: Record<string, { messages: number; tokens: number; epoch: number; dropped: number }>;
  };
}

export interface EventsPage {
  events: JournalEvent[];
  /** More events than fit this page exist: ask again after its last. */
  more: boolean;
  /** Events after `since` that were dropped from this state: an earlier segment has them. */
  missed: number;
  previousRunId: string | null;
  /** The run has not ended: ask again after the last `seq`. */
  open: boolean;
}

/** A message for the running goal. An `id` makes repeats harmless; the Web UI may omit it. */
export interface SteerInput {
  id?: string;
  text: string;
  /** Default `skip`: the tool call in progress ends, and the other calls of its batch are skipped. */
  when?: SteerTime;
  /** The role that reads it. Default: the one that is running. */
  to?: string;
}

export interface FollowUpInput {
  id?: string;
  text: string;
}

/** Sent by a start that found its conversation's run open: the goal, and the client's id of it. */
export interface JoinInput {
  id: string;
  text: string;
  /** The start's settings must equal the run's, because the goal is pursued with the run's. An absent setting is not compared. */
  session?: string;
  workspace?: string;
  autoApprove?: boolean;
  context?: Record<string, string>;
  /** Requirements for its goal; the run must have the same for its goals. */
  answer?: JsonSchema;
  checks?: readonly Check[];
  approvePlan?: boolean;
}

export interface ComponentActionInput extends ComponentAction {
  id?: string;
}

/** Failure types with which updates are refused. */
export const REFUSED = {
  /** The request is impossible, or the run accepts nothing further. */
  plain: 'run.refused',
  /** Too many messages wait. */
  full: 'run.full',
  /** The run uses other settings than those of the start. */
  differs: 'run.differs',
} as const;

export interface ReasonInput {
  reason?: string;
}

export interface PauseInput extends ReasonInput {
  /** Interrupts the call in flight, if that is safe, instead of waiting for its end. */
  interrupt?: boolean;
}

export const steerSignal = defineSignal<[SteerInput]>('steer');
export const followUpSignal = defineSignal<[FollowUpInput]>('followUp');
export const pauseSignal = defineSignal<[PauseInput?]>('pause');
export const resumeSignal = defineSignal<[ReasonInput?]>('resume');
export const stopSignal = defineSignal<[ReasonInput?]>('stop');
/** Sent by the run that called this one as a sub-agent: an answer to a gate, in the form of `answerGate`. */
export const answerSignal = defineSignal<[Record<string, unknown>]>('answer');
/** Sent by the activity of a tool call when its server asks the person something, and when the question is over. */
export const formSignal = defineSignal<[FormMessage]>('form');
/** Sent by the run that called this one as a sub-agent: decisions of its person that hold for all agents. */
export const callerSignal = defineSignal<[FromCaller]>('caller');
/** Sent by a sub-agent to the run that called it. */
export const subagentSignal = defineSignal<[AgentMessage]>('subagent');
/** The choice of a person in a component that they were shown: `{ id, action, label, data }`. */
export const componentActionSignal = defineSignal<[ComponentActionInput]>('componentAction');
export const finishSignal = defineSignal('finish');

/** Answers a gate: `{ gateId, decision, reason?, arguments? }` or `{ gateId, text }`, by the gate's kind. */
export const answerGateUpdate = defineUpdate<{ gateId: string }, [Record<string, unknown>]>('answerGate');
/** The result of a client tool: `{ gateId or callId, content, isError? }`. */
export const submitToolResultUpdate = defineUpdate<{ gateId: string }, [Record<string, unknown>]>(
  'submitToolResult',
);
/**
 * Sent by a client before it runs a call of its tools: `{ gateId, by }`. `run`: true if this client may run it. A call that
 * another client has begun is refused. With `takeOver` (that client is gone) it runs again if its tool may be repeated;
 * otherwise it ends as lost.
 */
export const claimToolCallUpdate = defineUpdate<{ run: boolean }, [Record<string, unknown>]>('claimToolCall');
/**
 * Adds tasks, changes given fields of tasks that have not begun, or removes such tasks: `{ tasks: [{ id, description, … }],
 * remove: [id] }`.
 */
export const editPlanUpdate = defineUpdate<{ tasks: number }, [{ tasks: TaskChange[]; remove?: string[] }]>(
  'editPlan',
);
/**
 * Withdraws a message that waits to be read: `{ id }`. Returns its text, and the agent that it was passed on to, if any: its
 * receipt then reports whether the withdrawal was in time.
 */
export const withdrawUpdate = defineUpdate<{ text: string; agent?: string }, [{ id: string }]>('withdraw');
/** A call that an app requests: `{ of, tool, arguments }`. Its result is the event `app_call_ended`. */
export const callToolUpdate = defineUpdate<{ callId: string }, [Record<string, unknown>]>('callTool');
/** A note for people, which no model gets: `{ type: 'SYSTEM_EVENT', text }`. Returns the number of its event. */
export const noteUpdate = defineUpdate<{ seq: number }, [Note]>('note');
/** Changes limits: `{ tokens: 2000000 }`. Returns their names, and the running agents that are notified. */
export const setBudgetUpdate = defineUpdate<{ limits: string[]; agents: string[] }, [Partial<Limits>]>(
  'setBudget',
);

/**
 * Sent with each start of a run of a conversation. `started`: true if the run began with this very start. If not, the goal
 * becomes the run's next one, after those that wait.
 */
export const joinUpdate = defineUpdate<{ started: boolean }, [JoinInput]>('join');

/** Takes effect from the next call, also in sub-agents: `{ model: 'openai/gpt-5', role }`; no role: all. Returns the roles. */
export const setModelUpdate = defineUpdate<{ roles: string[] }, [{ model: string; role?: string }]>(
  'setModel',
);

export const stateQuery = defineQuery<RunView>('state');
export const eventsQuery = defineQuery<EventsPage, [number?]>('events');
export const modelRequestQuery = defineQuery<
  ModelRequestPage,
  [string?, { from?: number; headKey?: string }?]
>('modelRequest');
/** All arguments of a tool call in flight, or (by the `callId` of its gate) of one that waits for a person. */
export const toolRequestQuery = defineQuery<Record<string, unknown>, [string]>('toolRequest');
/** The person's answer at the form of this id; null while unanswered. */
export const formAnswerQuery = defineQuery<FormAnswer | null, [string]>('formAnswer');
export const transcriptQuery = defineQuery<Message[], [string?, number?]>('transcript');
/** Messages by their ids, if the run still has them. */
export const messagesQuery = defineQuery<Message[], [string[]]>('messages');
export const keepPageQuery = defineQuery<KeepPage, [Mark, Mark?]>('keepPage');
export const traceQuery = defineQuery<TraceReport>('trace');
