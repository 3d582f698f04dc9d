/** What the tools of `run/tools/workflow-tools.ts` do: the run itself carries them out. */
import type { CallToolResult } from '../../../activities/types.js';
import { MAX_JSON_DEPTH, nestsDeeper } from '../../../base/json/json.js';
import { fill, wordsForNotes } from '../../../base/words/words.js';
import { READ_RESULT } from '../../../conversation/tool-result.js';
import type { CallFailure } from '../../../run/limits/failure.js';
import {
  type ArtifactChange,
  decideArtifact,
  editedArtifactNote,
  findArtifact,
  listedArtifact,
  withArtifact,
} from '../../../run/outputs/artifacts.js';
import { inlineInput } from '../../../run/tools/ledger.js';
import type { ToolDefinition } from '../../../run/tools/tool.js';
import type { WorkflowToolName } from '../../../run/tools/workflow-tools.js';
import type { Called, WorkflowEnd } from '../../run/ports.js';
import type { Run } from '../../run/run.js';
import { keepText } from '../keep-text.js';
import { callSubagent } from './call-subagent.js';
import {
  factsOf,
  said,
  toolRequest,
  type WorkflowToolCall,
  type WorkflowToolRunner,
} from './tool-request.js';

type Ended = Called<CallToolResult>;

const RUNNERS: Record<WorkflowToolName, WorkflowToolRunner> = {
  call_subagent: callSubagent,
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
): Promise<Ended> {
  const runners: Partial<Record<string, WorkflowToolRunner>> = RUNNERS;
  // A run that another version of the program pinned may name a tool that this one does not have.
  return runners[name]?.(run, call) ?? Promise.resolve(failed(`This worker has no tool ${name}.`));
}

function failed(message: string, kind: CallFailure['kind'] = 'application'): Ended {
  return { ok: false, failure: { kind, type: '', message } };
}

/** As large tool results are: the rest is read by reference. */
const WHOLE_BYTES = 16_384;

export async function callWorkflow(
  run: Run,
  tool: ToolDefinition,
  { role, callId, toolUseId, input: given }: Omit<WorkflowToolCall, 'options'>,
): Promise<Ended> {
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
    // As workers of other languages may give one.
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
  const said = end.kind === 'threw' ? end.why : textOf(end.value);
  const text = await keepText(run, `result-${callId}`, said, WHOLE_BYTES);
  return {
    ending: 'executed',
    content: text === '' ? [] : [{ type: 'text', text }],
    isError: end.kind === 'threw',
  };
}

/** A text as it is, any other value as JSON. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const PAGE_BYTES = 15 * 1024;

function changeArtifact(tool: ArtifactChange) {
  return (run: Run, call: WorkflowToolCall): Promise<Ended> => inTurn(run, () => change(run, tool, call));
}

/** One change after the other, also where tasks run side by side: each is made to what is there. */
function inTurn(run: Run, make: () => Promise<Ended>): Promise<Ended> {
  const { memory } = run;
  const isStopped = () => run.state.people.stop !== null;
  const ended = memory.changing.then(() => (isStopped() ? failed('', 'cancelled') : make()));
  const over = () => {};
  memory.changing = ended.then(over, over);
  return ended;
}

async function change(run: Run, tool: ArtifactChange, call: WorkflowToolCall): Promise<Ended> {
  const { state, words } = run;
  const decided = decideArtifact(state.artifacts, tool, call.input, words);
  if ('fault' in decided) return said(decided.fault, true);
  const { edit, draft } = decided;
  const { workspace } = state.settings;
  const input = { callId: call.callId, tool, workspace, edit, ...inlineInput(call.input) };
  const called = await run.call({ kind: 'tool', role: call.role }, call.options, () =>
    run.ports.editArtifact(input, call.options),
  );
  if (!called.ok) return called;
  const edited = called.value;
  if ('fault' in edited && edited.fault === 'denied')
    return said(fill(words.noteDeniedByConfiguration, { tool }), true, 'denied');
  if ('fault' in edited) return said(editedArtifactNote(words, draft, edited), true);
  const artifacts = withArtifact(state.artifacts, draft, edited);
  if (!artifacts) return said(fill(words.noteArtifactFull, { count: state.artifacts.length }), true);
  state.artifacts = artifacts;
  run.show();
  return said(editedArtifactNote(words, draft, edited));
}

/** Its content is in the blob store, as large results are: the tool that pages those pages it. */
async function readArtifact(run: Run, call: WorkflowToolCall): Promise<Ended> {
  const { state, words, ports } = run;
  const { id, version, offset = 0 } = call.input;
  const wanted = typeof version === 'number' ? version : null;
  const found = findArtifact(state.artifacts, typeof id === 'string' ? id : '', wanted, words);
  if ('fault' in found) return said(found.fault, true);
  const { workspace } = state.settings;
  const { callId, toolUseId, options } = call;
  const spoken = wordsForNotes(run.pinned);
  const called = await run.call({ kind: 'tool', role: call.role }, options, () =>
    ports.callTool(
      {
        ...{ callId, toolUseId, tool: READ_RESULT, server: null, workspace },
        ...factsOf(run, { name: READ_RESULT }, { toolUseId, given: call.input }),
        arguments: { ref: found.ref, offset, length: PAGE_BYTES },
        timeoutMs: options.timeoutMs,
        idempotent: true,
        ...(spoken && { words: spoken }),
      },
      options,
    ),
  );
  if (!called.ok) return called;
  const which = fill(words.noteArtifactShown, { id: found.artifact.id, version: found.version });
  const note = [which, called.value.note].filter(Boolean).join(' ');
  return { ok: true, value: { ...called.value, note } };
}

async function listArtifacts({ state, words }: Run): Promise<Ended> {
  if (state.artifacts.length === 0) return said(words.noteArtifactNone);
  const content = [{ type: 'json' as const, value: state.artifacts.map(listedArtifact) }];
  return { ok: true, value: { ending: 'executed', content, isError: false, durationMs: 0 } };
}
