/** A run's complete state, as one JSON value: continue-as-new carries it, the simulation re-enters it, `show` reads it. */

import { type Children, noChildren } from '../agents/children.js';
import type { PinnedRun, RunSettings } from '../agents/run-config.js';
import { budgetTokens } from '../limits/budget-tokens.js';
import type { Cause, Outcome } from '../limits/cause.js';
import type { BudgetUse, Limits } from '../limits/limits.js';
import type { Account, UsageEntry } from '../limits/usage-by.js';
import { NO_USAGE, type Usage } from '../messages/message.js';
import { type ModelUse, newModelUse } from '../models/model-use.js';
import type { Task } from '../plan/plan.js';
import { firstPosition, type ModeChoice } from '../position/modes.js';
import { newToolUse, type ToolUse } from '../tools/tool-use.js';
import { type Cursor, cursorAt, here, steeringAt } from './cursor.js';
import { type GoalRecord, type GoalState, goalTimeMs, newGoal } from './goal.js';
import { type Journal, newJournal } from './journal.js';
import { newPeople, type People } from './people.js';
import { type Keeping, newKeeping } from './stored-line.js';
import type { Threads } from './thread.js';

export interface RunState {
  settings: RunSettings;
  /** Null until the run is loaded. */
  pinned: PinnedRun | null;
  /** Limits that were set after the start. */
  limits: Partial<Limits>;
  startedAt: number;
  /** 1, plus 1 at each continue-as-new. */
  segment: number;
  /** Temporal run id of the previous segment: `watch` walks the chain. */
  previousRunId: string | null;
  /** Source of message and call ids. */
  lastId: number;
  goal: GoalState;
  goals: GoalRecord[];
  /** The time since which the goal is answered without a new one; null while a goal is pursued. */
  idleSince: number | null;
  cursor: Cursor;
  threads: Threads;
  tasks: Task[];
  models: ModelUse;
  tools: ToolUse;
  people: People;
  /** Over all goals, also between two; `turns` are model replies, `usageBy` the parts of `usage`. */
  total: { usage: Usage; turns: number; usageBy: UsageEntry[] };
  /** Sub-agents: running ones are in flight, so no agent is open at a safe point. */
  children: Children;
  log: Log;
  /** State of features, by their names: see `slice.ts`. */
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
    // The complete text until it is added to a thread.
    goal: { ...newGoal(1, '', { mode: settings.mode, startedAt: now }), text: goal },
    goals: [],
    idleSince: null,
    cursor: cursorAt(firstPosition(settings.mode)),
    threads: {},
    tasks: [],
    models: newModelUse(settings.knownModels),
    tools: newToolUse(now),
    people: newPeople(),
    total: { usage: NO_USAGE, turns: 0, usageBy: [] },
    children: noChildren(),
    log: { journal: newJournal(), storeFailed: false, ...newKeeping() },
    features: {},
    shown: {},
    end: null,
  };
}

type Choosing = Pick<RunState, 'goal' | 'settings' | 'pinned'>;

export function modeOf({ goal, settings, pinned }: Choosing): ModeChoice {
  const named = settings.role === undefined ? null : [settings.role];
  return { mode: goal.mode, roles: pinned?.modes[goal.mode]?.steps ?? named };
}

/** The account in use. A message after a goal's end has its own, which the next goal takes over if it becomes one (PR7). */
export function accountOf({ goal, cursor }: RunState): Account {
  const steering = steeringAt(cursor);
  return steering?.idle ? steering.spent : goal;
}

/** True if calls made here count against the goal's budgets: not in the wrap-up, and not between two goals. */
export function isCounted({ cursor }: RunState): boolean {
  return cursor.position.phase !== 'wrap_up' && !steeringAt(cursor)?.idle;
}

/** True if a pause holds the run here. It does not hold steering, so messages are still understood. */
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

// The run's own records, and the state of their storage.

export interface Log extends Keeping {
  journal: Journal;
  /** The blob store refused a text: the journal has a warning, and the run relies less on the store from then on. */
  storeFailed: boolean;
}
