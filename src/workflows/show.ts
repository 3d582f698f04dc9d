/** Shows a run's state in the stock Web UI: current details, and search attributes that exist. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RunState } from '../core/run-state.js';
import { statusMarkdown } from '../core/status.js';

/** Current details cost no history; search attributes are written only when they change. */
export function showStatus(state: RunState): void {
  setCurrentDetails(statusMarkdown(state));
  const wanted: Record<string, string> = {
    AgentMode: state.settings.mode,
    AgentPhase: state.end ? 'ended' : state.cursor.phase,
    AgentOutcome: state.end?.outcome ?? 'open',
  };
  const changed: Record<string, [string]> = {};
  for (const name of state.pinned?.searchAttributes ?? []) {
    const value = wanted[name];
    if (value === undefined || state.shown[name] === value) continue;
    changed[name] = [value];
    state.shown[name] = value;
  }
  if (Object.keys(changed).length > 0) upsertSearchAttributes(changed);
}
