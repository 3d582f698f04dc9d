/** Limits and counters (L19): different things with different names; none shares a variable with another. */

import { isRecord } from '../../base/json/json.js';
import { expected, quoted } from '../../base/text/output-fields.js';

export interface Limits {
  /** Planner rounds a cycle. */
  planning: number;
  /** Executor rounds a task, and those of each step of a declared mode. */
  execution: number;
  /** Replies with tool calls that a role has when the whole goal is its work, as in `react` (SE6). Its answer is one more. */
  replies: number;
  /** Verifications a goal. */
  verification: number;
  /** Replies of the verifier that may call tools that only read, before its verdict. */
  looks: number;
  /** Times that a failed task is tried again on the orchestrator's proposal. */
  taskRetries: number;
  /** Tasks a plan may hold. */
  tasks: number;
  /** Model replies a goal may take, over all roles. */
  turns: number;
  /** Model replies a run may take over all its goals. */
  totalTurns: number;
  /** Tool calls of one reply that are run; the rest get results that say so. */
  toolCallsPerTurn: number;
  /** Calls of one reply that run at the same time, where they may; 1: one after the other. At most 16. */
  parallelTools: number;
  /** Tasks of a plan that run at the same time, where none needs the other; 1: one after the other. At most 4. */
  parallelTasks: number;
  /** Times that a bad call of one tool is sent back in one task before the advice changes. */
  argumentCorrections: number;
  /** Tokens a goal may use: see `budgetTokens`. */
  tokens: number;
  /** Time a goal may take, waits on people not counted. */
  wallTimeMs: number;
  /** US dollars a goal may cost; null for no limit. */
  costUsd: number | null;
}

export const DEFAULT_LIMITS: Limits = {
  planning: 3,
  execution: 10,
  replies: 40,
  verification: 3,
  looks: 0,
  taskRetries: 2,
  tasks: 20,
  turns: 100,
  totalTurns: 500,
  toolCallsPerTurn: 16,
  parallelTools: 4,
  parallelTasks: 1,
  argumentCorrections: 2,
  tokens: 1_000_000,
  wallTimeMs: 3_600_000,
  costUsd: null,
};

/** What was used of the limits. `planning` counts the cycle's rounds, the others the goal's. */
export interface Counters {
  planning: number;
  verification: number;
  /** Plans made anew on the orchestrator's proposal, without a verification. */
  replans: number;
  turns: number;
  toolCalls: number;
  reasks: number;
  /** Model calls that brought no reply, however often they were tried. */
  failedCalls: number;
}

export const NO_COUNTERS: Counters = {
  planning: 0,
  verification: 0,
  replans: 0,
  turns: 0,
  toolCalls: 0,
  reasks: 0,
  failedCalls: 0,
};

/** Shorter ones would never bring a reply, only failures at the end of a goal's time. */
const LEAST_CALL_MS = 5_000;
/** For calls outside the count, such as the wrap-up of a goal whose time is used up. */
const UNCOUNTED_CALL_MS = 120_000;

/** Time that a model call may take with all its tries, `usedMs` of the goal's being over; null: uncounted. */
export function callTimeMs({ wallTimeMs }: Limits, usedMs: number | null): number {
  return usedMs === null ? UNCOUNTED_CALL_MS : Math.max(LEAST_CALL_MS, wallTimeMs - usedMs);
}

/** Plans that a goal may still get without a person's wish. The plan at hand is counted when it is verified. */
export function plansLeft(counters: Counters, limits: Limits): number {
  return limits.verification - counters.verification - counters.replans;
}

const BUDGET_KINDS = ['turns', 'totalTurns', 'tokens', 'wallTimeMs', 'costUsd'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

export function budgetsAbove(limits: Partial<Limits>, inForce: Limits): string[] {
  return BUDGET_KINDS.filter(kind => isOver(limits[kind], inForce[kind]));
}

/** Whether a goal uses up the limit of this name: what its agents have is a part of it. */
export function isBudget(name: string): boolean {
  return BUDGET_KINDS.some(kind => kind === name);
}

export type BudgetUse = Pick<Limits, BudgetKind>;

export function turnsLeft({ turns, totalTurns }: Limits, used: BudgetUse): number {
  return Math.min(turns - used.turns, totalTurns - used.totalTurns);
}

const BUDGET_WARNING_SHARE = 0.8;

/** Budgets that are used up, and those past the warning share. A limited cost that is not known counts as used up. */
export function checkBudgets(
  limits: Limits,
  used: BudgetUse,
): { exhausted: BudgetKind[]; warned: BudgetKind[] } {
  const exhausted: BudgetKind[] = [];
  const warned: BudgetKind[] = [];
  for (const kind of BUDGET_KINDS) {
    const limit = limits[kind];
    const value = used[kind];
    if (limit === null) continue;
    if (value === null || value >= limit) exhausted.push(kind);
    else if (value >= limit * BUDGET_WARNING_SHARE) warned.push(kind);
  }
  return { exhausted, warned };
}

export interface Standing {
  limits: Limits;
  used: BudgetUse;
}

/** Limits that may be 0: nothing is tried again. */
const MAY_BE_ZERO = ['looks', 'taskRetries', 'argumentCorrections'];
/** Of `parallelTools`: a worker has other runs too, and the state names each call in flight. */
export const MOST_PARALLEL_TOOLS = 16;
/** Of `parallelTasks`: each has its position in the state. */
export const MOST_PARALLEL_TASKS = 4;
const MOST: Partial<Record<string, number>> = {
  parallelTools: MOST_PARALLEL_TOOLS,
  parallelTasks: MOST_PARALLEL_TASKS,
};

/** What is wrong with a change of limits, in words: each must be known, and above what is used of it. */
export function limitsFault(input: unknown, standing: Standing | null = null): string | null {
  const names = Object.keys(DEFAULT_LIMITS);
  if (!isRecord(input) || Object.keys(input).length === 0) {
    return `Give an object with at least one of: ${names.join(', ')}.`;
  }
  for (const [name, value] of Object.entries(input)) {
    if (!names.includes(name)) return `There is no limit ${quoted(name)}. There are: ${names.join(', ')}.`;
    const fault = limitFault(name, value) ?? usedFault(name, value, standing);
    if (fault !== null) return fault;
  }
  return null;
}

function limitFault(name: string, value: unknown): string | null {
  if (name === 'costUsd') {
    const fits = value === null || (typeof value === 'number' && value > 0);
    return fits ? null : expected(name, 'a number above 0, or null', value);
  }
  const least = MAY_BE_ZERO.includes(name) ? 0 : 1;
  const most = MOST[name] ?? null;
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
  const fits = isWhole && (most === null || value <= most);
  const range = most === null ? `from ${least}` : `from ${least} to ${most}`;
  return fits ? null : expected(name, `a whole number ${range}`, value);
}

const UNKNOWN_USE =
  'costUsd: what the goal has cost is not known, for a model without a known price was called, so the limit could not be held.';

/** A limit that is used up already would cut the goal short, or the next one (PR9). */
function usedFault(name: string, value: unknown, standing: Standing | null): string | null {
  const kind = BUDGET_KINDS.find(known => known === name);
  const used = kind && standing?.used[kind];
  if (kind && typeof value === 'number' && used === null) return UNKNOWN_USE;
  if (!kind || typeof value !== 'number' || typeof used !== 'number' || value > used) return null;
  const of = standing?.limits[kind] ?? 'no limit';
  return `${name}: ${used} of ${of} are used already, and ${value} would be used up at once. Give more than ${used}.`;
}

/** What may enlarge a limit: a person, of this run or its caller's. `--yes`, rules and roles never do (TR2, LI1). */
export type Enlarger = 'setBudget' | 'gate' | 'caller';

/** The most that a worker lets anybody set of a limit; a limit without an entry has no ceiling. */
export type Ceilings = Partial<Limits>;

export function ceilingFault(limits: Partial<Limits>, ceilings: Ceilings): string | null {
  const over = LIMIT_NAMES.filter(name => isOver(limits[name], ceilings[name]));
  if (over.length === 0) return null;
  const allowed = over.map(name => `${name} ${ceilings[name]}`).join(', ');
  return `This worker allows at most: ${allowed}.`;
}

export function underCeilings<L extends Partial<Limits>>(limits: L, ceilings: Ceilings): L {
  const lowered = LIMIT_NAMES.filter(name => isOver(limits[name], ceilings[name]));
  return { ...limits, ...Object.fromEntries(lowered.map(name => [name, ceilings[name]])) };
}

/** No limit, which null means, is over every ceiling. */
function isOver(limit: number | null | undefined, ceiling: number | null | undefined): boolean {
  if (limit === undefined || ceiling === undefined || ceiling === null) return false;
  return limit === null || limit > ceiling;
}

// Its keys are those of the type.
const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
