/** People's messages to a run, and what it waits for from them: handlers write it, the loop reads it. */
import type { Gate, GateAnswer } from '../gates/gate.js';
import type { Cause } from '../limits/cause.js';
import { emptyInbox, type Inbox } from '../steering/inbox.js';

/** An open gate, or one whose answer the loop has not read yet. */
export interface OpenGate {
  /** The subject of the gate, the same when the position is entered again: `approval:c12_1`. */
  key: string;
  gate: Gate;
  answer: GateAnswer | null;
  /** The sub-agent that owns the gate and gets the answer, and the gate's id there; absent for the run's own. */
  agent?: { id: string; gateId: string };
}

export interface StopRequest {
  at: number;
  reason: string;
  /** The cause of the goal's end, if it was not a person who stopped it. */
  cause?: Cause;
}

export interface People {
  inbox: Inbox;
  gates: OpenGate[];
  /** Ids of closed gates, the last 200. */
  closedGates: string[];
  /** Tools that a person allowed until the run ends. */
  allowedTools: string[];
  /** Set while a person holds the run before its next call. */
  pausedAt: number | null;
  stop: StopRequest | null;
  /** No further goal is wanted: a run that is kept open ends when its goal is answered. */
  finishing: boolean;
}

export function newPeople(): People {
  return {
    inbox: emptyInbox(),
    gates: [],
    closedGates: [],
    allowedTools: [],
    pausedAt: null,
    stop: null,
    finishing: false,
  };
}
