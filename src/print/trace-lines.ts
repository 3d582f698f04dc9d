/** The trace of a run as plain lines: what can be told of an ended run without a worker. Pure. */
import { preview } from '../core/preview.js';
import type { TraceReport, TraceStep } from '../core/trace.js';
import { STEP_TEXT_CHARS } from '../core/trace.js';
import { cachedFacts, formatClock, formatCount, formatDuration } from './format.js';
import type { Colors } from './output.js';
import { terminalText } from './terminal-text.js';

/** One line a step, timed from the first. */
export function traceLines(trace: TraceReport, colors: Colors): string[] {
  const startedAt = trace.steps[0]?.at ?? 0;
  const lines = trace.steps.map(step => {
    const clock = colors.dim(formatClock(step.at - startedAt).padStart(5));
    return `${clock} ${terminalText(stepText(step))}`;
  });
  const where = trace.stored.length > 0 ? `in the blob store: ${trace.stored.join(', ')}` : 'not kept';
  if (trace.dropped > 0) lines.unshift(colors.dim(`      ${trace.dropped} earlier steps are ${where}`));
  const { inputTokens, outputTokens } = trace.tokenUsage;
  const cached = cachedFacts(trace.tokenUsage).map(fact => ` · ${fact}`);
  const tokens = `${formatCount(inputTokens)} + ${formatCount(outputTokens)} tokens`;
  lines.push(colors.dim(`      ${tokens}${cached.join('')} · ${formatDuration(trace.totalMs)}`));
  return lines;
}

function stepText(step: TraceStep): string {
  const { role, taskId, action, thought, observation = '', ending, elapsedMs, decidedBy } = step;
  const who = `${role}${taskId ? ` · task ${taskId}` : ''}`;
  if (action.type === 'final') {
    const by = decidedBy === undefined ? '' : ` · by ${decidedBy}`;
    return `${who} · ${formatDuration(elapsedMs)} · ${preview(thought, STEP_TEXT_CHARS)}${by}`;
  }
  const call = `tool ${action.tool} ${preview(action.arguments, STEP_TEXT_CHARS)}`;
  return `${who} · ${call} · ${ending ?? 'open'} · ${formatDuration(elapsedMs)} · ${preview(observation, STEP_TEXT_CHARS)}`;
}
