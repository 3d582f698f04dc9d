/**
 * The modes, one entry each. A declared mode (`steps`) has roles in turn, without a plan, and needs no code. A new phase
 * needs a position and its constructor in `position.ts`, a place here, a file in `workflows/phases`, a case in
 * `workflows/run-mode.ts`, the goal's way on in `workflows/say/notes.ts`, and words in `packages/view/phases.ts`. Runs that
 * began before must not reach it: see `BEHAVIOUR`.
 */

import type { Cause } from '../limits/cause.js';
import type { OutputContract } from '../outputs/contracts.js';
import { CHOICES } from '../outputs/contracts.js';
import {
  answeringAt,
  choosingAt,
  type Position,
  type PositionsOf,
  planningAt,
  verificationAt,
  wrapUpAt,
} from './position.js';

export type Mode = 'team' | 'plan' | 'react' | 'lead' | 'direct' | 'auto';

/** The name of a mode: a built-in one, or one that `steersman.yaml` declares. */
export type ModeName = Mode | (string & Record<never, never>);

/** A mode of the configuration: its roles work on the goal in turn, and the last one answers. */
export interface DeclaredMode {
  /** The description for people and for the choosing role; null: it is never chosen, only named. */
  does: string | null;
  steps: string[];
}

export type DeclaredModes = Readonly<Record<string, DeclaredMode>>;

/** The kind of a mode's work, each with its own positions: `steps` is one role, or several in turn. */
export type ModeKind = keyof PositionsOf;

/** How a goal is pursued: its mode, and the working roles if the mode alone does not determine them. */
export interface ModeChoice {
  mode: ModeName;
  /** The roles of its steps, or the role that its start named; null for the mode's own. */
  roles: readonly string[] | null;
}

interface ModeEntry<K extends ModeKind> {
  kind: K;
  does: string;
  /** The role and its output contract at each position: the roles that the mode needs. */
  at: Record<PositionsOf[K]['phase'], RoleThere>;
  /** The roles in turn, for the kind `steps`, unless the start names them. */
  steps?: readonly string[];
  begin: () => PositionsOf[K];
  /** The position after the plan's last task, with a cause for the wrap-up; null for a mode without plans. */
  afterPlan: ((cycle: number, end: { cause: Cause; why: string }) => PositionsOf[K]) | null;
}

interface RoleThere {
  role: string;
  output: OutputContract;
}

type AnyEntry = { [K in ModeKind]: ModeEntry<K> }[ModeKind];

const PLANNER: RoleThere = { role: 'planner', output: 'plan' };
const EXECUTOR: RoleThere = { role: 'executor', output: 'execution' };
const VERIFIER: RoleThere = { role: 'verifier', output: 'verdict' };
const SUMMARY: RoleThere = { role: 'summary', output: 'text' };

const ENTRIES: Readonly<Record<Mode, AnyEntry>> = {
  team: {
    kind: 'team',
    does: 'plans, carries out task by task, verifies',
    at: {
      planning: PLANNER,
      execution: EXECUTOR,
      checking: VERIFIER,
      verification: VERIFIER,
      wrap_up: SUMMARY,
    },
    begin: () => planningAt(1),
    afterPlan: cycle => verificationAt(cycle),
  },
  plan: {
    kind: 'plan',
    does: 'plans, carries out task by task, sums up; nothing is verified',
    at: { planning: PLANNER, execution: EXECUTOR, checking: EXECUTOR, wrap_up: SUMMARY },
    begin: () => planningAt(1),
    afterPlan: wrapUpAt,
  },
  react: workOf(['react'], 'one role works with tools and answers, nothing is verified'),
  lead: workOf(['lead'], 'one role works with tools and hands pieces of the work to sub-agents'),
  direct: workOf(['direct'], 'one role answers at once, without tools'),
  auto: {
    kind: 'auto',
    does: 'a role chooses one of the others for each goal',
    at: { choosing: { role: 'selector', output: 'choice' }, wrap_up: SUMMARY },
    begin: choosingAt,
    afterPlan: null,
  },
};

/** All declared modes share this entry; the configuration names their roles. */
const DECLARED = workOf([], 'roles that steersman.yaml names work one after the other, the last answers');

function workOf(steps: readonly string[], does: string): ModeEntry<'steps'> {
  const role = (name = ''): RoleThere => ({ role: name, output: 'text' });
  const at = { answering: role(steps[0]), checking: role(steps.at(-1)), wrap_up: role(steps.at(-1)) };
  return { kind: 'steps', does, at, steps, begin: answeringAt, afterPlan: null };
}

/** All built-in modes, in the order in which they are listed to users. */
export const MODES = Object.keys(ENTRIES) as Mode[];

const MODE_NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** True for a valid name of a mode. The configuration may declare modes besides the built-in ones. */
export function isModeName(value: unknown): value is ModeName {
  return typeof value === 'string' && MODE_NAME.test(value);
}

export function mayBeDeclared(name: string): boolean {
  return isModeName(name) && builtIn(name) === null;
}

function builtIn(mode: ModeName): Mode | null {
  return MODES.find(name => name === mode) ?? null;
}

function entryOf(mode: ModeName): ModeEntry<ModeKind> {
  const name = builtIn(mode);
  // Each entry takes positions of its own kind, which the compiler can't know.
  return (name === null ? DECLARED : ENTRIES[name]) as ModeEntry<ModeKind>;
}

/** True if goals of this mode are one role's work, so that a start may name the role. */
export function isOneRole(mode: ModeName): boolean {
  return builtIn(mode) !== null && entryOf(mode).steps?.length === 1;
}

export const ONE_ROLE_MODES = MODES.filter(isOneRole);

export const MODES_HELP = `${MODES.map(mode => `${mode} (${ENTRIES[mode].does})`).join(', ')}, or one that steersman.yaml declares under modes`;

/** The choices of the mode `auto`: the built-in ones, and declared modes that have a description. */
export function choicesOf(declared: DeclaredModes): string[] {
  const described = Object.keys(declared).filter(name => declared[name]?.does != null);
  return [...CHOICES, ...described];
}

export const DEFAULT_MODE: Mode = 'team';

/** The mode of a run whose start names no mode: the default, or for a named role, that role's work. */
export function modeFor(role: string | undefined): Mode {
  return role === undefined ? DEFAULT_MODE : 'react';
}

export function firstPosition(mode: ModeName): Position {
  return entryOf(mode).begin();
}

/** Returns the position after the plan's last task; a wrap-up uses `end`. Throws in a mode without plans. */
export function afterTasks(mode: ModeName, cycle: number, end: { cause: Cause; why: string }): Position {
  const { afterPlan: carriedOut } = entryOf(mode);
  if (carriedOut === null) throw new Error(`the mode ${mode} has no plan`);
  return carriedOut(cycle, end);
}

/** True if goals of a run in this mode may have a plan, as some do in `auto`. */
export function mayPlan(mode: ModeName): boolean {
  return mode === 'auto' || hasPlan(mode);
}

/** True if goals of this mode have a plan, whose tasks are carried out and which people may change. */
export function hasPlan(mode: ModeName): boolean {
  return entryOf(mode).afterPlan !== null;
}

/** True if goals of this mode end with a verdict, which needs evidence. */
export function isVerified(mode: ModeName): boolean {
  return 'verification' in entryOf(mode).at;
}

/** Returns the leading role at a position, which gets people's messages. */
export function roleAt(way: ModeChoice, position: Position): string {
  if (position.phase === 'wrap_up') return position.by ?? lastRole(way);
  const step = stepAt(position);
  return (step === null ? undefined : stepsOf(way)?.[step]) ?? roleOf(way.mode, position.phase);
}

/** Returns the step whose turn it is, or whose answer is being checked. */
function stepAt(position: Position): number | null {
  if (position.phase === 'answering') return position.step;
  return position.phase === 'checking' && position.of.kind === 'answer' ? position.of.step : null;
}

/** True if the words of the role at work there are the goal's answer. */
export function answersAt(way: ModeChoice, at: { phase: string; step?: unknown }): boolean {
  if (at.phase === 'wrap_up') return true;
  return at.phase === 'answering' && at.step === (stepsOf(way)?.length ?? 1) - 1;
}

/** Returns the role that answers if the work ends early. */
export function lastRole(way: ModeChoice): string {
  return stepsOf(way)?.at(-1) ?? roleOf(way.mode, 'wrap_up');
}

function roleOf(mode: ModeName, phase: Position['phase']): string {
  const there: Partial<Record<Position['phase'], RoleThere>> = entryOf(mode).at;
  const role = there[phase]?.role;
  if (role === undefined) throw new Error(`the mode ${mode} has no position ${phase}`);
  return role;
}

export function requiredRoles(way: ModeChoice, declared: DeclaredModes = {}): Map<string, OutputContract> {
  const chosen = ['auto', ...choicesOf(declared)];
  const ways =
    way.mode === 'auto' ? chosen.map(mode => ({ mode, roles: declared[mode]?.steps ?? null })) : [way];
  return new Map(ways.flatMap(rolesOf));
}

function rolesOf(way: ModeChoice): [string, OutputContract][] {
  const steps = stepsOf(way);
  if (steps !== null) return steps.map(role => [role, 'text']);
  return Object.values(entryOf(way.mode).at).map(({ role, output }) => [role, output]);
}

/**
 * Returns the roles that read messages (PR3), without consulted ones. The readers of a declared mode are known once the
 * run is loaded.
 */
export function readersOf(way: ModeChoice): string[] {
  const steps = stepsOf(way);
  const { wrap_up: _last, ...working } = entryOf(way.mode).at;
  return [...new Set(steps ?? Object.values(working).map(({ role }) => role))];
}

/** The readers of all built-in modes, for completion and help. Only the run knows which of them it has. */
export const READERS: readonly string[] = [
  ...new Set(MODES.flatMap(mode => readersOf({ mode, roles: null }))),
];

/** Returns the roles that work in turn; null in a mode whose positions have their own roles. */
export function stepsOf({ mode, roles }: ModeChoice): readonly string[] | null {
  const { steps = null } = entryOf(mode);
  return steps === null ? null : (roles ?? steps);
}

export function heedsPolicy(mode: ModeName): boolean {
  return mode === 'plan' || mode === 'auto';
}
