/** A used-up budget. It is a separate file, because lists of gates need nothing else of its form. Pure. */
import type { Gate } from 'steersman/client';

export type BudgetSubject = Extract<Gate, { kind: 'budget' }>['subject'];

/** False for a cost that is unknown: its gate says so in the run's words. */
export function isUsedUp({ limit, used }: BudgetSubject): boolean {
  return used >= limit;
}
