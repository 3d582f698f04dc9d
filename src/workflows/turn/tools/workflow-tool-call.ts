/** A call of one of the run's own tools, and what a runner of one gives back. */
import type { CallToolResult } from '../../../activities/types.js';
import type { Called, CallOptions } from '../../ports.js';
import type { Run } from '../../run.js';

export interface WorkflowToolCall {
  /** Who calls. */
  role: string;
  callId: string;
  toolUseId: string;
  /** Checked against the schema. */
  input: Record<string, unknown>;
  /** For the activity that it may need. */
  options: CallOptions;
}

/**
 * A fault of the call, such as an unknown id, is a result that says so. A failure is for what its activity could not
 * do: it is made again, or ends the call, as with any tool.
 */
export type WorkflowToolRunner = (run: Run, call: WorkflowToolCall) => Promise<Called<CallToolResult>>;

/** A result in the run's own words. */
export function said(note: string, isError = false): Called<CallToolResult> {
  return { ok: true, value: { ending: 'executed', note, content: [], isError, durationMs: 0 } };
}
