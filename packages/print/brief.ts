/** Selects the events that piped output prints besides the answer. The verb `watch` prints all of them. */
import type { JournalType, RunEvent } from 'steersman/client';

/** The plan, the end of each task, gates, and problems. */
const TOLD: ReadonlySet<string> = new Set<JournalType>([
  ...(['run_loaded', 'mode_chosen', 'goal_started', 'plan_updated', 'task_ended', 'check_ended'] as const),
  ...(['gate_opened', 'gate_closed', 'receipt', 'user_message', 'new_run', 'paused', 'resumed'] as const),
  ...([
    'subagent_started',
    'subagent_ended',
    'tools_changed',
    'model_call_failed',
    'provider_switch',
  ] as const),
  ...(['limit_reached', 'warning', 'budget_warning', 'stop_requested', 'signal_ignored'] as const),
  ...(['store_failed', 'store_back', 'store_gap'] as const),
]);
/** Events of a sub-agent; the run's own events report its start and end. */
const TOLD_OF_AGENTS: ReadonlySet<string> = new Set<JournalType>(['gate_opened', 'gate_closed', 'warning']);

export function isPrinted(event: RunEvent): boolean {
  if (!('seq' in event)) return event.type === 'retry' || event.type === 'notice';
  if (event.path !== undefined) return TOLD_OF_AGENTS.has(event.type);
  if (event.type === 'plan_updated') return event.tasks.length > 0;
  return event.type === 'verdict' ? !event.done : TOLD.has(event.type);
}
