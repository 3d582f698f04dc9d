/** What a run did, step by step (O1, O2): previews and message ids, never whole messages. */

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

/** One step: a tool call, a check of the goal, or the reply that ended a phase, task or goal. What there is nothing to say of is left out. */
export interface TraceStep {
  step: number;
  at: number;
  role: string;
  taskId?: string;
  messageId: string;
  /** What the model said it thinks or did, in words: a preview. */
  thought: string;
  action:
    | { type: 'tool'; tool: string; arguments: string }
    | { type: 'check'; check: string }
    | { type: 'final' };
  /** What the envelope of the reply says of the step (O5). */
  expectedOutcome?: string;
  risk?: Risk;
  /** 0 to 100. */
  confidence?: number;
  /** Of a tool call: preview of its result. Of a check: what came of it. */
  observation?: string;
  /** Of a tool call. */
  ending?: ToolEnding;
  /** Of a tool call: the message that holds its result. */
  resultId?: string;
  /** By which field of the reply its task was decided. */
  decidedBy?: string;
  /** Time in the tool; of a final reply, time in the model. */
  elapsedMs: number;
  /** Tokens of the reply, at the first of its steps, so that the steps add up. */
  tokens?: { input: number; output: number };
  error?: string;
}

/** A step as it is noted: null is left out. */
export type NotedStep = {
  [K in Exclude<keyof TraceStep, 'step'>]-?: Exclude<TraceStep[K], undefined> | WhereOptional<K>;
};
type WhereOptional<K extends keyof TraceStep> =
  Partial<Pick<TraceStep, K>> extends Pick<TraceStep, K> ? null : never;

export interface Trace {
  steps: TraceStep[];
  /** Steps that are not in `steps`: those in the blob store, and those before them, which are lost. */
  dropped: number;
  /** Where steps are that did not fit: each a JSON array of them, by reference, oldest first. */
  stored: string[];
  usedTools: Record<string, { count: number; totalMs: number }>;
}

export interface TraceReport extends Trace {
  /** Beginning of the answer; null while the run is open. */
  finalAnswer: string | null;
  finishReason: Outcome | null;
  /** Of all replies of the run, also of those whose steps are no longer kept. */
  tokenUsage: Usage;
  /** Its parts, by role and model; left out in a result, which has them itself. */
  usageBy?: UsageEntry[];
  totalMs: number;
}

const ANSWER_CHARS = 2_000;
/** Of a text in a step: what its line shows. */
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

/** Fields in which roles say in words what they think or found, the most telling first. */
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

/** Notes at the last step of a reply by which field it decided the task. Changes `trace`. */
export function noteDecision(trace: Trace, messageId: string, by: string): void {
  const index = trace.steps.findLastIndex(step => step.messageId === messageId);
  const step = trace.steps[index];
  if (step) trace.steps[index] = { ...step, decidedBy: by };
}

export function emptyTrace(): Trace {
  return { steps: [], dropped: 0, stored: [], usedTools: {} };
}

/** Appends a step; numbers go on when old steps have gone. Changes `trace`. */
export function addStep(trace: Trace, step: NotedStep): void {
  // Where tasks run side by side, steps of other replies may stand between.
  const counted = trace.steps.some(({ messageId }) => messageId === step.messageId);
  const tokens = counted ? null : step.tokens;
  const number = trace.dropped + trace.steps.length + 1;
  trace.steps.push(fitted({ step: number, ...withoutNulls({ ...step, tokens }) }, STEP_BYTES));
  // Only where they were not offloaded in time: between two safe points there are few steps.
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

/** A trace of steps that were kept elsewhere, from the first of them on. */
export function traceOf(steps: readonly TraceStep[]): Trace {
  const usedTools = steps.reduce(withUse, {} as Trace['usedTools']);
  return { steps: [...steps], dropped: (steps[0]?.step ?? 1) - 1, stored: [], usedTools };
}

/** A result carries its trace for ever: fields without a value are an eighth of it. */
function withoutNulls(step: NotedStep): Omit<TraceStep, 'step'> {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== null)) as Omit<
    TraceStep,
    'step'
  >;
}

/** Counts the uses of tools that are too many to be counted each. */
const OTHER_TOOLS = '(others)';

/** References kept: of a longer run the first steps are lost. */
const MOST_STORED = 60;

function dropSteps(trace: Trace, count: number): void {
  trace.steps.splice(0, count);
  trace.dropped += count;
}

/** The oldest steps, to be kept by reference, once there are many: those of the tasks at hand (null: of none) stay longest. */
export function stepsToOffload({ steps }: Trace, tasks: readonly (string | null)[]): TraceStep[] {
  if (sizeOfList(steps) <= TRACE_SHELVED_ABOVE) return [];
  const ofTask = steps.findIndex(step => tasks.includes(step.taskId ?? null));
  const half = countOver(steps, TRACE_SHELVED_ABOVE / 2);
  return steps.slice(0, ofTask > half ? ofTask : half);
}

/** Takes steps that were offloaded out of the trace; `ref` null: they are lost. Changes `trace`. */
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
