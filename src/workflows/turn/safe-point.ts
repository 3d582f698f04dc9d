/** The safe point of the turn loop. */
import { shortenThreads } from '../../conversation/handover.js';
import { mustShorten, roomForThreads } from '../../conversation/state-bounds.js';
import { isHeld } from '../../run/state/run-state.js';
import { keepDue, keepSession } from '../run/keep-session.js';
import { offloadReports, reportsAreOver } from '../run/keep-text.js';
import type { Run } from '../run/run.js';

/**
 * A point where nothing is in flight: only here a run continues as new, is held by a pause, and notices cancellation.
 * The position is in the state, so the next segment continues right here. `hears`: true if there is a message to
 * interpret, which ends the wait of a held run. Returns null if there is nothing to wait for; that is usual, and it
 * saves promises, which are the main cost of a turn.
 */
export function safePoint(run: Run, hears: () => boolean): Promise<void> | null {
  run.ports.throwIfCancelled();
  run.line.giveWay();
  const isLarge = mustShorten(run.state);
  // Stores the conversation before it is shortened, and before the run continues as new.
  if (keepDue(run, () => isLarge || run.ports.handoverNear(run.state)))
    return keepSession(run).then(() => offloadAndArrive(run, hears) ?? undefined);
  return offloadAndArrive(run, hears, isLarge);
}

/** `isLarge`: the threads exceed their room, if the caller has measured that. */
function offloadAndArrive(run: Run, hears: () => boolean, isLarge?: boolean): Promise<void> | null {
  run.ports.throwIfCancelled();
  if (reportsAreOver(run.state.tasks)) return offloadReports(run).then(() => arrive(run, hears) ?? undefined);
  return arrive(run, hears, isLarge);
}

function arrive(
  run: Run,
  hears: () => boolean,
  isLarge: boolean = mustShorten(run.state),
): Promise<void> | null {
  const { state, ports } = run;
  if (isLarge)
    shortenThreads(state, { maxBytes: roomForThreads(state), why: 'size of the state', at: ports.now() });
  run.show();
  if (run.line.handoverDue()) return ports.handOver(state);
  const done = () => !isHeld(state) || hears();
  // A segment may begin in a pause that is over already; `waitForPerson` then only adds up its time.
  return done() && state.goal.waitingSince === null ? null : run.line.waitForPerson(done, null, 'paused');
}
