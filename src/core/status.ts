/** A run at a glance, as Markdown for the Web UI's current details: lists, since tables come out cramped. */
import { preview } from './journal.js';
import type { RunState } from './run-state.js';

export function statusMarkdown(state: RunState): string {
  const { cursor, goal, pinned, tasks, usage } = state;
  const lines = [
    state.end
      ? `**Ended: ${state.end.outcome}**`
      : pinned
        ? `**Phase: ${cursor.phase}** · plan ${cursor.cycle}${cursor.taskId ? ` · ${cursor.taskId}` : ''} · round ${cursor.round}`
        : '**Loading** prompts, tools and limits',
  ];
  if (state.stop && !state.end)
    lines.push(`Stopping${state.stop.reason ? `: ${preview(state.stop.reason)}` : ''}`);
  if (tasks.length > 0) {
    lines.push('', 'Tasks:');
    for (const task of tasks) lines.push(`- ${task.id} · ${task.status} · ${preview(task.description, 80)}`);
  }
  if (pinned) {
    const { counters } = goal;
    const { limits } = pinned;
    lines.push(
      '',
      'Limits:',
      `- turns ${counters.turns} of ${limits.turns}`,
      `- verifications ${counters.verification} of ${limits.verification}`,
      `- tokens ${goal.usage.inputTokens + goal.usage.outputTokens} of ${limits.tokens}`,
      `- cost ${usage.costUsd === null ? 'unknown' : `$${usage.costUsd.toFixed(4)}`}`,
    );
  }
  return lines.join('\n');
}
