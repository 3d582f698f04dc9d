/** What the tools of `core/tools/workflow-tools.ts` do: the run itself carries them out. */
import type { CallToolResult } from '../../../activities/types.js';
import type { CallFailure } from '../../../core/limits/failure.js';
import type { ToolDefinition } from '../../../core/tools/tool.js';
import type { WorkflowToolName } from '../../../core/tools/workflow-tools.js';
import type { Called } from '../../ports.js';
import type { Run } from '../../run.js';
import { changeArtifact, listArtifacts, readArtifact } from './artifact-tools.js';
import { callSubagent } from './call-subagent.js';
import type { WorkflowToolCall, WorkflowToolRunner } from './workflow-tool-call.js';

const RUNNERS: Record<WorkflowToolName, WorkflowToolRunner> = {
  call_subagent: async (run, call) => ({ ok: true, value: await callSubagent(run, call) }),
  create_artifact: changeArtifact('create_artifact'),
  update_artifact: changeArtifact('update_artifact'),
  rewrite_artifact: changeArtifact('rewrite_artifact'),
  read_artifact: readArtifact,
  list_artifacts: listArtifacts,
};

/** Carries out a call of one of the run's own tools. */
export function runWorkflowTool(
  run: Run,
  { name }: Pick<ToolDefinition, 'name'>,
  call: WorkflowToolCall,
): Promise<Called<CallToolResult>> {
  const runners: Partial<Record<string, WorkflowToolRunner>> = RUNNERS;
  return runners[name]?.(run, call) ?? Promise.resolve({ ok: false, failure: notKnown(name) });
}

/** A run that another version of the program pinned may name a tool that this one does not have. */
function notKnown(name: string): CallFailure {
  return { kind: 'application', type: '', message: `This worker has no tool ${name}.` };
}
