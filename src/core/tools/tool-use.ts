/** What a run keeps of the tools that it calls. */
import type { Ledger } from './ledger.js';
import { emptyLedger } from './ledger.js';
import type { ToolSession } from './tool-session.js';

export interface ToolUse {
  ledger: Ledger;
  /** Bad calls by tool in the task at hand. */
  badCalls: Record<string, number>;
  /** The calls in flight, by their index in the reply: for workers that ask for their arguments. */
  inFlight: { callId: string; index: number }[];
  /** With stateful servers, one for each at most: the latest is the last. */
  sessions: ToolSession[];
  /**
   * When the tools were listed last, and how often since the start; `changedIn`: the goal in which a server was
   * heard to have others since, which the next goal gets.
   */
  listed: { at: number; times: number; changedIn: number | null };
}

export function newToolUse(now: number): ToolUse {
  return {
    ledger: emptyLedger(),
    badCalls: {},
    inFlight: [],
    sessions: [],
    listed: { at: now, times: 0, changedIn: null },
  };
}
