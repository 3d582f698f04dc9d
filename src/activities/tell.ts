/** The activity that reports a moment of a run to features, one after the other: see `workflows/beside/tell.ts`. */
import { activityInfo, heartbeat } from '@temporalio/activity';
import type { MomentEnd, MomentInput, SteersmanActivities } from './types.js';

/** The details of the activity's heartbeats: after a lost attempt, the next one continues from them. */
export interface Beat {
  details: unknown;
}

/** A feature's action at a moment, with its report to the run. */
export type Hears = (input: MomentInput, beat: Beat) => Promise<Partial<MomentEnd>>;

const HEARTBEAT_MS = 1_000;

/**
 * Makes `steersmanHook`, in order of names: credits precede hooks, so that usage is paid regardless of what a hook
 * returns.
 */
export function createTell(features: readonly Hears[]): SteersmanActivities['steersmanHook'] {
  return async function steersmanHook(input) {
    const beat: Beat = { details: activityInfo().heartbeatDetails };
    const timer = setInterval(() => heartbeat(beat.details), HEARTBEAT_MS);
    try {
      let end: MomentEnd = { goOn: true };
      for (const hear of features) end = { ...end, ...(await hear(input, beat)) };
      return end;
    } finally {
      clearInterval(timer);
    }
  };
}
