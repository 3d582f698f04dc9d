/** What the tools of `core/tools/workflow-tools.ts` do: the run itself carries them out. */
import type { CallToolResult } from '../../activities/types.js';
import type { CallFailure } from '../../core/failure.js';
import type { ToolDefinition } from '../../core/tools/tool.js';
import type { WorkflowToolName } from '../../core/tools/workflow-tools.js';
import type { Called, CallOptions } from '../ports.js';
import type { Run } from '../run.js';
import { callSubagent } from './call-subagent.js';

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
type Runner = (run: Run, call: WorkflowToolCall) => Promise<Called<CallToolResult>>;

const RUNNERS: Record<WorkflowToolName, Runner> = {
  call_subagent: async (run, call) => ({ ok: true, value: await callSubagent(run, call) }),
  list_artifacts: async () => executed('There are no artifacts yet.'),
};

/** Carries out a call of one of the run's own tools. */
export function runWorkflowTool(
  run: Run,
  { name }: Pick<ToolDefinition, 'name'>,
  call: WorkflowToolCall,
): Promise<Called<CallToolResult>> {
  const runners: Partial<Record<string, Runner>> = RUNNERS;
  return runners[name]?.(run, call) ?? Promise.resolve({ ok: false, failure: notKnown(name) });
}

/** A run that another version of the program pinned may name a tool that this one does not have. */
function notKnown(name: string): CallFailure {
  return { kind: 'application', type: '', message: `This worker has no tool ${name}.` };
}

/** What the run says of a call that it carried out. */
function executed(note: string): Called<CallToolResult> {
  return { ok: true, value: { ending: 'executed', note, content: [], isError: false, durationMs: 0 } };
}
