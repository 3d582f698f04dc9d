/** What a stream knows of the run that it follows. */
import type { Run, RunEvent, RunSnapshot } from 'steersman/client';

export interface Followed {
  run: Run;
  snapshot: RunSnapshot | null;
  /** Number of its last own event that was told. */
  told: number;
  /** The last goal that has ended. */
  goalEnd: Extract<RunEvent, { type: 'goal_ended' }> | null;
  end: Extract<RunEvent, { type: 'end' }>['end'] | null;
  /** Gates that were ever open. */
  gates: Set<string>;
}

export function note(followed: Followed, event: RunEvent): void {
  if (event.path !== undefined) return;
  if ('seq' in event) followed.told = event.seq;
  if (event.type === 'goal_ended') followed.goalEnd = event;
  if (event.type === 'gate_opened') followed.gates.add(event.gateId);
  if (event.type === 'end') followed.end = event.end;
}
