/**
 * What the modes are, one entry each: all that code which serves every mode needs to know of one. Its places are
 * in `place.ts`, its step in `workflows/modes`.
 */

import type { OutputContract } from './outputs/contracts.js';
import type { Improvements, Place, PlacesOf } from './place.js';
import { answeringAt, planningAt } from './place.js';

export type Mode = 'team' | 'direct';

interface ModeEntry<M extends Mode> {
  /** For people, after its name. */
  does: string;
  /** The role that has the say at each of its places, and what its reply must be: the roles that the mode needs. */
  at: Record<PlacesOf[M]['phase'], { role: string; output: OutputContract }>;
  /** Where each goal begins. */
  begin: () => PlacesOf[M];
  /** Where the plan of a goal is made anew; null for a mode that has no plan with tasks. */
  planAnew: ((cycle: number, improvements: Improvements) => PlacesOf[M]) | null;
}

const ENTRIES: { readonly [M in Mode]: ModeEntry<M> } = {
  team: {
    does: 'plans, carries out task by task, verifies',
    at: {
      planning: { role: 'planner', output: 'plan' },
      execution: { role: 'executor', output: 'execution' },
      verification: { role: 'verifier', output: 'verdict' },
      wrap_up: { role: 'summary', output: 'text' },
    },
    begin: () => planningAt(1),
    planAnew: planningAt,
  },
  direct: {
    does: 'one role works and answers, nothing is verified',
    at: {
      answering: { role: 'direct', output: 'text' },
      wrap_up: { role: 'direct', output: 'text' },
    },
    begin: answeringAt,
    planAnew: null,
  },
};

/** All modes, in the order in which they are told of. */
export const MODES = Object.keys(ENTRIES) as Mode[];

/** For help: each mode with what it does. */
export const MODES_HELP = MODES.map(mode => `${mode} (${ENTRIES[mode].does})`).join(', ');

/** Of a run whose start names none. */
export const DEFAULT_MODE: Mode = 'team';

/** Where each goal of a run of this mode begins. */
export function firstPlace(mode: Mode): Place {
  return ENTRIES[mode].begin();
}

/** Where the next plan of a goal is made. Throws in a mode that has no plan: see `hasPlan`. */
export function nextPlan(mode: Mode, cycle: number, improvements: Improvements): Place {
  const { planAnew } = ENTRIES[mode];
  if (planAnew === null) throw new Error(`the mode ${mode} has no plan`);
  return planAnew(cycle, improvements);
}

/** Whether goals of this mode have a plan, whose tasks are carried out and which people may change. */
export function hasPlan(mode: Mode): boolean {
  return ENTRIES[mode].planAnew !== null;
}

/** The role that has the say at a place of this mode: messages of people are for it. */
export function roleAt(mode: Mode, phase: Place['phase']): string {
  const role = rolesByPhase(mode)[phase]?.role;
  if (role === undefined) throw new Error(`the mode ${mode} has no place ${phase}`);
  return role;
}

/** The roles that a mode can not do without, and what their replies must be. */
export function requiredRoles(mode: Mode): Map<string, OutputContract> {
  return new Map(Object.values(rolesByPhase(mode)).map(({ role, output }) => [role, output]));
}

/**
 * Roles that a message may be addressed to in this mode: others are asked one thing in passing, and read no
 * messages (PR3). The one reply of a wrap-up is over before anybody would name its role.
 */
export function readersOf(mode: Mode): string[] {
  const { wrap_up: _last, ...working } = rolesByPhase(mode);
  return [...new Set(Object.values(working).map(({ role }) => role))];
}

/** The readers of all modes: which of them a run has is its own to say. */
export const READERS: readonly string[] = [...new Set(MODES.flatMap(readersOf))];

function rolesByPhase(mode: Mode): Partial<Record<Place['phase'], { role: string; output: OutputContract }>> {
  return ENTRIES[mode].at;
}
