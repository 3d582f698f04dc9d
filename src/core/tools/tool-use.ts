/** What a run keeps of the tools that it calls. */
import type { Ledger } from './ledger.js';
import { emptyLedger } from './ledger.js';

export interface ToolUse {
  ledger: Ledger;
  /** Bad calls by tool in the task at hand. */
  badCalls: Record<string, number>;
  /** The calls in flight, by their index in the reply: for workers that ask for their arguments. */
  inFlight: { callId: string; index: number }[];
}

export function newToolUse(): ToolUse {
  return { ledger: emptyLedger(), badCalls: {}, inFlight: [] };
}
