/** The limit of a used-up budget in the unit in which people think of it: time in minutes. Pure. */
import { readNumber } from 'steersman/base';
import type { BudgetSubject } from './budget.js';

const MINUTE_MS = 60_000;

/** Returns twice the limit, as the field proposes it. */
export function proposedLimit({ budget, limit, used }: BudgetSubject): string {
  return String(Math.ceil((200 * Math.max(limit, used)) / unitOf(budget)) / 100);
}

/** Returns the typed limit in the budget's own unit; other text is returned unchanged, and is refused. */
export function typedLimit({ budget }: BudgetSubject, typed: string): string | number {
  const value = readNumber(typed);
  return value === null ? typed : Math.round(value * unitOf(budget) * 1e6) / 1e6;
}

function unitOf(budget: BudgetSubject['budget']): number {
  return budget === 'wallTimeMs' ? MINUTE_MS : 1;
}
