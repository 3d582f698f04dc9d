/** The activity that tells features of a moment of a run, one after the other: see `workflows/beside/tell.ts`. */
import { activityInfo, heartbeat } from '@temporalio/activity';
import type { MomentEnd, MomentInput, SteersmanActivities } from './types.js';

/** What the heartbeats of the activity say: the try after one that was lost goes on from there. */
export interface Beat {
  details: unknown;
}

/** What a feature does at a moment, and tells the run of it. */
export type Hears = (input: MomentInput, beat: Beat) => Promise<Partial<MomentEnd>>;

const HEARTBEAT_MS = 1_000;

/** Makes `steersmanHook`, by the order of names: credits come before hooks, so what was used is paid, whatever a hook says. */
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
