/** Everything a run is, as one JSON value: continue-as-new carries it, the simulation re-enters it, `show` reads it. */

import { type Children, noChildren } from '../agents/children.js';
import type { PinnedRun, RunSettings } from '../agents/run-config.js';
import { type Evidence, newEvidence } from '../evidence/evidence.js';
import { budgetTokens } from '../limits/budget-tokens.js';
import type { Cause, Outcome } from '../limits/cause.js';
import type { BudgetUse, Limits } from '../limits/limits.js';
import type { Account, UsageEntry } from '../limits/usage-by.js';
import { NO_USAGE, type Usage } from '../messages/message.js';
import { type ModelUse, newModelUse } from '../models/model-use.js';
import type { Task } from '../plan/plan.js';
import { firstPosition, type Way } from '../position/modes.js';
import { newToolUse, type ToolUse } from '../tools/tool-use.js';
import { type Cursor, cursorAt, here, steeringAt } from './cursor.js';
import { type GoalRecord, type GoalState, goalTimeMs, newGoal } from './goal.js';
import type { Journal } from './journal.js';
import { type Keeping, newKeeping } from './kept.js';
import { newPeople, type People } from './people.js';
import type { Threads } from './thread.js';
import { emptyTrace, type Trace } from './trace.js';

export interface RunState {
  settings: RunSettings;
  /** Null until the run is loaded. */
  pinned: PinnedRun | null;
  /** Limits that were set since the start. */
  limits: Partial<Limits>;
  startedAt: number;
  /** 1, and one more at each continue-as-new. */
  segment: number;
  /** Temporal run id of the segment before this one: `watch` walks the chain. */
  previousRunId: string | null;
  /** Source of message and call ids. */
  lastId: number;
  goal: GoalState;
  goals: GoalRecord[];
  /** Since when the goal is answered and no other has begun; null while one is pursued. */
  idleSince: number | null;
  cursor: Cursor;
  threads: Threads;
  tasks: Task[];
  /** Of the goal at hand. */
  evidence: Evidence;
  models: ModelUse;
  tools: ToolUse;
  people: People;
  /** Over all goals, also between two; `turns` are model replies, `usageBy` the parts of `usage`. */
  total: { usage: Usage; turns: number; usageBy: UsageEntry[] };
  /** Sub-agents: those that run are in flight, so none is open at a safe point. */
  children: Children;
  log: Log;
  /** What features keep, by their names: see `slice.ts`. */
  features: Record<string, unknown>;
  /** Search attributes as last written. */
  shown: Record<string, string>;
  end: { outcome: Outcome; cause: Cause; answer: string } | null;
}

export function newRunState(goal: string, settings: RunSettings, now: number): RunState {
  return {
    settings,
    pinned: null,
    limits: {},
    startedAt: now,
    segment: 1,
    previousRunId: null,
    lastId: 0,
    // Whole until it has been said.
    goal: { ...newGoal(1, '', { mode: settings.mode, startedAt: now }), text: goal },
    goals: [],
    idleSince: null,
    cursor: cursorAt(firstPosition(settings.mode)),
    threads: {},
    tasks: [],
    evidence: newEvidence(),
    models: newModelUse(settings.knownModels),
    tools: newToolUse(now),
    people: newPeople(),
    total: { usage: NO_USAGE, turns: 0, usageBy: [] },
    children: noChildren(),
    log: { journal: { lastSeq: 0, events: [] }, trace: emptyTrace(), storeFailed: false, ...newKeeping() },
    features: {},
    shown: {},
    end: null,
  };
}

export function wayOf({ goal, settings, pinned }: Pick<RunState, 'goal' | 'settings' | 'pinned'>): Way {
  const named = settings.role === undefined ? null : [settings.role];
  return { mode: goal.mode, roles: pinned?.modes[goal.mode]?.steps ?? named };
}

/** A message that came after a goal's end is on its own account, which the next goal takes over where it becomes one (PR7). */
export function accountOf({ goal, cursor }: RunState): Account {
  const steering = steeringAt(cursor);
  return steering?.idle ? steering.spent : goal;
}

/** Whether the calls made here are held to the goal's budgets: not the wrap-up, and not between two goals. */
export function isCounted({ cursor }: RunState): boolean {
  return cursor.position.phase !== 'wrap_up' && !steeringAt(cursor)?.idle;
}

/** Whether a pause holds the run here: it goes on listening, so messages are understood all the same. */
export function isHeld({ people: { pausedAt, stop }, cursor }: RunState): boolean {
  return pausedAt !== null && stop === null && here(cursor).phase !== 'steering';
}

export function budgetUse({ goal, total }: RunState, now: number): BudgetUse {
  return {
    turns: goal.counters.turns,
    totalTurns: total.turns,
    tokens: budgetTokens(goal.usage),
    wallTimeMs: goalTimeMs(goal, now),
    costUsd: goal.usage.costUsd,
  };
}

// What a run tells of itself, and how well that is kept.

export interface Log extends Keeping {
  journal: Journal;
  trace: Trace;
  /** The blob store did not take a text: the journal has it, and less is hoped of the store from then on. */
  storeFailed: boolean;
}
