/** The steps of a run (O1, O2), as its journal tells them: previews and message ids, never complete messages. */

import { isRecord, stringOr } from '../../base/json/json.js';
import { TRACE_BYTES } from '../../base/sizes/bounds.js';
import { countOver } from '../../base/sizes/sizes.js';
import { headChars } from '../../base/text/large-text.js';
import { preview } from '../../base/text/preview.js';
import type { Outcome } from '../limits/cause.js';
import type { UsageEntry } from '../limits/usage-by.js';
import {
  type AssistantMessage,
  reasoningOf,
  type ToolEnding,
  textOf,
  thoughtOf,
  type Usage,
} from '../messages/message.js';
import { extractJson, type Risk } from '../outputs/envelope.js';
import {
  endsStep,
  type Journal,
  type JournalEvent,
  type ReplyAbout,
  type UsedTools,
  withUse,
} from './journal.js';
import { envelopeOf } from './thread.js';

/** One step: a tool call, a check of the goal, or the reply that ended a phase, task or goal. Empty fields are left out. */
export interface TraceStep extends ReplyAbout {
  step: number;
  at: number;
  role: string;
  taskId?: string;
  messageId: string;
  thought: string;
  action:
    | { type: 'tool'; tool: string; arguments: string }
    | { type: 'check'; check: string }
    | { type: 'final' };
  /** A preview of the tool's or the check's result. */
  observation?: string;
  /** How the tool call ended. */
  ending?: ToolEnding;
  /** The message with the tool call's result. */
  resultId?: string;
  /** The field of the reply that decided its task. */
  decidedBy?: string;
  /** Time in the tool; for a final reply, time in the model. */
  elapsedMs: number;
  /** Tokens of the reply, at its first step only, so that the steps add up. */
  tokens?: { input: number; output: number };
  error?: string;
}

export interface Trace {
  steps: TraceStep[];
  /** The number of earlier steps, which are not in `steps`. */
  dropped: number;
  usedTools: UsedTools;
}

export interface TraceReport extends Trace {
  /** The beginning of the answer; null while the run is open. */
  finalAnswer: string | null;
  finishReason: Outcome | null;
  /** Usage of all replies, including those whose steps were dropped. */
  tokenUsage: Usage;
  /** Its parts by role and model; absent in a result, which has them itself. */
  usageBy?: UsageEntry[];
  totalMs: number;
}

const ANSWER_CHARS = 2_000;
/** The limit for a text in a step, which is shown on one line. */
export const STEP_TEXT_CHARS = 140;

export function traceReport(
  { journal, usage, startedAt }: { journal: Journal; usage: Usage; startedAt: number },
  end: { outcome: Outcome; answer: string } | null,
  now: number,
): TraceReport {
  const known = stepsOf(journal.events);
  const steps = known.slice(countOver(known, TRACE_BYTES));
  return {
    steps,
    dropped: journal.steps - steps.length,
    usedTools: journal.usedTools,
    finalAnswer: end && headChars(end.answer, ANSWER_CHARS),
    finishReason: end?.outcome ?? null,
    tokenUsage: usage,
    totalMs: now - startedAt,
  };
}

/** Returns the trace of stored events. */
export function traceOf(events: readonly JournalEvent[]): Trace {
  const steps = stepsOf(events);
  return { steps, dropped: (steps[0]?.step ?? 1) - 1, usedTools: events.reduce(withUse, {}) };
}

/** Adds the earlier steps of stored events, if these have all of them. */
export function withEarlier<T extends Trace>(trace: T, stored: Trace): T {
  const earlier = stored.steps.filter(({ step }) => step <= trace.dropped);
  if (earlier.length < trace.dropped) return trace;
  return { ...trace, steps: [...earlier, ...trace.steps], dropped: 0 };
}

export function shown(text: string): string {
  return preview(text, STEP_TEXT_CHARS);
}

/** Returns what a reply says of itself, for the event of its end. */
export function aboutOf(reply: AssistantMessage): ReplyAbout {
  const { expectedOutcome, risk, confidence } = envelopeOf(reply);
  const thought = shown(wordsOf(reply));
  return {
    ...(thought && { thought }),
    ...(expectedOutcome && { expectedOutcome: shown(expectedOutcome) }),
    ...(risk && { risk: shortRisk(risk) }),
    ...(confidence !== null && { confidence }),
  };
}

function shortRisk({ level, description, mitigation }: Risk): Risk {
  const short = { level, description: shown(description) };
  return mitigation === undefined ? short : { ...short, mitigation: shown(mitigation) };
}

/** Fields in which roles describe their thoughts or findings, the most telling first. */
const WORDS = [
  'thought',
  'summary',
  'overallFeedback',
  'feedback',
  'reasoning',
  'reason',
  'message',
  'question',
];

function wordsOf(reply: AssistantMessage): string {
  const json = extractJson(textOf(reply));
  if (json === null) return thoughtOf(reply);
  const params = isRecord(json.params) ? json.params : {};
  for (const word of WORDS) {
    const words = stringOr(json[word], '').trim() || stringOr(params[word], '').trim();
    if (words !== '') return words;
  }
  return reasoningOf(reply);
}

type EventOf<T extends JournalEvent['type']> = Extract<JournalEvent, { type: T }>;
type Reply = EventOf<'model_call_ended'>;

/** Returns the steps that events end. A step whose reply is not among them has no role. Earlier code numbered no events. */
export function stepsOf(events: readonly JournalEvent[]): TraceStep[] {
  const replies = new Map<number, Reply>();
  const given = new Map<string, string>();
  const steps: TraceStep[] = [];
  for (const event of events) {
    if (event.type === 'model_call_ended') replies.set(event.turn, event);
    if (event.type === 'tool_call_started') given.set(event.callId, event.arguments);
    if (!endsStep(event)) continue;
    const { at, step = (steps.at(-1)?.step ?? 0) + 1 } = event;
    const reply = replyTo(event, replies);
    const own =
      event.type === 'tool_call_ended'
        ? toolStep(event, given.get(event.callId))
        : event.type === 'check_ended'
          ? checkStep(event)
          : finalStep(event, reply);
    steps.push({ step, at, ...replyParts(reply, steps), ...own });
  }
  return steps;
}

/** Checks, and calls that a plan names, belong to no reply. */
function replyTo(
  event: EventOf<'tool_call_ended' | 'check_ended' | 'output_read'>,
  replies: ReadonlyMap<number, Reply>,
): Reply | undefined {
  if (event.type === 'check_ended' || (event.type === 'tool_call_ended' && event.role !== undefined))
    return undefined;
  return replies.get(event.turn);
}

/** Returns the part of a step that its reply tells; `before`: the steps before it. */
function replyParts(reply: Reply | undefined, before: readonly TraceStep[]) {
  if (!reply) return { role: '', messageId: '', thought: '' };
  const { role, messageId, about, usage } = reply;
  const tokens = { input: usage.inputTokens, output: usage.outputTokens };
  const isFirst = !before.some(step => step.messageId === messageId);
  return { role, messageId, thought: '', ...about, ...(isFirst && { tokens }) };
}

type Own = Omit<TraceStep, 'step' | 'at' | 'role' | 'messageId' | 'thought'> & { at?: number; role?: string };

function toolStep(event: EventOf<'tool_call_ended'>, given = ''): Own {
  const observation = shown(event.text);
  return {
    ...(event.role !== undefined && { role: event.role }),
    ...ofTask(event),
    action: { type: 'tool', tool: event.tool, arguments: shown(event.arguments ?? given) },
    observation,
    ending: event.ending,
    resultId: event.messageId,
    elapsedMs: event.durationMs,
    ...(event.isError && { error: observation }),
  };
}

function checkStep({ check, role = '', status, why, durationMs: elapsedMs }: EventOf<'check_ended'>): Own {
  const action = { type: 'check' as const, check };
  const error = status === 'passed' ? {} : { error: shown(why) };
  return { role, action, observation: shown(`${status}: ${why}`), elapsedMs, ...error };
}

function finalStep({ decidedBy, error, ...event }: EventOf<'output_read'>, reply: Reply | undefined): Own {
  return {
    at: reply?.at ?? event.at,
    ...ofTask(event),
    action: { type: 'final' },
    elapsedMs: reply?.durationMs ?? 0,
    ...(decidedBy !== undefined && { decidedBy }),
    ...(error !== undefined && { error }),
  };
}

function ofTask({ taskId }: { taskId: string | null }): Pick<TraceStep, 'taskId'> {
  return taskId === null ? {} : { taskId };
}

function actionText(action: TraceStep['action']): string {
  if (action.type === 'tool') return `${action.tool} ${preview(action.arguments, 120)}`;
  return action.type === 'check' ? `check ${action.check}` : 'reply';
}

export function stepLine({ role, taskId, action, observation, error }: TraceStep): string {
  const what = actionText(action);
  const came = error ?? observation;
  return `- ${role}${taskId ? ` (${taskId})` : ''}: ${what}${came ? ` → ${preview(came, 200)}` : ''}`;
}
