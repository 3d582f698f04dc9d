/** Where messages of people are heard, and how a run goes to the position where they are understood (PR4). */

import { roleAt } from '../../run/position/modes.js';
import { newSteering } from '../../run/position/position.js';
import { isHeld, wayOf } from '../../run/state/run-state.js';
import { batchAction, type InboxItem, takeSteers, waitingSteers } from '../../run/steering/inbox.js';
import { type Run, Yielded } from './run.js';

export const UNDERSTANDING = 'understanding';

/** The role whose position this is; null where a second role is asked, or a message understood. */
export function roleHere({ state, cursor }: Run): string | null {
  const { position, interrupts } = cursor;
  return interrupts.length === 0 ? roleAt(wayOf(state), position) : null;
}

/**
 * Nobody reads messages while others are being understood, or in the middle of a question to a second role:
 * they are for the role that asked it. Everywhere else what waits is read before the next model call, also
 * before the last one of a goal (PR5).
 */
export function readable({ cursor, line }: Run): boolean {
  const positions = [cursor, ...cursor.branches.map(branch => branch.cursor)];
  return line.hearsPeople && positions.every(({ interrupts }) => interrupts.length === 0);
}

/** Whether a run that is held has something to listen to. */
export function hears(run: Run, role: string): boolean {
  return run.pinned.roles[UNDERSTANDING] !== undefined && isHeard(run, role);
}

/** Whether there is a message to be read here: what lets tool calls run first waits with them. */
export function isHeard(run: Run, role: string): boolean {
  if (!readable(run)) return false;
  const { cursor } = run;
  const { people } = run.state;
  const action = batchAction(waitingSteers(people.inbox, role));
  const positions = [cursor, ...cursor.branches.map(branch => branch.cursor)].map(({ position }) => position);
  return (
    action === 'skip_rest' ||
    (action === 'after_batch' && positions.every(({ turns }) => turns.batch === null))
  );
}

/** A run that is held has what waits understood, and comes back to where it is held. */
export function listen(run: Run, role: string): void {
  beginSteering(run, takeSteers(run.state.people.inbox, role), role);
}

/** Whether a run that is held at a gate hears something, which leaves the gate open. */
export function hearsAtGate(run: Run): boolean {
  const role = roleHere(run);
  return role !== null && isHeld(run.state) && hears(run, role);
}

/** Leaves the gate for the position where the message is understood, as continue-as-new leaves it for the next segment. */
export function listenAtGate(run: Run): never {
  listen(run, roleHere(run) ?? '');
  throw new Yielded();
}

/** Sends the run to the position where messages are understood; it comes back to where it was. */
export function beginSteering(run: Run, items: InboxItem[], role: string | null): void {
  run.interrupt(newSteering(items, role));
}
