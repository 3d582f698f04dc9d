/** What the branches of a run know of each other while they are at work: nothing of it is carried over. */
import type { Branch } from '../../core/state/cursor.js';

/** What a branch waits for at a gate. */
export interface Wait {
  isOver: () => boolean;
  deadline: number | null;
  what: string;
}

export class BranchGroup {
  /** Those that do something, or are about to: not those that wait for a person. */
  readonly working = new Set<object>();
  /** The others wait: what for. */
  readonly waits = new Map<Branch, Wait>();
  /** The main line is wanted: each branch gives way at its next safe point. */
  isCalled = false;
}
