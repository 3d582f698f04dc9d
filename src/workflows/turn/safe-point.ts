/** The safe point of the turn loop. */
import { shortenThreads } from '../../conversation/handover.js';
import { BOUNDS, roomForThreads, threadsBytes } from '../../conversation/state-bounds.js';
import { isHeld, type RunState } from '../../run/state/run-state.js';
import { keepDue, keepSession } from '../run/keep-session.js';
import type { Run } from '../run/run.js';
import { mustOffload, offload } from './keep-text.js';

/**
 * A point where nothing is in flight: the only place where a run continues as new, where a pause holds it,
 * and where cancellation is noticed. The position is in the state, so the next segment goes on right here.
 * `hears`: whether there is something to listen to, which ends the wait of a run that is held.
 * Null: there is nothing to wait for. That is the rule, and promises are what a turn costs most.
 */
export function safePoint(run: Run, hears: () => boolean): Promise<void> | null {
  run.ports.throwIfCancelled();
  run.line.giveWay();
  if (keepDue(run, () => comesToMore(run)))
    return keepSession(run).then(() => settle(run, hears) ?? undefined);
  return settle(run, hears);
}

/** What is kept is kept before it is shortened, and before the run goes on in another part. */
function comesToMore({ state, ports }: Run): boolean {
  return mustShorten(state) || ports.handoverNear(state);
}

function settle(run: Run, hears: () => boolean): Promise<void> | null {
  run.ports.throwIfCancelled();
  if (mustOffload(run.state)) return offload(run).then(() => arrive(run, hears) ?? undefined);
  return arrive(run, hears);
}

function arrive(run: Run, hears: () => boolean): Promise<void> | null {
  const { state, ports } = run;
  if (mustShorten(state))
    shortenThreads(state, { maxBytes: roomForThreads(state), why: 'size of the state', at: ports.now() });
  run.show();
  if (run.line.handoverDue()) return ports.handOver(state);
  const done = () => !isHeld(state) || hears();
  // A part may begin in the midst of a wait that is over: its time is counted at its end.
  return done() && state.goal.waitingSince === null ? null : run.line.waitForPerson(done, null, 'paused');
}

/** The conversation gets what the other parts of the state leave: only a large one is measured against it. */
export function mustShorten(state: RunState): boolean {
  const bytes = threadsBytes(state);
  return bytes > BOUNDS.threads && bytes > roomForThreads(state);
}
