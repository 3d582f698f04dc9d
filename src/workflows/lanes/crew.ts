/** What the lanes of a run know of each other while they are at work: nothing of it is carried over. */
import type { Lane } from '../../core/state/cursor.js';

/** What a lane waits for at a gate. */
export interface Wait {
  isOver: () => boolean;
  deadline: number | null;
  what: string;
}

export class Crew {
  /** Those that do something, or are about to: not those that wait for a person. */
  readonly working = new Set<object>();
  /** The others wait: what for. */
  readonly waits = new Map<Lane, Wait>();
  /** The main line is wanted: each lane gives way at its next safe point. */
  isCalled = false;
}
