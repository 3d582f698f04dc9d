/** Shows a run's state in the stock Web UI: current details, and search attributes that exist. */
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RunState } from '../../core/run-state.js';
import { type SearchAttribute, searchAttributesOf } from '../../core/search-attributes.js';
import { statusMarkdown } from '../../core/status.js';

/** Current details cost no history; search attributes are written only when they change. */
export function showStatus(state: RunState): void {
  setCurrentDetails(statusMarkdown(state));
  const wanted = searchAttributesOf(state);
  const changed: Record<string, string[]> = {};
  for (const name of state.pinned?.searchAttributes ?? []) {
    const value = wanted[name as SearchAttribute] ?? null;
    if (value === (state.shown[name] ?? null)) continue;
    changed[name] = value === null ? [] : [value];
    if (value === null) delete state.shown[name];
    else state.shown[name] = value;
  }
  if (Object.keys(changed).length > 0) upsertSearchAttributes(changed);
}
