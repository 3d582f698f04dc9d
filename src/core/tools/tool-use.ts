/** What a run keeps of the tools that it calls. */
import type { Ledger } from './ledger.js';
import { emptyLedger } from './ledger.js';

export interface ToolUse {
  ledger: Ledger;
  /** Bad calls by tool in the task at hand. */
  badCalls: Record<string, number>;
  /** Id of the call in flight, for the worker that asks for its arguments. */
  callId: string | null;
}

export function newToolUse(): ToolUse {
  return { ledger: emptyLedger(), badCalls: {}, callId: null };
}
