/** What a run did, step by step (O1, O2): previews and message ids, never whole messages. */
import type { Risk } from './envelope.js';
import type { Outcome } from './journal.js';
import { preview } from './journal.js';
import { ownValue } from './json.js';
import type { AssistantMessage, ToolEnding } from './message.js';
import { textOf, thoughtOf } from './message.js';
import { envelopeIn } from './parse-output.js';

/** One step: a tool call, or the reply that ended a phase, task or goal. */
export interface TraceStep {
  step: number;
  /** Milliseconds since the epoch. */
  at: number;
  role: string;
  taskId: string | null;
  /** The assistant message the step comes from. */
  messageId: string;
  /** Preview of the text or reasoning the model gave with the step. */
  thought: string;
  action: { type: 'tool'; tool: string; arguments: string } | { type: 'final' };
  /** What the envelope of the reply says of the step (F19, O5); null where the reply has none of it. */
  expectedOutcome: string | null;
  risk: Risk | null;
  /** 0 to 100. */
  confidence: number | null;
  /** Preview of the tool's result; empty for `final`. */
  observation: string;
  ending: ToolEnding | null;
  elapsedMs: number;
  error: string | null;
}

export interface Trace {
  steps: TraceStep[];
  /** Steps that are no longer kept. */
  dropped: number;
  usedTools: Record<string, { count: number; totalMs: number }>;
}

/** The trace as a result gives it (O1). */
export interface TraceReport extends Trace {
  /** Null while the run is open. */
  finishReason: Outcome | null;
  totalMs: number;
}

/** What a step takes from the reply that it comes from. */
export function stepOf(
  reply: AssistantMessage,
): Pick<TraceStep, 'role' | 'messageId' | 'thought' | 'expectedOutcome' | 'risk' | 'confidence'> {
  const { expectedOutcome, risk, confidence } = envelopeIn(textOf(reply));
  return {
    role: reply.role,
    messageId: reply.id,
    thought: preview(thoughtOf(reply)),
    expectedOutcome: expectedOutcome && preview(expectedOutcome),
    risk: risk && { ...risk, description: preview(risk.description) },
    confidence,
  };
}

export const TRACE_KEPT = 1000;

export function emptyTrace(): Trace {
  return { steps: [], dropped: 0, usedTools: {} };
}

/** Appends a step; numbers go on when old steps are dropped. Changes `trace`. */
export function addStep(trace: Trace, step: Omit<TraceStep, 'step'>): void {
  trace.steps.push({ step: trace.dropped + trace.steps.length + 1, ...step });
  if (trace.steps.length > TRACE_KEPT) {
    trace.steps.shift();
    trace.dropped += 1;
  }
  if (step.action.type !== 'tool' || step.ending !== 'executed') return;
  const { tool } = step.action;
  const used = ownValue(trace.usedTools, tool) ?? { count: 0, totalMs: 0 };
  const next = { count: used.count + 1, totalMs: used.totalMs + step.elapsedMs };
  trace.usedTools = { ...trace.usedTools, [tool]: next };
}
