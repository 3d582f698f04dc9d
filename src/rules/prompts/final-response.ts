/** The template around a role's last text, if that is the answer of a goal or of a sub-agent (P12). */

import { PromptError, renderTemplate } from '../../base/words/prompt.js';
import type { RunState } from '../../run/state/run-state.js';
import { stepLine, stepsOf } from '../../run/state/trace.js';

export const MOST_FINAL_CHARS = 4_000;
const CALLS_SHOWN = 20;

interface FinalValues {
  content: string;
  toolHistory: string;
  toolCount: string;
}

/** Returns the fault of a template; null if it is valid. Each placeholder occurs at most once, which bounds the answer. */
export function finalResponseFault(template: string): string | null {
  try {
    if (timesOf(template, 'content') !== 1) return '{{content}}, the answer itself, must stand there once';
    const twice = (['toolHistory', 'toolCount'] as const).find(name => timesOf(template, name) > 1);
    return twice === undefined ? null : `{{${twice}}} may stand there once`;
  } catch (error) {
    if (error instanceof PromptError) return error.problem;
    throw error;
  }
}

function timesOf(template: string, name: keyof FinalValues): number {
  const nothing: FinalValues = { content: '', toolHistory: '', toolCount: '' };
  const once = filled(template, { ...nothing, [name]: ' ' }).length;
  return once - filled(template, nothing).length;
}

export function finalResponse(
  template: string,
  content: string,
  { goal, log }: Pick<RunState, 'goal' | 'log'>,
): string {
  const calls = stepsOf(log.journal.events).filter(
    ({ action, at }) => action.type === 'tool' && at >= goal.startedAt,
  );
  const toolHistory = calls.slice(-CALLS_SHOWN).map(stepLine).join('\n');
  return filled(template, { content, toolHistory, toolCount: String(goal.counters.toolCalls) }).trim();
}

function filled(template: string, values: FinalValues): string {
  return renderTemplate(template, { ...values }, { file: '' });
}
