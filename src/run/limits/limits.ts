/** Limits and counters (L19): different things have different names and never share a variable. */

import { isRecord } from '../../base/json/json.js';
import { expected, quoted } from '../../base/text/output-fields.js';

export interface Limits {
  /** Planner rounds of a cycle. */
  planning: number;
  /** Executor rounds of a task, and of each step of a declared mode. */
  execution: number;
  /** Replies with tool calls of a role whose work is the whole goal, as in `react` (SE6). Its answer is one more. */
  replies: number;
  /** Verifications of a goal. */
  verification: number;
  /** Replies in which the verifier may call read-only tools before its verdict. */
  looks: number;
  /** Retries of a failed task on the orchestrator's proposal. */
  taskRetries: number;
  /** Tasks in a plan. */
  tasks: number;
  /** Model replies of a goal, over all roles. */
  turns: number;
  /** Model replies of a run, over all its goals. */
  totalTurns: number;
  /** Tool calls run from one reply; further calls get results that say so. */
  toolCallsPerTurn: number;
  /** Calls of one reply that may run at the same time; 1: one after the other. At most 16. */
  parallelTools: number;
  /** Independent tasks of a plan that may run at the same time; 1: one after the other. At most 4. */
  parallelTasks: number;
  /** Bad calls of one tool that are sent back in one task before the advice changes. */
  argumentCorrections: number;
  /** Tokens a goal may use: see `budgetTokens`. */
  tokens: number;
  /** Time a goal may take, without waits for people. */
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

/** The usage of counted limits. `planning` counts the cycle's rounds, the others the goal's. */
export interface Counters {
  planning: number;
  verification: number;
  /** New plans on the orchestrator's proposal, without a verification. */
  replans: number;
  turns: number;
  toolCalls: number;
  reasks: number;
  /** Model calls without a reply, each counted once for all its attempts. */
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

/** Shorter calls would never bring a reply, only failures at the end of a goal's time. */
const LEAST_CALL_MS = 5_000;
/** Time of a call that does not count, such as the wrap-up of a goal whose time is used up. */
const UNCOUNTED_CALL_MS = 120_000;

/** The time that a model call may take with all its attempts, after `usedMs` of the goal's time; null: uncounted. */
export function callTimeMs({ wallTimeMs }: Limits, usedMs: number | null): number {
  return usedMs === null ? UNCOUNTED_CALL_MS : Math.max(LEAST_CALL_MS, wallTimeMs - usedMs);
}

/** The plans that a goal may still get without a person's wish. The present plan counts when it is verified. */
export function plansLeft(counters: Counters, limits: Limits): number {
  return limits.verification - counters.verification - counters.replans;
}

const BUDGET_KINDS = ['turns', 'totalTurns', 'tokens', 'wallTimeMs', 'costUsd'] as const;
export type BudgetKind = (typeof BUDGET_KINDS)[number];

export function budgetsAbove(limits: Partial<Limits>, inForce: Limits): string[] {
  return BUDGET_KINDS.filter(kind => isOver(limits[kind], inForce[kind]));
}

/** True if a goal uses up the limit of this name; its agents' shares are then parts of it. */
export function isBudget(name: string): boolean {
  return BUDGET_KINDS.some(kind => kind === name);
}

export type BudgetUse = Pick<Limits, BudgetKind>;

export function turnsLeft({ turns, totalTurns }: Limits, used: BudgetUse): number {
  return Math.min(turns - used.turns, totalTurns - used.totalTurns);
}

const BUDGET_WARNING_SHARE = 0.8;

/** Returns exhausted budgets, and those past the warning share. A limited but unknown cost counts as exhausted. */
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

export interface BudgetState {
  limits: Limits;
  used: BudgetUse;
}

/** Limits that may be 0, which allows no attempt. */
const MAY_BE_ZERO = ['looks', 'taskRetries', 'argumentCorrections'];
/** The maximum of `parallelTools`: a worker has other runs too, and the state names each call in flight. */
export const MOST_PARALLEL_TOOLS = 16;
/** The maximum of `parallelTasks`: each has its position in the state. */
export const MOST_PARALLEL_TASKS = 4;
const MOST: Partial<Record<string, number>> = {
  parallelTools: MOST_PARALLEL_TOOLS,
  parallelTasks: MOST_PARALLEL_TASKS,
};

/** Returns what is wrong with a change of limits: each limit must be known, and above its usage. */
export function limitsFault(input: unknown, standing: BudgetState | null = null): string | null {
  const names = Object.keys(DEFAULT_LIMITS);
  if (!isRecord(input) || Object.keys(input).length === 0) {
    return `Give an object with at least one of: ${names.join(', ')}.`;
  }
  for (const [name, value] of Object.entries(input)) {
    if (!names.includes(name)) return `Unknown limit: ${quoted(name)}. The limits are: ${names.join(', ')}.`;
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

/** A limit that is already used up would end the goal, or the next one, at once (PR9). */
function usedFault(name: string, value: unknown, standing: BudgetState | null): string | null {
  const kind = BUDGET_KINDS.find(known => known === name);
  const used = kind && standing?.used[kind];
  if (kind && typeof value === 'number' && used === null) return UNKNOWN_USE;
  if (!kind || typeof value !== 'number' || typeof used !== 'number' || value > used) return null;
  const of = standing?.limits[kind] ?? 'no limit';
  return `${name}: ${used} of ${of} are used already, and ${value} would be used up at once. Give more than ${used}.`;
}

/**
 * Who may enlarge a limit: a person who attends this run, or its caller's person. `--yes`, rules and roles never do
 * (TR2, LI1).
 */
export type Enlarger = 'setBudget' | 'gate' | 'caller';

/** The maximum that a worker allows for each limit; a limit without an entry has no ceiling. */
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

/** True if a limit is above its ceiling; null, which means unlimited, is above every ceiling. */
function isOver(limit: number | null | undefined, ceiling: number | null | undefined): boolean {
  if (limit === undefined || ceiling === undefined || ceiling === null) return false;
  return limit === null || limit > ceiling;
}

// Cast: DEFAULT_LIMITS has exactly the keys of Limits.
const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
