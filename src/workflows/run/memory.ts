/** What a run holds in memory while a part of it runs, from one continue-as-new to the next. */

import type { AgentRest } from '../../run/agents/children.js';
import type { FormAnswer } from '../../run/gates/gate.js';
import type { Limits } from '../../run/limits/limits.js';
import type { OpenGate } from '../../run/state/people.js';
import type { InboxItem } from '../../run/steering/inbox.js';
import { Offered } from './requests.js';

export interface CallInFlight {
  kind: 'model' | 'tool' | 'check';
  role: string;
  interruptible: boolean;
}

/** A message for an agent that is at work. */
export interface PassedOn {
  agent: string;
  item: InboxItem;
  /** Its sender has taken it back, and the agent has not said yet whether that was in time. */
  takenBack?: boolean;
}

/** What is never carried over, for nothing is in flight at a safe point: one for a run and its branches. */
export interface RunMemory {
  calls: Set<CallInFlight>;
  /** What was said is being kept in the store: one at a time. */
  keeping: boolean;
  /** Of the messages that were said since the last time. */
  saidBytes: number;
  /** How often something may have changed what tools read: a read that was under way meanwhile is not given again. */
  changes: number;
  /** What the worker was given of requests: another worker, and another part, begin anew. */
  offered: Offered;
  /** Of sub-agents in flight: gates that there is no room for yet, what those leave that were cancelled, what each may use. */
  agents: {
    waiting: OpenGate[];
    rests: Map<string, AgentRest>;
    leases: Map<string, Partial<Limits>>;
    /** Messages that were passed on and that nobody has read yet, by their ids. */
    passed: Map<string, PassedOn>;
  };
  /** What tool servers ask for calls in flight, by key; null while nobody has answered. */
  forms: Map<string, FormAnswer | null>;
  /** The run is about to end, and waits for what features have in flight. */
  isResting: boolean;
  /** What features hold, by their names: see `Held`. */
  features: Map<string, unknown>;
}

/** What one feature holds in memory while a part of a run runs. */
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
    changes: 0,
    offered: new Offered(),
    agents: { waiting: [], rests: new Map(), leases: new Map(), passed: new Map() },
    forms: new Map(),
    isResting: false,
    features: new Map(),
  };
}

/** How many are in flight. */
export function modelCalls({ calls }: RunMemory): number {
  return [...calls].filter(({ kind }) => kind === 'model').length;
}
