/** Taking over a run from the part before it, which may have run on code of an earlier day. */
import { isRecord } from './json.js';
import type { RunState } from './run-state.js';
import { newRunState } from './run-state.js';

/**
 * The state that was handed over, in which what the code before did not know begins as in a new run: a deploy must
 * not hold up runs that continue as new. Fields of what a new run has not yet, such as `pinned`, are not filled in.
 */
export function resumedState(handedOver: RunState): RunState {
  return filled(handedOver, newRunState('', handedOver.settings, handedOver.startedAt));
}

function filled<T extends object>(known: T, fresh: T): T {
  const result: Record<string, unknown> = Object.fromEntries(Object.entries(known));
  for (const [key, value] of Object.entries(fresh)) {
    const own = result[key];
    if (own === undefined) result[key] = value;
    else if (isRecord(own) && isRecord(value)) result[key] = filled(own, value);
  }
  return result as T;
}
