/** Which calls of a reply run at the same time (C21). */
import { ledgerKey } from './ledger.js';
import type { ToolDefinition } from './tool.js';
import { statefulServer } from './tool-session.js';

/** A call that runs unasked, with the arguments that it runs with. */
export interface RunningCall {
  tool: ToolDefinition;
  input: Record<string, unknown>;
}

/**
 * Whether a call runs at the same time as those before it. What only reads runs beside what only reads, else what was
 * read could be taken for true after a write that it did not see; and the same call waits for its first result,
 * which may be given again.
 */
export function runsBeside(call: RunningCall, group: readonly RunningCall[]): boolean {
  const { tool, input } = call;
  if (!tool.policy.concurrent || statefulServer(tool) !== null) return false;
  const key = ledgerKey(tool.name, input);
  return group.every(
    other =>
      other.tool.policy.concurrent &&
      other.tool.policy.readOnly === tool.policy.readOnly &&
      ledgerKey(other.tool.name, other.input) !== key,
  );
}
