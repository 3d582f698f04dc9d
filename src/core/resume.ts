/** Taking over a run from the part before it, which may have run on code of an earlier day. */
import { type Cursor, cursorAt } from './cursor.js';
import { unfolded } from './forks.js';
import { isRecord } from './json.js';
import { newLane } from './lanes.js';
import { begun } from './place.js';
import type { RunState } from './run-state.js';
import { newRunState } from './run-state.js';

/**
 * The state that was handed over, in which what the code before did not know begins as in a new run: a deploy must
 * not hold up runs that continue as new. Fields of what a new run has not yet, such as `pinned`, are not filled in,
 * and neither is what a step of a place is about.
 */
export function resumedState(handedOver: RunState): RunState {
  // What was known of models when it began stands in the state, where it has changed since.
  const { knownModels: _atItsBeginning, ...settings } = handedOver.settings;
  const fresh = newRunState('', settings, handedOver.startedAt);
  const cursor = resumedCursor({ ...fresh.cursor, ...handedOver.cursor });
  const threads = unfolded(handedOver.threads ?? {});
  // The place of a new run is another than the one that was handed over.
  return filled(
    { ...handedOver, cursor, threads },
    { ...fresh, settings: {}, cursor: { ...fresh.cursor, place: {}, interrupts: [] } },
  );
}

function resumedCursor(cursor: Cursor): Cursor {
  const { place, interrupts = [], lanes = [] } = cursor;
  return filled(
    {
      ...cursor,
      place: filled(place, begun(place)),
      interrupts: interrupts.map(each => filled(each, begun(each))),
      lanes: lanes.map(lane => ({
        ...filled(lane, { ...newLane(lane.taskId, 1), cursor: {} }),
        cursor: resumedCursor(lane.cursor),
      })),
    },
    { ...cursorAt(place), place: {} },
  );
}

function filled<T extends object>(known: T, fresh: object): T {
  const result: Record<string, unknown> = Object.fromEntries(Object.entries(known));
  for (const [key, value] of Object.entries(fresh)) {
    const own = result[key];
    if (own === undefined) result[key] = value;
    else if (isRecord(own) && isRecord(value)) result[key] = filled(own, value);
  }
  return result as T;
}
