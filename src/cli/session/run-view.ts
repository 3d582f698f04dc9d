/** What a session knows of its run: journal and live text, folded. Pure. */

import type { RunEvent, TextDelta } from '../../client/index.js';
import type { ToolProgress } from '../../core/limits/heartbeats.js';
import type { JournalEvent, ReplyForm } from '../../core/state/journal.js';
import type { Usage } from '../../core/state/message.js';
import { addUsage, NO_USAGE } from '../../core/state/message.js';
import type { RunView as StateView } from '../../workflows/messages.js';
import { progressWords } from '../print/event-lines.js';
import { spokenText } from '../print/reply-text.js';

/** A model call in flight. */
export interface CallInFlight {
  role: string;
  model: string;
  round: number;
  taskId: string | null;
  form: ReplyForm;
  /** What has come of the reply. */
  text: string;
  reasoningChars: number;
  /** Characters before `text` that were not seen. */
  missed: number;
  attempt: number;
}

interface ToolInFlight {
  tool: string;
  arguments: string;
  startedAt: number;
  /** How far it is, where its server tells it. */
  progress: string | null;
}

/** A message of this or another client that was accepted and is not applied. */
export interface Waiting {
  id: string;
  how: string;
}

export interface RunProgress {
  goal: string;
  goalNumber: number;
  startedAt: number | null;
  phase: string;
  cycle: number;
  tasks: { id: string; description: string; status: string }[];
  calls: Map<string, CallInFlight>;
  /** Sub-agents that run, by their places below the run. */
  children: Map<string, RunProgress>;
  tools: Map<string, ToolInFlight>;
  usage: Usage;
  turns: number;
  toolCalls: number;
  waiting: Waiting[];
  /** The words of the last reply: roles say some of them again to the person. */
  lastWords: string | null;
  paused: boolean;
  stopping: boolean;
  idle: boolean;
  /** When the goal was answered, while nothing runs. */
  answeredAt: number | null;
  ended: boolean;
  /** The last answer of the query `state`. */
  state: StateView | null;
}

export function newProgress(goal: string): RunProgress {
  return {
    goal,
    goalNumber: 1,
    startedAt: null,
    phase: 'starting',
    cycle: 1,
    tasks: [],
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
    ended: false,
    state: null,
  };
}

/** Takes an event in. Changes `progress`. */
function takeEvent(progress: RunProgress, event: JournalEvent): void {
  progress.startedAt ??= event.at;
  switch (event.type) {
    case 'run_started':
      progress.goal ||= event.goal;
      progress.phase = 'loading';
      return;
    case 'phase_started':
      progress.phase = event.phase;
      progress.cycle = event.cycle;
      return;
    case 'goal_started':
      Object.assign(progress, { goal: event.text, goalNumber: event.number, tasks: [], idle: false });
      return;
    case 'goal_ended':
      progress.idle = true;
      progress.answeredAt = event.at;
      return;
    case 'plan_updated':
      progress.tasks = event.tasks;
      return;
    case 'task_started':
      setTask(progress, event.taskId, 'executing');
      return;
    case 'task_ended':
      setTask(progress, event.taskId, event.status);
      return;
    case 'paused':
      progress.paused = true;
      return;
    case 'resumed':
      progress.paused = false;
      return;
    case 'stop_requested':
      progress.stopping = true;
      return;
    case 'run_ended':
      progress.ended = true;
      return;
    case 'subagent_ended':
      progress.children.delete(event.id);
      return;
    case 'receipt':
      takeReceipt(progress, event);
      return;
    default:
      takeCall(progress, event);
  }
}

/** What is known of a sub-agent, in the time of its run. Changes `progress` where nothing is known yet. */
export function childProgress({ children, startedAt }: RunProgress, child: string): RunProgress {
  const known = children.get(child) ?? { ...newProgress(''), startedAt };
  children.set(child, known);
  return known;
}

/** Takes in what happens, in the run or in a sub-agent. Changes `progress`. */
export function take(progress: RunProgress, event: RunEvent): void {
  const { path } = event;
  const own = path === undefined ? progress : childProgress(progress, path);
  if ('seq' in event) takeEvent(own, event);
  if (event.type === 'text') takeLive(own, event);
  if (event.type === 'tool_progress') takeProgress(own, event);
  if (path === undefined) return;
  // What they use is the run's: its limits count it, and `show` tells it so.
  if (event.type === 'model_call_ended') {
    progress.turns += 1;
    progress.usage = addUsage(progress.usage, event.usage);
  }
  if (event.type === 'subagent_ended') progress.children.delete(`${path}/${event.id}`);
}

function takeCall(progress: RunProgress, event: JournalEvent): void {
  const { calls, tools } = progress;
  switch (event.type) {
    case 'model_call_started': {
      const { role, model, round, taskId, form } = event;
      const started = {
        role,
        model,
        round,
        taskId,
        form,
        text: '',
        reasoningChars: 0,
        missed: 0,
        attempt: 1,
      };
      progress.idle = false;
      calls.set(event.callId, started);
      return;
    }
    case 'model_call_ended':
      progress.lastWords = spokenText(event.text ?? '', calls.get(event.callId)?.form);
      calls.delete(event.callId);
      progress.turns += 1;
      progress.usage = addUsage(progress.usage, event.usage);
      return;
    case 'model_call_failed':
      calls.delete(event.callId);
      return;
    case 'tool_call_started': {
      const { tool, arguments: given, at } = event;
      tools.set(event.callId, { tool, arguments: given, startedAt: at, progress: null });
      return;
    }
    case 'tool_call_ended':
      tools.delete(event.callId);
      progress.toolCalls += 1;
      return;
  }
}

function setTask(progress: RunProgress, id: string, status: string): void {
  progress.tasks = progress.tasks.map(task => (task.id === id ? { ...task, status } : task));
}

function takeReceipt(progress: RunProgress, { id, state, how }: Extract<JournalEvent, { type: 'receipt' }>) {
  const others = progress.waiting.filter(message => message.id !== id);
  const waits = state === 'accepted' || state === 'queued';
  progress.waiting = waits ? [...others, { id, how }] : others;
}

/** Takes in how far a tool is. Changes `progress`. */
function takeProgress(progress: RunProgress, told: ToolProgress): void {
  const call = progress.tools.get(told.callId);
  if (call) call.progress = progressWords(told);
}

/** Takes live text in. Changes `progress`. */
function takeLive(progress: RunProgress, live: TextDelta): void {
  const call = progress.calls.get(live.callId);
  if (!call || live.attempt < call.attempt) return;
  if (live.attempt > call.attempt) Object.assign(call, { attempt: live.attempt, text: '', missed: 0 });
  const end = live.offset + live.text.length;
  if (live.channel === 'reasoning') call.reasoningChars = Math.max(call.reasoningChars, end);
  if (live.channel !== 'text') return;
  const have = call.missed + call.text.length;
  if (end <= have) return;
  if (live.offset > have) {
    call.missed = live.offset;
    call.text = live.text;
  } else call.text += live.text.slice(have - live.offset);
}
