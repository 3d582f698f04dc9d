/** What the tools of `core/tools/workflow-tools.ts` do: the run itself carries them out. */
import type { CallToolResult } from '../../../activities/types.js';
import type { CallFailure } from '../../../core/limits/failure.js';
import { MAX_JSON_DEPTH, nestsDeeper } from '../../../core/text/json.js';
import type { ToolDefinition } from '../../../core/tools/tool.js';
import type { WorkflowToolName } from '../../../core/tools/workflow-tools.js';
import type { Called, WorkflowEnd } from '../../ports.js';
import type { Run } from '../../run.js';
import { keepText } from '../keep-text.js';
import { changeArtifact, listArtifacts, readArtifact } from './artifact-tools.js';
import { callSubagent } from './call-subagent.js';
import { toolRequest, type WorkflowToolCall, type WorkflowToolRunner } from './tool-request.js';

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

/** As large tool results are: the rest is read by reference. */
const WHOLE_BYTES = 16_384;

export async function callWorkflow(
  run: Run,
  tool: ToolDefinition,
  { role, callId, toolUseId, input: given }: Omit<WorkflowToolCall, 'options'>,
): Promise<Called<CallToolResult>> {
  const { ports } = run;
  if (tool.origin.type !== 'child_workflow') throw new Error(`${tool.name} is no workflow`);
  const { workflow, taskQueue } = tool.origin;
  const { input, options: plain } = toolRequest(run, tool, { role, callId, toolUseId, given });
  // How a workflow takes a cancellation is its own to say, so a stop may always ask it to end.
  const options = { ...plain, interruptible: true };
  const begun = ports.now();
  const called = await run.call({ kind: 'tool', role }, options, () =>
    ports.callWorkflow({ workflow, ...(taskQueue && { taskQueue }), check: input }, options),
  );
  if (!called.ok) return called;
  if (called.value.kind === 'returned' && nestsDeeper(called.value.value, MAX_JSON_DEPTH))
    return { ok: false, failure: TOO_DEEP };
  return {
    ok: true,
    value: { ...(await resultOf(run, callId, called.value)), durationMs: ports.now() - begun },
  };
}

async function resultOf(
  run: Run,
  callId: string,
  end: WorkflowEnd,
): Promise<Omit<CallToolResult, 'durationMs'>> {
  if (end.kind === 'refused') return { ending: end.ending, note: end.note, content: [], isError: true };
  const said = end.kind === 'threw' ? end.why : textOf(end.value);
  const text = await keepText(run, `result-${callId}`, said, WHOLE_BYTES);
  return {
    ending: 'executed',
    content: text === '' ? [] : [{ type: 'text', text }],
    isError: end.kind === 'threw',
  };
}

/** As workers of other languages may give one. */
const TOO_DEEP: CallFailure = {
  kind: 'application',
  type: '',
  message: `The workflow has ended. What it returned is nested deeper than ${MAX_JSON_DEPTH} levels, and not read.`,
};

/** A text as it is, any other value as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
