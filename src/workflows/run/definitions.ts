/** Every signal, update and query of a run, with its types: what clients import. */
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AgentMessage, FromCaller } from '../../rules/agents/agent-message.js';
import type { ModelRequestPage } from '../../rules/prompts/model-request.js';
import type { ComponentAction } from '../../rules/steering/component-action.js';
import type { ShownPhase } from '../../rules/steering/status.js';
import type { ChildRecord } from '../../run/agents/children.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import type { CheckResult } from '../../run/checks/check.js';
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
import type { KeepPage, Mark } from '../../run/state/kept.js';
import type { RunState } from '../../run/state/run-state.js';
import type { TraceReport } from '../../run/state/trace.js';
import type { InboxItem, SteerTime } from '../../run/steering/inbox.js';

/** Runs that ended while the store lacked something of them have passed it, and no other runs. */
export const LACKS_PATCH = 'steersman-unkept';
export const DEFAULT_TASK_QUEUE = 'steersman';

/** A start, or the next segment of a run that continued as new. */
export type RunInput =
  | { goal: string; settings: RunSettings; messages?: readonly Message[]; leftOut?: number }
  | { resume: RunState };

/** What a run gives when it ends: its result, a failure's first detail, or (cancelled) the memo `result`. */
export interface RunResult {
  /** The answer. */
  text: string;
  outcome: Outcome;
  /** Tokens and cost, in all. */
  usage: Usage;
  /** Why it ended so: which cap or what else. `causeText` says it in a sentence. */
  cause: Cause;
  /** On what a completed goal rests: its checks, evidence for each task, or the verifier's word; else null. */
  basis: Basis | null;
  /** Parts of the goal that are impossible here, each with why: the answer has them too. */
  exceptions: string[];
  id: string;
  mode: string;
  goal: string;
  /** All goals of the run; the last is the one above. */
  goals: GoalRecord[];
  tasks: Task[];
  /** What came of the checks of the last goal; empty where it has none, or none was made. */
  checks: CheckResult[];
  /** Texts that it wrote, by reference. */
  artifacts: Artifact[];
  /** The last sub-agents, with how each ended. */
  children: ChildRecord[];
  /** The parts of `usage`, by role and model. */
  usageBy: UsageEntry[];
  counters: Counters;
  /** Of a sub-agent: messages that it did not read, which its caller has. */
  unread?: InboxItem[];
  /** Of a sub-agent: its calls that may have changed something. */
  effects?: string[];
  /** The last 64 KB of its steps at most; `stored` names those before them in the blob store. */
  trace: TraceReport;
}

/** What features show of a run. Of a run without them clients see `NOTHING_SEEN`. */
export type Seen = Pick<RunResult, 'artifacts'>;
export const NOTHING_SEEN: Seen = { artifacts: [] };

/** Answer of the query `state`: what `show --json` prints, without what only the server knows. */
export interface RunView
  extends Pick<
    RunResult,
    | 'goal'
    | 'basis'
    | 'exceptions'
    | 'tasks'
    | 'checks'
    | 'artifacts'
    | 'counters'
    | 'usage'
    | 'usageBy'
    | 'goals'
    | 'mode'
  > {
  phase: ShownPhase;
  outcome: Outcome | null;
  cause: Cause | null;
  /** Open gates, first the one that it waits at. */
  gates: Gate[];
  answer: string | null;
  paused: boolean;
  /** The ways to sub-agents that a pause holds, such as `lead/1/search/1`: `resume` lets them go on, too. */
  pausedAgents: string[];
  stopping: boolean;
  /** Messages that are not applied yet, also those that were passed on to sub-agents. */
  inbox: InboxItem[];
  limits: Limits | null;
  budget: { tokens: number; wallTimeMs: number; costUsd: number | null };
  /** The last sub-agents that it called; the workflow id of one is that of the run, `/` and its `id`. */
  children: ChildRecord[];
  /** Why that mode, where a role chose it (`auto`), at most 300 characters; else null. */
  modeWhy: string | null;
  model: string;
  /** Models of each role, in order of preference; empty while the run loads. */
  models: Record<string, string[]>;
  /** Roles of its mode that read messages. */
  readers: string[];
  /** Roles that went on with another model, each with its last change and why. */
  switches: ModelSwitch[];
  /** Of its prompts; null while the run loads. */
  language: string | null;
  /** Folder that its tools work in, on its worker's machine. */
  workspace: string;
  /** For who looks for faults. */
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
  /** There are later events than fit this page: ask again after its last. */
  more: boolean;
  /** Events after `since` that are no longer kept here: an earlier segment of the run has them. */
  missed: number;
  previousRunId: string | null;
  /** The run goes on: ask again after the last `seq`. */
  open: boolean;
}

/** A message to a running goal. An `id` makes repeats harmless; the Web UI may leave it out. */
export interface SteerInput {
  id?: string;
  text: string;
  /** Default `skip`: the tool call in progress ends, the rest of its batch is skipped. */
  when?: SteerTime;
  /** A role; left out, the one that is running. */
  to?: string;
}

export interface FollowUpInput {
  id?: string;
  text: string;
}

/** A start that found the conversation's run: its goal, and the word by which its client knows it. */
export interface JoinInput {
  id: string;
  text: string;
  /** Of the start: the run's own must be the same, for its goal is pursued with those. Not compared where left out. */
  session?: string;
  workspace?: string;
  autoApprove?: boolean;
  context?: Record<string, string>;
}

export interface ComponentActionInput extends ComponentAction {
  id?: string;
}

/** Types of what updates are refused with. */
export const REFUSED = {
  /** What is asked can't be, or the run takes no more. */
  plain: 'run.refused',
  /** Too many messages wait. */
  full: 'run.full',
  /** The run is at work with other settings than those of the start. */
  differs: 'run.differs',
} as const;

export interface ReasonInput {
  reason?: string;
}

export interface PauseInput extends ReasonInput {
  /** Cuts off the call in flight, where that is safe, instead of letting it end. */
  interrupt?: boolean;
}

export const steerSignal = defineSignal<[SteerInput]>('steer');
export const followUpSignal = defineSignal<[FollowUpInput]>('followUp');
export const pauseSignal = defineSignal<[PauseInput?]>('pause');
export const resumeSignal = defineSignal<[ReasonInput?]>('resume');
export const stopSignal = defineSignal<[ReasonInput?]>('stop');
/** From the run that called this one as a sub-agent: an answer to a gate, as `answerGate` has it. */
export const answerSignal = defineSignal<[Record<string, unknown>]>('answer');
/** From the activity of a tool call whose server asks the person something, and when it asks no more. */
export const formSignal = defineSignal<[FormMessage]>('form');
/** From the run that called this one as a sub-agent: what its person said that holds for all. */
export const callerSignal = defineSignal<[FromCaller]>('caller');
/** From a sub-agent to the run that called it. */
export const subagentSignal = defineSignal<[AgentMessage]>('subagent');
/** What a person chose of a component that they were shown: `{ id, action, label, data }`. */
export const componentActionSignal = defineSignal<[ComponentActionInput]>('componentAction');
export const finishSignal = defineSignal('finish');

/** Answers a gate: `{ gateId, decision, reason?, arguments? }`, `{ gateId, text }`, by the gate's kind. */
export const answerGateUpdate = defineUpdate<{ gateId: string }, [Record<string, unknown>]>('answerGate');
/** The result of a client tool: `{ gateId or callId, content, isError? }`. */
export const submitToolResultUpdate = defineUpdate<{ gateId: string }, [Record<string, unknown>]>(
  'submitToolResult',
);
/**
 * Said by a client before it runs a call of its tools: `{ gateId, by }`. `run`: whether it is to run it. One that another
 * has begun is refused, or with `takeOver`, for that one is gone, ended: it may have taken effect.
 */
export const claimToolCallUpdate = defineUpdate<{ run: boolean }, [Record<string, unknown>]>('claimToolCall');
/**
 * Adds tasks, changes those that have not begun, in the fields that are given, or takes them out:
 * `{ tasks: [{ id, description, … }], remove: [id] }`.
 */
export const editPlanUpdate = defineUpdate<{ tasks: number }, [{ tasks: TaskChange[]; remove?: string[] }]>(
  'editPlan',
);
/**
 * Takes back a message that waits to be read: `{ id }`. Gives its text, and the agent that it is called back from,
 * where it was passed on: its receipt says then whether that was in time.
 */
export const withdrawUpdate = defineUpdate<{ text: string; agent?: string }, [{ id: string }]>('withdraw');
/** A call that an app asks for: `{ of, tool, arguments }`. Its result comes as the event `app_call_ended`. */
export const callToolUpdate = defineUpdate<{ callId: string }, [Record<string, unknown>]>('callTool');
/** Changes limits: `{ tokens: 2000000 }`. Gives their names, and the agents at work that are told theirs. */
export const setBudgetUpdate = defineUpdate<{ limits: string[]; agents: string[] }, [Partial<Limits>]>(
  'setBudget',
);

/**
 * Comes with each start of a run of a conversation: `started`, if it began with this very start. Else the goal is its
 * next one, after those that wait.
 */
export const joinUpdate = defineUpdate<{ started: boolean }, [JoinInput]>('join');

/** From the next call on, also in sub-agents: `{ model: 'openai/gpt-5', role }`, or no role for all. Gives the roles. */
export const setModelUpdate = defineUpdate<{ roles: string[] }, [{ model: string; role?: string }]>(
  'setModel',
);

export const stateQuery = defineQuery<RunView>('state');
export const eventsQuery = defineQuery<EventsPage, [number?]>('events');
export const modelRequestQuery = defineQuery<
  ModelRequestPage,
  [string?, { from?: number; headKey?: string }?]
>('modelRequest');
/** All arguments of a tool call in flight, or, by the `callId` of its gate, of one that waits for a person. */
export const toolRequestQuery = defineQuery<Record<string, unknown>, [string]>('toolRequest');
/** What a person has given at the form of this id; null: nobody has yet. */
export const formAnswerQuery = defineQuery<FormAnswer | null, [string]>('formAnswer');
export const transcriptQuery = defineQuery<Message[], [string?, number?]>('transcript');
/** What lies between two marks, for the store of sessions; without the second, all that there is. */
/** Messages by their ids, as far as the run has them. */
export const messagesQuery = defineQuery<Message[], [string[]]>('messages');
export const keepPageQuery = defineQuery<KeepPage, [Mark, Mark?]>('keepPage');
export const traceQuery = defineQuery<TraceReport>('trace');
