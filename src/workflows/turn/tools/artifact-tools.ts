/** The artifact tools: the inventory is the run's, contents go through activities. */
import type { CallToolResult } from '../../../activities/types.js';
import type { CallFailure } from '../../../core/limits/failure.js';
import { fill, wordsForNotes } from '../../../core/prompts/words.js';
import {
  type ArtifactChange,
  decideArtifact,
  editedArtifactNote,
  findArtifact,
  listedArtifact,
  withArtifact,
} from '../../../core/state/artifacts.js';
import { inlineInput } from '../../../core/tools/ledger.js';
import { READ_RESULT } from '../../../core/tools/tool-result.js';
import type { Called } from '../../ports.js';
import type { Run } from '../../run.js';
import { factsOf, said, type WorkflowToolCall } from './tool-request.js';

const PAGE_BYTES = 15 * 1024;

type Ended = Called<CallToolResult>;

export function changeArtifact(tool: ArtifactChange) {
  return (run: Run, call: WorkflowToolCall): Promise<Ended> => inTurn(run, () => change(run, tool, call));
}

/** One change after the other, also where tasks run side by side: each is made to what is there. */
function inTurn(run: Run, make: () => Promise<Ended>): Promise<Ended> {
  const { memory } = run;
  const isStopped = () => run.state.people.stop !== null;
  const ended = memory.changing.then(() =>
    isStopped() ? { ok: false as const, failure: CANCELLED } : make(),
  );
  const over = () => {};
  memory.changing = ended.then(over, over);
  return ended;
}

const CANCELLED: CallFailure = { kind: 'cancelled', type: '', message: '' };

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
export async function readArtifact(run: Run, call: WorkflowToolCall): Promise<Ended> {
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

export async function listArtifacts({ state, words }: Run): Promise<Ended> {
  if (state.artifacts.length === 0) return said(words.noteArtifactNone);
  const content = [{ type: 'json' as const, value: state.artifacts.map(listedArtifact) }];
  return { ok: true, value: { ending: 'executed', content, isError: false, durationMs: 0 } };
}
