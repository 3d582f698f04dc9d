/** Where a run stands: a position, and what came in between, so that calling a mode again goes on right there. */

import type { ModelUse } from '../models/model-use.js';
import { NO_RETRIES } from '../models/model-use.js';
import type { EnvelopeMeta } from '../outputs/envelope.js';
import type { SpecialOutput } from '../outputs/special-output.js';
import { executionAt, type Interrupt, type Position, type Steering, taskOf } from '../position/position.js';
import type { ToolSession } from '../tools/tool-session.js';
import type { ToolUse } from '../tools/tool-use.js';

export interface Cursor {
  position: Position;
  /** What came in between, the last on top. */
  interrupts: Interrupt[];
  /** Kept until the next question: a position that waits for a person after it may be entered again. */
  answered: RoleAnswer | null;
  /** Key of the last review in the journal: a position that is entered again does not tell of it twice. */
  reviewed: string | null;
  /** The tasks that run side by side, with those that have ended since the first of them began. */
  branches: Branch[];
}

/** A task that runs beside others: a position of its own, and what is counted by position. */
export interface Branch
  extends Pick<ToolUse, 'badCalls' | 'inFlight' | 'sessions'>,
    Pick<ModelUse, 'retries'> {
  taskId: string;
  cursor: Cursor;
}

/** What a second role answered to the question of this key. */
export interface RoleAnswer {
  key: string;
  /** Of the question's contract; null: nothing that can be read. */
  value: unknown;
  envelope: EnvelopeMeta | null;
  /** What the role said where it could not answer. */
  special: SpecialOutput | null;
}

export function cursorAt(position: Position): Cursor {
  return { position, interrupts: [], answered: null, reviewed: null, branches: [] };
}

/** What is at hand: the last that came in between, else the position itself. */
export function here({ position, interrupts }: Cursor): Position | Interrupt {
  return interrupts.at(-1) ?? position;
}

/** The messages that are being understood; null for none. */
export function steeringAt({ interrupts }: Cursor): Steering | null {
  return interrupts.find(each => each.phase === 'steering') ?? null;
}

/** The task that a call made here is for: a second role is asked about that of the position, a message is about none. */
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

/** What is at hand, then what waits behind it, down to the position. */
export function levels({ position, interrupts }: Cursor): (Position | Interrupt)[] {
  return [position, ...interrupts].reverse();
}

/** Whether what is at hand came in between tool calls and their results. */
export function isAmidCalls(cursor: Cursor): boolean {
  return levels(cursor)
    .slice(1)
    .some(({ turns }) => turns.batch !== null);
}

export function newBranch(taskId: string, cycle: number, sessions: ToolSession[] = []): Branch {
  const position = executionAt(cycle, { kind: 'work', taskId });
  return { taskId, cursor: cursorAt(position), badCalls: {}, inFlight: [], sessions, retries: NO_RETRIES };
}
