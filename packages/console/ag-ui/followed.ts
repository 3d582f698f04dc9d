/** The state that a stream keeps of the run that it follows. */
import type { Run, RunEvent, RunSnapshot } from 'steersman/client';

export interface Followed {
  run: Run;
  snapshot: RunSnapshot | null;
  /** Number of the run's own event that was sent last. */
  told: number;
  /** The event of the goal that ended last. */
  goalEnd: Extract<RunEvent, { type: 'goal_ended' }> | null;
  end: Extract<RunEvent, { type: 'end' }>['end'] | null;
  /** Ids of all gates that were ever opened. */
  gates: Set<string>;
}

export function note(followed: Followed, event: RunEvent): void {
  if (event.path !== undefined) return;
  if ('seq' in event) followed.told = event.seq;
  if (event.type === 'goal_ended') followed.goalEnd = event;
  if (event.type === 'gate_opened') followed.gates.add(event.gateId);
  if (event.type === 'end') followed.end = event.end;
}

/** Takes a state of the run, unless it is older than the known one: two may be read at the same time. */
export function see(followed: Followed, snapshot: RunSnapshot): void {
  const known = followed.snapshot?.lastEventSeq ?? 0;
  if ((snapshot.lastEventSeq ?? known) >= known) followed.snapshot = snapshot;
}
