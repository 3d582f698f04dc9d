/** The state of a run that user interfaces show: folded from its events, live text and the worker's state. Pure. */

import type {
  JournalEvent,
  JournalType,
  ReplyForm,
  RunEvent,
  RunSnapshot,
  RunView as StateView,
  Usage,
} from 'steersman/client';
import { addUsage, beginHearing, hear, NO_USAGE, progressWords, type ReceivedReply } from 'steersman/run';
import { spokenText } from './spoken-text.js';

export interface CallInFlight {
  role: string;
  model: string;
  round: number;
  taskId: string | null;
  form: ReplyForm;
  heard: ReceivedReply;
}

interface ToolInFlight {
  tool: string;
  taskId: string | null;
  arguments: string;
  startedAt: number;
  /** Progress text, if the tool server reports progress. */
  progress: string | null;
}

export interface RunProgress {
  goal: string;
  startedAt: number | null;
  phase: string;
  cycle: number;
  tasks: { id: string; description: string; status: string }[];
  /** Tasks at work: if there are several, each line names its task. */
  atWork: Set<string>;
  calls: Map<string, CallInFlight>;
  /** Running sub-agents, by their paths below the run. */
  children: Map<string, RunProgress>;
  tools: Map<string, ToolInFlight>;
  /** Usage of the run and its sub-agents. */
  usage: Usage;
  /** Turns of the current goal, as its limits count them. */
  turns: number;
  toolCalls: number;
  /** Messages of any client that were accepted and are not applied yet. */
  waiting: { id: string; how: string }[];
  /** The text of the last reply, because roles repeat some of them to the person. */
  lastWords: string | null;
  paused: boolean;
  stopping: boolean;
  idle: boolean;
  /** The time when the goal was answered, while nothing runs. */
  answeredAt: number | null;
  /** The last result of the query `state`. */
  state: StateView | null;
  /** `seq` of the run's last event; sub-agents have their own. */
  lastSeq: number;
  /** A state that is newer than the events received so far. */
  ahead: Known | null;
}

/** Facts that a worker or the record reports about a run, for lost or unread events. */
export type Known = Pick<
  RunSnapshot,
  'goal' | 'phase' | 'paused' | 'stopping' | 'tasks' | 'usage' | 'counters' | 'lastEventSeq'
>;

export function newProgress(goal: string): RunProgress {
  return {
    goal,
    startedAt: null,
    phase: 'starting',
    cycle: 1,
    tasks: [],
    atWork: new Set(),
    calls: new Map(),
    children: new Map(),
    tools: new Map(),
    usage: NO_USAGE,
    turns: 0,
    toolCalls: 0,
    waiting: [],
    lastWords: null,
    paused: false,
    stopping: false,
    idle: false,
    answeredAt: null,
    state: null,
    lastSeq: 0,
    ahead: null,
  };
}

type Take<T extends JournalType> = (
  event: Extract<JournalEvent, { type: T }>,
  progress: RunProgress,
) => Partial<RunProgress> | undefined;

/** Returns the fields that an event changes; maps and sets are changed in place. */
const TAKE: { [T in JournalType]?: Take<T> } = {
  run_started: ({ goal }, progress) => ({ goal: progress.goal || goal, phase: 'loading' }),
  phase_started: ({ phase, cycle }) => ({ phase, cycle }),
  goal_started: ({ text }, { atWork }) => {
    atWork.clear();
    return { goal: text, tasks: [], idle: false, turns: 0, toolCalls: 0 };
  },
  goal_ended: ({ at }) => ({ idle: true, answeredAt: at }),
  plan_updated: ({ tasks }) => planned(tasks),
  task_started: ({ taskId }, { tasks, atWork }) => {
    atWork.add(taskId);
    return { tasks: withStatus(tasks, taskId, 'executing') };
  },
  task_ended: ({ taskId, status }, { tasks, atWork }) => {
    atWork.delete(taskId);
    return { tasks: withStatus(tasks, taskId, status) };
  },
  paused: () => ({ paused: true }),
  resumed: () => ({ paused: false }),
  stop_requested: () => ({ stopping: true }),
  subagent_ended: ({ id }, { children }) => void children.delete(id),
  receipt: ({ id, state, how }, progress) => {
    const others = progress.waiting.filter(message => message.id !== id);
    return { waiting: state === 'accepted' || state === 'queued' ? [...others, { id, how }] : others };
  },
  model_call_started: ({ callId, role, model, round, taskId, form }, { calls, atWork }) => {
    if (taskId !== null) atWork.add(taskId);
    calls.set(callId, { role, model, round, taskId, form, heard: beginHearing() });
    return { idle: false };
  },
  model_call_ended: ({ callId, text = '', usage }, { calls, ...progress }) => {
    const lastWords = spokenText(text, calls.get(callId)?.form);
    calls.delete(callId);
    return { lastWords, turns: progress.turns + turnsOf(progress), usage: addUsage(progress.usage, usage) };
  },
  model_call_failed: ({ callId }, { calls }) => void calls.delete(callId),
  tool_call_started: ({ callId, taskId, tool, arguments: given, at }, { tools }) =>
    void tools.set(callId, { tool, taskId, arguments: given, startedAt: at, progress: null }),
  tool_call_ended: ({ callId }, { tools, toolCalls }) => {
    tools.delete(callId);
    return { toolCalls: toolCalls + 1 };
  },
};

/** Returns the turns that a reply counts as: none in the wrap-up, as in the run's own counters. */
function turnsOf({ phase }: Pick<RunProgress, 'phase'>): number {
  return phase === 'wrap_up' ? 0 : 1;
}

function planned(tasks: RunProgress['tasks']): Pick<RunProgress, 'tasks' | 'atWork'> {
  const executing = tasks.filter(({ status }) => status === 'executing');
  return { tasks, atWork: new Set(executing.map(({ id }) => id)) };
}

function withStatus(tasks: RunProgress['tasks'], id: string, status: string): RunProgress['tasks'] {
  return tasks.map(task => (task.id === id ? { ...task, status } : task));
}

/** Returns the progress of a sub-agent. If it is unknown, it is added to `progress`, with the run's start time. */
export function childProgress({ children, startedAt }: RunProgress, child: string): RunProgress {
  const known = children.get(child) ?? { ...newProgress(''), startedAt };
  children.set(child, known);
  return known;
}

/** Applies an event of the run or of a sub-agent to `progress`, which it changes. */
export function take(progress: RunProgress, event: RunEvent): void {
  const { path } = event;
  const own = path === undefined ? progress : childProgress(progress, path);
  if ('seq' in event) {
    own.startedAt ??= event.at;
    own.lastSeq = event.seq;
    Object.assign(own, (TAKE[event.type] as Take<JournalType> | undefined)?.(event, own));
    if (own.ahead) takeState(own, own.ahead);
  }
  const call = event.type === 'text' ? own.calls.get(event.callId) : undefined;
  if (call && event.type === 'text') call.heard = hear(call.heard, event);
  const tool = event.type === 'tool_progress' ? own.tools.get(event.callId) : undefined;
  if (tool && event.type === 'tool_progress') tool.progress = progressWords(event);
  if (path === undefined) return;
  // Usage of sub-agents counts for the run: its limits and `show` include it.
  if (event.type === 'model_call_ended') {
    progress.turns += turnsOf(own);
    progress.usage = addUsage(progress.usage, event.usage);
  }
  if (event.type === 'subagent_ended') progress.children.delete(`${path}/${event.id}`);
}

/** Applies a state, now or when the events have reached it. An older state is ignored. */
export function takeState(progress: RunProgress, known: Known): void {
  const seq = known.phase === 'ended' ? progress.lastSeq : (known.lastEventSeq ?? 0);
  if (seq > progress.lastSeq) progress.ahead = known;
  if (seq !== progress.lastSeq) return;
  const { goal, phase, paused, stopping, tasks, usage, counters } = known;
  const isWork = phase !== null && !NO_WORK.has(phase);
  Object.assign(progress, { paused, stopping, idle: phase === 'idle', ahead: null }, planned(tasks));
  if (isWork) progress.phase = phase;
  progress.goal = goal ?? progress.goal;
  progress.usage = usage ?? progress.usage;
  progress.turns = counters?.turns ?? progress.turns;
  progress.toolCalls = counters?.toolCalls ?? progress.toolCalls;
}

/** Phases in which no work is done. */
const NO_WORK: ReadonlySet<string> = new Set(['paused', 'waiting', 'idle', 'ended']);

/** Returns a call's text for people so far; null if it has no text yet, or its JSON is unreadable without the beginning. */
export function wordsOf({ form, heard: { text } }: CallInFlight): string | null {
  return text.from > 0 && form === 'json' ? null : spokenText(text.text, form);
}

/** Returns the end of a call's text for people, with a mark if there is more before it. */
export function lastWords(call: CallInFlight, most: number): string {
  const words = wordsOf(call) ?? '';
  return words.length > most || words === '' ? `…${words.slice(-most)}` : words;
}
