/** Runs the tools of `run/tools/workflow-tools.ts`, which the workflow itself carries out. */
import type { CallToolResult } from '../../../activities/types.js';
import { MAX_JSON_DEPTH, nestsDeeper } from '../../../base/json/json.js';
import type { CallFailure } from '../../../run/limits/failure.js';
import type { ToolDefinition } from '../../../run/tools/tool.js';
import type { OwnCall, OwnRunner } from '../../beside/feature.js';
import { ownRunner } from '../../beside/moments.js';
import { keepText } from '../../run/keep-text.js';
import type { Called, WorkflowEnd } from '../../run/ports.js';
import type { Run } from '../../run/run.js';
import { callSubagent } from './call-subagent.js';
import { toolRequest } from './tool-request.js';

type Ended = Called<CallToolResult>;

const RUNNERS: Readonly<Record<string, OwnRunner<Run>['run']>> = { call_subagent: callSubagent };

/** Carries out a call of one of the run's own tools. */
export function runWorkflowTool(
  run: Run,
  { name }: Pick<ToolDefinition, 'name'>,
  call: OwnCall,
): Promise<Ended> {
  const runner = RUNNERS[name] ?? ownRunner(run, name)?.run;
  // Another version of the program may have pinned a tool that this version lacks.
  return runner?.(run, call) ?? Promise.resolve(failed(`This worker has no tool ${name}.`));
}

export function failed(message: string, kind: CallFailure['kind'] = 'application'): Ended {
  return { ok: false, failure: { kind, type: '', message } };
}

/** The limit of large tool results: the rest is read by reference. */
const WHOLE_BYTES = 16_384;

export async function callWorkflow(
  run: Run,
  tool: ToolDefinition,
  { role, callId, toolUseId, input: given }: Omit<OwnCall, 'options'>,
): Promise<Ended> {
  const { ports } = run;
  if (tool.origin.type !== 'child_workflow') throw new Error(`${tool.name} is no workflow`);
  const { workflow, taskQueue } = tool.origin;
  const { input, options: plain } = toolRequest(run, tool, { callId, toolUseId, given });
  // The workflow decides how it handles a cancellation, so a stop may always request one.
  const options = { ...plain, interruptible: true };
  const begun = ports.now();
  const called = await run.call({ kind: 'tool', role }, options, () =>
    ports.callWorkflow({ workflow, ...(taskQueue && { taskQueue }), check: input }, options),
  );
  if (!called.ok) return called;
  if (called.value.kind === 'returned' && nestsDeeper(called.value.value, MAX_JSON_DEPTH))
    // Workers in other languages may return this.
    return failed(
      `The workflow has ended. What it returned is nested deeper than ${MAX_JSON_DEPTH} levels, and not read.`,
    );
  const result = await resultOf(run, callId, called.value);
  return { ok: true, value: { ...result, durationMs: ports.now() - begun } };
}

async function resultOf(
  run: Run,
  callId: string,
  end: WorkflowEnd,
): Promise<Omit<CallToolResult, 'durationMs'>> {
  if (end.kind === 'refused') return { ending: end.ending, note: end.note, content: [], isError: true };
  const output = end.kind === 'threw' ? end.why : textOf(end.value);
  const text = await keepText(run, `result-${callId}`, output, WHOLE_BYTES);
  return {
    ending: 'executed',
    content: text === '' ? [] : [{ type: 'text', text }],
    isError: end.kind === 'threw',
  };
}

/** Returns a text as it is, any other value as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
