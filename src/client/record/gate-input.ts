/** Reads all arguments of a gate's tool call: the gate itself has only the beginning of large arguments. */
import type { Gate } from '../../run/gates/gate.js';
import { toolRequestQuery } from '../../workflows/run/definitions.js';
import { askRun } from '../connection/ask-run.js';
import type { Temporal } from '../connection/connect.js';

export type ToolInput = Record<string, unknown>;

const TIMEOUT_MS = 5_000;

/** Returns the arguments of the gate's only call; null for other gates, and if no worker answers. */
export async function gateInput(temporal: Temporal, id: string, gate: Gate): Promise<ToolInput | null> {
  if (gate.kind !== 'approval' && gate.kind !== 'clientTool') return null;
  // A gate of several calls shows all of them.
  if ('calls' in gate.subject) return null;
  const asking = { id: gate.from?.run ?? id, timeoutMs: TIMEOUT_MS };
  return askRun(temporal, asking, toolRequestQuery, gate.subject.callId).catch(() => null);
}
