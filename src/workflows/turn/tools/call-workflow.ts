/** A call of a tool that is a workflow of the application: it runs as a child of this run. */
import type { CallToolResult } from '../../../activities/types.js';
import type { CallFailure } from '../../../core/limits/failure.js';
import { MAX_JSON_DEPTH, nestsDeeper } from '../../../core/text/json.js';
import type { ToolDefinition } from '../../../core/tools/tool.js';
import type { Called, WorkflowEnd } from '../../ports.js';
import type { Run } from '../../run.js';
import { keepText } from '../keep-text.js';
import { toolRequest } from './tool-request.js';
import type { WorkflowToolCall } from './workflow-tool-call.js';

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
  const { input, options: plain } = toolRequest(run, tool, { callId, toolUseId, given });
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
