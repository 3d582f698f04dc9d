/**
 * What the modes are, one entry each: all that code which serves every mode needs to know of one. Its places are
 * in `place.ts`, its step in `workflows/modes`.
 */

import type { Cause } from './cause.js';
import type { OutputContract } from './outputs/contracts.js';
import { CHOICES } from './outputs/mode-choice.js';
import type { Improvements, Place, PlacesOf } from './place.js';
import { answeringAt, choosingAt, planningAt, verificationAt, wrapUpAt } from './place.js';

export type Mode = 'team' | 'plan' | 'react' | 'lead' | 'direct' | 'auto';

/** How a goal is pursued: its mode, and where that is one role's work, the role that its start named. */
export interface Way {
  mode: Mode;
  /** Null for the mode's own. */
  role: string | null;
}

interface ModeEntry<M extends Mode> {
  /** For people, after its name. */
  does: string;
  /** The role that has the say at each of its places, and what its reply must be: the roles that the mode needs. */
  at: Record<PlacesOf[M]['phase'], RoleThere>;
  /** Whether all its places are one role's, and a start may name another for it. */
  oneRole: boolean;
  /** Where each goal begins. */
  begin: () => PlacesOf[M];
  /** Where the plan of a goal is made anew; null for a mode that has no plan with tasks. */
  planAnew: ((cycle: number, improvements: Improvements) => PlacesOf[M]) | null;
  /** Where a goal goes on when no task of its plan is left, for a wrap-up with why; null for a mode without plans. */
  carriedOut: ((cycle: number, end: { cause: Cause; why: string }) => PlacesOf[M]) | null;
}

interface RoleThere {
  role: string;
  output: OutputContract;
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
    oneRole: false,
    begin: () => planningAt(1),
    planAnew: planningAt,
    carriedOut: verificationAt,
  },
  plan: {
    does: 'plans, carries out task by task, sums up; nothing is verified',
    at: {
      planning: { role: 'planner', output: 'plan' },
      execution: { role: 'executor', output: 'execution' },
      wrap_up: { role: 'summary', output: 'text' },
    },
    oneRole: false,
    begin: () => planningAt(1),
    planAnew: planningAt,
    carriedOut: wrapUpAt,
  },
  react: workOf('react', 'one role works with tools and answers, nothing is verified'),
  lead: workOf('lead', 'one role works with tools and hands pieces of the work to sub-agents'),
  direct: workOf('direct', 'one role answers at once, without tools'),
  auto: {
    does: 'a role chooses one of the others for each goal',
    at: {
      choosing: { role: 'selector', output: 'choice' },
      wrap_up: { role: 'summary', output: 'text' },
    },
    oneRole: false,
    begin: choosingAt,
    planAnew: null,
    carriedOut: null,
  },
};

/** A mode that is one role's work on the goal. */
function workOf(role: string, does: string): ModeEntry<'react'> {
  const at: RoleThere = { role, output: 'text' };
  return {
    does,
    at: { answering: at, wrap_up: at },
    oneRole: true,
    begin: answeringAt,
    planAnew: null,
    carriedOut: null,
  };
}

/** All modes, in the order in which they are told of. */
export const MODES = Object.keys(ENTRIES) as Mode[];

/** Whether goals of this mode are one role's work, and a start may name which. */
export function isOneRole(mode: Mode): boolean {
  return ENTRIES[mode].oneRole;
}

export const ONE_ROLE_MODES = MODES.filter(isOneRole);

const WAYS_OF_AUTO: readonly Mode[] = ['auto', ...CHOICES];

/** For help: each mode with what it does. */
export const MODES_HELP = MODES.map(mode => `${mode} (${ENTRIES[mode].does})`).join(', ');

export const DEFAULT_MODE: Mode = 'team';

/** Of a run whose start names none: the default, or where it names a role, that role's work. */
export function modeFor(role: string | undefined): Mode {
  return role === undefined ? DEFAULT_MODE : 'react';
}

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

/**
 * Where a goal goes on when no task of its plan is left; `end`: what has become of them, where nobody judges that
 * (`causeOfPlan`), `why` in words. Throws in a mode that has no plan: see `hasPlan`.
 */
export function afterTasks(mode: Mode, cycle: number, end: { cause: Cause; why: string }): Place {
  const { carriedOut } = ENTRIES[mode];
  if (carriedOut === null) throw new Error(`the mode ${mode} has no plan`);
  return carriedOut(cycle, end);
}

/** Whether goals of a run of this mode may have a plan: where a mode is chosen for each, some do. */
export function mayPlan(mode: Mode): boolean {
  return mode === 'auto' || hasPlan(mode);
}

/** Whether goals of this mode have a plan, whose tasks are carried out and which people may change. */
export function hasPlan(mode: Mode): boolean {
  return ENTRIES[mode].planAnew !== null;
}

/** The role that has the say at a place: messages of people are for it. */
export function roleAt(way: Way, phase: Place['phase']): string {
  const there = rolesByPhase(way)[phase];
  if (there === undefined) throw new Error(`the mode ${way.mode} has no place ${phase}`);
  return there.role;
}

/** The roles that a run can not do without, and what their replies must be. */
export function requiredRoles(way: Way): Map<string, OutputContract> {
  const ways = way.mode === 'auto' ? WAYS_OF_AUTO.map(mode => ({ mode, role: null })) : [way];
  const there = ways.flatMap(each => Object.values(rolesByPhase(each)));
  return new Map(there.map(({ role, output }) => [role, output]));
}

/**
 * Roles that a message may be addressed to: others are asked one thing in passing, and read no messages (PR3). The
 * one reply of a wrap-up is over before anybody would name its role.
 */
export function readersOf(way: Way): string[] {
  const { wrap_up: _last, ...working } = rolesByPhase(way);
  return [...new Set(Object.values(working).map(({ role }) => role))];
}

/** The readers of all modes, for completion and help: which of them a run has is its own to say. */
export const READERS: readonly string[] = [
  ...new Set(MODES.flatMap(mode => readersOf({ mode, role: null }))),
];

function rolesByPhase({ mode, role }: Way): Partial<Record<Place['phase'], RoleThere>> {
  const { at, oneRole } = ENTRIES[mode];
  if (!oneRole || role === null) return at;
  return Object.fromEntries(Object.entries(at).map(([phase, there]) => [phase, { ...there, role }]));
}
