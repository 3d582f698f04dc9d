/** The steps of a run (O1, O2): previews and message ids, never complete messages. */

import { isRecord, ownValue, stringOr } from '../../base/json/json.js';
import { MOST_TOOLS_COUNTED, STEP_BYTES, TRACE_BYTES, TRACE_SHELVED_ABOVE } from '../../base/sizes/bounds.js';
import { countOver, sizeOfList } from '../../base/sizes/sizes.js';
import { fitted } from '../../base/text/fit.js';
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
import type { Risk } from '../outputs/envelope.js';
import { extractJson } from '../outputs/envelope.js';
import { envelopeOf } from './thread.js';

/** One step: a tool call, a check of the goal, or the reply that ended a phase, task or goal. Empty fields are left out. */
export interface TraceStep {
  step: number;
  at: number;
  role: string;
  taskId?: string;
  messageId: string;
  /** The model's own description of its thoughts or act, as a preview. */
  thought: string;
  action:
    | { type: 'tool'; tool: string; arguments: string }
    | { type: 'check'; check: string }
    | { type: 'final' };
  /** The envelope's fields about the step (O5). */
  expectedOutcome?: string;
  risk?: Risk;
  /** 0 to 100. */
  confidence?: number;
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

/** A step as recorded: fields that are null are left out. */
export type NotedStep = {
  [K in Exclude<keyof TraceStep, 'step'>]-?: Exclude<TraceStep[K], undefined> | WhereOptional<K>;
};
type WhereOptional<K extends keyof TraceStep> =
  Partial<Pick<TraceStep, K>> extends Pick<TraceStep, K> ? null : never;

export interface Trace {
  steps: TraceStep[];
  /** The number of steps not in `steps`: those in the blob store, and earlier ones, which are lost. */
  dropped: number;
  /** Blob references of offloaded steps, each a JSON array, oldest first. */
  stored: string[];
  usedTools: Record<string, { count: number; totalMs: number }>;
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
  { trace, usage, startedAt }: { trace: Trace; usage: Usage; startedAt: number },
  end: { outcome: Outcome; answer: string } | null,
  now: number,
): TraceReport {
  return {
    ...trace,
    finalAnswer: end && headChars(end.answer, ANSWER_CHARS),
    finishReason: end?.outcome ?? null,
    tokenUsage: usage,
    totalMs: now - startedAt,
  };
}

export function shown(text: string): string {
  return preview(text, STEP_TEXT_CHARS);
}

type OfReply = 'role' | 'messageId' | 'thought' | 'expectedOutcome' | 'risk' | 'confidence' | 'tokens';

export function stepOf(reply: AssistantMessage): Pick<NotedStep, OfReply> {
  const { expectedOutcome, risk, confidence } = envelopeOf(reply);
  const { inputTokens: input, outputTokens: output } = reply.usage;
  return {
    role: reply.role,
    messageId: reply.id,
    thought: shown(wordsOf(reply)),
    expectedOutcome: expectedOutcome && shown(expectedOutcome),
    risk: risk && shortRisk(risk),
    confidence,
    tokens: { input, output },
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
    const said = stringOr(json[word], '').trim() || stringOr(params[word], '').trim();
    if (said !== '') return said;
  }
  return reasoningOf(reply);
}

/** Records, at the last step of a reply, the field that decided its task. Changes `trace`. */
export function noteDecision(trace: Trace, messageId: string, by: string): void {
  const index = trace.steps.findLastIndex(step => step.messageId === messageId);
  const step = trace.steps[index];
  if (step) trace.steps[index] = { ...step, decidedBy: by };
}

export function emptyTrace(): Trace {
  return { steps: [], dropped: 0, stored: [], usedTools: {} };
}

/** Appends a step; numbers continue after old steps are dropped. Changes `trace`. */
export function addStep(trace: Trace, step: NotedStep): void {
  // If tasks run in parallel, steps of other replies may come between.
  const counted = trace.steps.some(({ messageId }) => messageId === step.messageId);
  const tokens = counted ? null : step.tokens;
  const number = trace.dropped + trace.steps.length + 1;
  trace.steps.push(fitted({ step: number, ...withoutNulls({ ...step, tokens }) }, STEP_BYTES));
  // Drops steps only if they were not offloaded in time: between two safe points there are few.
  dropSteps(trace, countOver(trace.steps, TRACE_BYTES));
  trace.usedTools = withUse(trace.usedTools, step);
}

type Used =
  | Pick<TraceStep, 'action' | 'elapsedMs' | 'ending'>
  | Pick<NotedStep, 'action' | 'elapsedMs' | 'ending'>;

function withUse(usedTools: Trace['usedTools'], { action, ending, elapsedMs }: Used): Trace['usedTools'] {
  if (action.type !== 'tool' || ending !== 'executed') return usedTools;
  const known = ownValue(usedTools, action.tool) !== undefined;
  const isRoom = known || Object.keys(usedTools).length < MOST_TOOLS_COUNTED;
  const tool = isRoom ? action.tool : OTHER_TOOLS;
  const used = ownValue(usedTools, tool) ?? { count: 0, totalMs: 0 };
  return { ...usedTools, [tool]: { count: used.count + 1, totalMs: used.totalMs + elapsedMs } };
}

/** Returns a trace of steps that were stored elsewhere, beginning with the first of them. */
export function traceOf(steps: readonly TraceStep[]): Trace {
  const usedTools = steps.reduce(withUse, {} as Trace['usedTools']);
  return { steps: [...steps], dropped: (steps[0]?.step ?? 1) - 1, stored: [], usedTools };
}

/** Histories store the trace in the result permanently, and empty fields would be an eighth of it. */
function withoutNulls(step: NotedStep): Omit<TraceStep, 'step'> {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null)) as Omit<
    TraceStep,
    'step'
  >;
}

/** The name under which the uses of further tools are counted, beyond `MOST_TOOLS_COUNTED`. */
const OTHER_TOOLS = '(others)';

/** The number of stored references: a longer run loses its first steps. */
const MOST_STORED = 60;

function dropSteps(trace: Trace, count: number): void {
  trace.steps.splice(0, count);
  trace.dropped += count;
}

/** Returns the oldest steps for the blob store, once there are many; steps of `tasks` (null: without a task) stay longest. */
export function stepsToOffload({ steps }: Trace, tasks: readonly (string | null)[]): TraceStep[] {
  if (sizeOfList(steps) <= TRACE_SHELVED_ABOVE) return [];
  const ofTask = steps.findIndex(step => tasks.includes(step.taskId ?? null));
  const half = countOver(steps, TRACE_SHELVED_ABOVE / 2);
  return steps.slice(0, ofTask > half ? ofTask : half);
}

/** Removes offloaded steps from the trace; `ref` null: they are lost. Changes `trace`. */
export function offloadSteps(trace: Trace, count: number, ref: string | null): void {
  dropSteps(trace, count);
  if (ref !== null) trace.stored = [...trace.stored, ref].slice(-MOST_STORED);
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
