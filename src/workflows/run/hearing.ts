/** Conditions under which messages of people are read, and how a run enters the position that interprets them (PR4). */

import { roleAt } from '../../run/position/modes.js';
import { newSteering } from '../../run/position/position.js';
import { isHeld, modeOf } from '../../run/state/run-state.js';
import { batchAction, type InboxItem, takeSteers, waitingSteers } from '../../run/steering/inbox.js';
import { type Run, Yielded } from './run.js';

export const UNDERSTANDING = 'understanding';

/** Returns the role of this position; null if a second role is asked, or a message is being interpreted. */
export function roleHere({ state, cursor }: Run): string | null {
  const { position, interrupts } = cursor;
  return interrupts.length === 0 ? roleAt(modeOf(state), position) : null;
}

/**
 * True if messages may be read here. They may not while others are being interpreted or a second role is consulted: they are
 * for the role that asked it. Elsewhere they are read before the next model call, also before a goal's last (PR5).
 */
export function mayRead({ cursor, line }: Run): boolean {
  const positions = [cursor, ...cursor.branches.map(branch => branch.cursor)];
  return line.hearsPeople && positions.every(({ interrupts }) => interrupts.length === 0);
}

/** True if a held run has a message to interpret. */
export function mustInterpret(run: Run, role: string): boolean {
  return run.pinned.roles[UNDERSTANDING] !== undefined && hasMessage(run, role);
}

/** True if there is a message to read here; `after-batch` messages wait for the batch. */
export function hasMessage(run: Run, role: string): boolean {
  if (!mayRead(run)) return false;
  const { cursor } = run;
  const { people } = run.state;
  const action = batchAction(waitingSteers(people.inbox, role));
  const positions = [cursor, ...cursor.branches.map(branch => branch.cursor)].map(({ position }) => position);
  return (
    action === 'skip_rest' ||
    (action === 'after_batch' && positions.every(({ turns }) => turns.batch === null))
  );
}

/** Lets a held run interpret the messages that wait; it then returns to where it is held. */
export function beginInterpreting(run: Run, role: string): void {
  beginSteering(run, takeSteers(run.state.people.inbox, role), role);
}

/** True if a run that is held at a gate has a message to interpret. The gate stays open. */
export function mustInterpretAtGate(run: Run): boolean {
  const role = roleHere(run);
  return role !== null && isHeld(run.state) && mustInterpret(run, role);
}

/** Leaves the gate to interpret the message, as continue-as-new leaves it for the next segment. */
export function beginInterpretingAtGate(run: Run): never {
  beginInterpreting(run, roleHere(run) ?? '');
  throw new Yielded();
}

/** Enters the position that interprets messages; the run returns to its present position afterwards. */
export function beginSteering(run: Run, items: InboxItem[], role: string | null): void {
  run.interrupt(newSteering(items, role));
}
