/** A run's present place: a position and its interruptions, so that calling a mode again continues exactly there. */

import type { ModelUse } from '../models/model-use.js';
import { NO_RETRIES } from '../models/model-use.js';
import type { EnvelopeMeta } from '../outputs/envelope.js';
import type { SpecialOutput } from '../outputs/special-output.js';
import { executionAt, type Interrupt, type Position, type Steering, taskOf } from '../position/position.js';
import type { ToolSession } from '../tools/tool-session.js';
import type { ToolUse } from '../tools/tool-use.js';

export interface Cursor {
  position: Position;
  /** The interruptions, the latest last. */
  interrupts: Interrupt[];
  /** The answer to the last question, kept until the next: a position may wait for a person and be entered again before it. */
  answered: RoleAnswer | null;
  /** Key of the journal's last review: a position that is entered again does not record it twice. */
  reviewed: string | null;
  /** Tasks that run in parallel, with those that ended since the first of them began. */
  branches: Branch[];
}

/** A task that runs in parallel with others, with its own position and the counts that belong to a position. */
export interface Branch
  extends Pick<ToolUse, 'badCalls' | 'inFlight' | 'sessions'>,
    Pick<ModelUse, 'retries'> {
  taskId: string;
  cursor: Cursor;
}

/** A second role's answer to the question with this key. */
export interface RoleAnswer {
  key: string;
  /** The output in the question's contract; null: unreadable. */
  value: unknown;
  envelope: EnvelopeMeta | null;
  /** The special reply of a role that could not answer. */
  special: SpecialOutput | null;
}

export function cursorAt(position: Position): Cursor {
  return { position, interrupts: [], answered: null, reviewed: null, branches: [] };
}

/** Returns the latest interruption, else the position itself. */
export function here({ position, interrupts }: Cursor): Position | Interrupt {
  return interrupts.at(-1) ?? position;
}

/** Returns the interruption whose messages are being understood; null without one. */
export function steeringAt({ interrupts }: Cursor): Steering | null {
  return interrupts.find(each => each.phase === 'steering') ?? null;
}

/** Returns the task of a call made here: a second role is asked about the position's task, a message belongs to no task. */
export function taskAt(cursor: Cursor): string | null {
  return here(cursor).phase === 'steering' ? null : taskOf(cursor.position);
}

export function tasksAt(cursor: Cursor): string[] {
  const branches = cursor.branches.filter(isAtWork).map(({ taskId }) => taskId);
  const own = taskAt(cursor);
  return own === null ? branches : [own, ...branches];
}

export function isAtWork({ cursor }: Branch): boolean {
  return taskOf(cursor.position) !== null;
}

export function callsNext(branch: Branch): boolean {
  const at = here(branch.cursor);
  const isTurn = at.phase === 'consultation' || (at.phase === 'execution' && at.step.kind === 'work');
  return isTurn && at.turns.batch === null && at.turns.failure === null;
}

export function hasOpenBatch(cursor: Cursor): boolean {
  return here(cursor).turns.batch !== null;
}

/** Returns the current level, then those that wait behind it, down to the position. */
export function levels({ position, interrupts }: Cursor): (Position | Interrupt)[] {
  return [position, ...interrupts].reverse();
}

/** True if the current interruption came between tool calls and their results. */
export function isAmidCalls(cursor: Cursor): boolean {
  return levels(cursor)
    .slice(1)
    .some(({ turns }) => turns.batch !== null);
}

export function newBranch(taskId: string, cycle: number, sessions: ToolSession[] = []): Branch {
  const position = executionAt(cycle, { kind: 'work', taskId });
  return { taskId, cursor: cursorAt(position), badCalls: {}, inFlight: [], sessions, retries: NO_RETRIES };
}
