/** The memory of a run during one segment. */

import type { AgentTotals } from '../../run/agents/children.js';
import type { FilesChanged } from '../../run/evidence/evidence.js';
import type { Limits } from '../../run/limits/limits.js';
import type { OpenGate } from '../../run/state/people.js';
import type { InboxItem } from '../../run/steering/inbox.js';
import { Offered } from './requests.js';

export interface CallInFlight {
  kind: 'model' | 'tool' | 'check';
  role: string;
  interruptible: boolean;
}

/** A message for an agent that is running. */
export interface PassedOn {
  agent: string;
  item: InboxItem;
  /** Its sender has withdrawn it, and the agent has not reported yet if that was in time. */
  takenBack?: boolean;
}

/** State that is never carried over, because nothing is in flight at a safe point. A run and its branches share it. */
export interface RunMemory {
  calls: Set<CallInFlight>;
  /** A write to the store is in progress: there is one at a time. */
  keeping: boolean;
  /** Bytes of the messages since the last write. */
  saidBytes: number;
  /** When the last write ended; 0 before the first of this segment. */
  keptAt: number;
  /** Number of changes to what tools read: a read that overlaps a change is not cached. */
  changes: number;
  /** The files that changed while a command ran, until its end is in the journal. */
  changedBy: Map<string, FilesChanged>;
  /** The requests that the worker has received: with another worker, or in another segment, they begin anew. */
  offered: Offered;
  /** Sub-agents in flight: gates that wait for space, what cancelled agents returned, the budget of each. */
  agents: {
    waiting: OpenGate[];
    rests: Map<string, AgentTotals>;
    leases: Map<string, Partial<Limits>>;
    /** Messages that were passed on and not read yet, by their ids. */
    passed: Map<string, PassedOn>;
  };
  /** The run is about to end, and waits for what features have in flight. */
  isResting: boolean;
  /** The memory of features, by their names: see `Held`. */
  features: Map<string, unknown>;
}

/** The memory of one feature during a segment. */
export class Held<M> {
  readonly #name: string;
  readonly #begins: () => M;

  constructor(name: string, begins: () => M) {
    this.#name = name;
    this.#begins = begins;
  }

  of({ memory: { features } }: { memory: RunMemory }): M {
    if (!features.has(this.#name)) features.set(this.#name, this.#begins());
    return features.get(this.#name) as M;
  }
}

export function newMemory(): RunMemory {
  return {
    calls: new Set(),
    keeping: false,
    saidBytes: 0,
    keptAt: 0,
    changes: 0,
    changedBy: new Map(),
    offered: new Offered(),
    agents: { waiting: [], rests: new Map(), leases: new Map(), passed: new Map() },
    isResting: false,
    features: new Map(),
  };
}

/** Returns the number of model calls in flight. */
export function modelCalls({ calls }: RunMemory): number {
  return [...calls].filter(({ kind }) => kind === 'model').length;
}
