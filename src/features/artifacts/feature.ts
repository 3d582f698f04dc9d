/** Artifacts: named texts that a run stores apart from its conversation. Roles use them by tools that the run carries out. */
import type { CallToolResult } from '../../activities/types.js';
import { plainLine } from '../../base/text/plain-markdown.js';
import { preview } from '../../base/text/preview.js';
import { fill, wordsForNotes } from '../../base/words/words.js';
import { READ_RESULT } from '../../conversation/tool-result.js';
import { section } from '../../rules/steering/status.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools } from '../../run/agents/run-config.js';
import { textOf } from '../../run/messages/message.js';
import type { RunState } from '../../run/state/run-state.js';
import { inlineInput } from '../../run/tools/ledger.js';
import type { Feature, OwnCall, OwnRunner } from '../../workflows/beside/feature.js';
import { Held } from '../../workflows/run/memory.js';
import type { Called } from '../../workflows/run/ports.js';
import type { Run } from '../../workflows/run/run.js';
import { factsOf, noteResult } from '../../workflows/turn/tools/tool-request.js';
import { failed } from '../../workflows/turn/tools/workflow-tools.js';
import {
  type ArtifactChange,
  type ArtifactEdited,
  decideArtifact,
  EDIT_ARTIFACT,
  type EditArtifactInput,
  editedArtifactNote,
  findArtifact,
  inventory,
  inventoryText,
  listedArtifact,
  withArtifact,
} from './rules.js';
import type { ArtifactTool } from './tools.js';

type Ended = Called<CallToolResult>;

const RUNNERS: Readonly<Record<ArtifactTool, OwnRunner<Run>>> = {
  create_artifact: { run: changeArtifact('create_artifact'), writes: true },
  update_artifact: { run: changeArtifact('update_artifact'), writes: true },
  rewrite_artifact: { run: changeArtifact('rewrite_artifact'), writes: true },
  read_artifact: { run: readArtifact },
  list_artifacts: { run: listArtifacts },
};

export const artifacts: Feature<Run> = {
  name: 'artifacts',
  slice: inventory,
  seen: state => ({ artifacts: [...inventory.of(state)] }),
  status,
  tools: RUNNERS,
  values: { ARTIFACTS: state => inventoryText(inventory.of(state)) },
  beforeCall: tellInventory,
};

/** Resolves when the last change has been made. */
const changes = new Held('artifacts', () => ({ changing: Promise.resolve() }));

const EDIT_MS = 60_000;

const PAGE_BYTES = 15 * 1024;

function changeArtifact(tool: ArtifactChange) {
  return (run: Run, call: OwnCall): Promise<Ended> => inTurn(run, () => change(run, tool, call));
}

/** Makes one change after the other, even for parallel tasks, because each edits the current content. */
function inTurn(run: Run, make: () => Promise<Ended>): Promise<Ended> {
  const held = changes.of(run);
  const isStopped = () => run.state.people.stop !== null;
  const ended = held.changing.then(() => (isStopped() ? failed('', 'cancelled') : make()));
  const over = () => {};
  held.changing = ended.then(over, over);
  return ended;
}

async function change(run: Run, tool: ArtifactChange, call: OwnCall): Promise<Ended> {
  const { state, words } = run;
  const decided = decideArtifact(inventory.of(state), tool, call.input, words);
  if ('fault' in decided) return noteResult(decided.fault, true);
  const { edit, draft } = decided;
  const { workspace } = state.settings;
  const input: EditArtifactInput = {
    ...{ callId: call.callId, tool, workspace, edit },
    ...inlineInput(call.input),
  };
  const called = await run.call({ kind: 'tool', role: call.role }, call.options, () =>
    run.ports.activity(EDIT_ARTIFACT, input, { ...call.options, timeoutMs: EDIT_MS }),
  );
  if (!called.ok) return called;
  // The cast is safe: `worker.ts` has an activity of these types under this name.
  const edited = called.value as ArtifactEdited;
  if ('fault' in edited && edited.fault === 'denied')
    return noteResult(fill(words.noteDeniedByConfiguration, { tool }), true, 'denied');
  if ('fault' in edited) return noteResult(editedArtifactNote(words, draft, edited), true);
  const artifacts = withArtifact(inventory.of(state), draft, edited);
  if (!artifacts)
    return noteResult(fill(words.noteArtifactFull, { count: inventory.of(state).length }), true);
  inventory.set(state, artifacts);
  run.show();
  return noteResult(editedArtifactNote(words, draft, edited));
}

/** Reads a page by `read_result`, because contents are in the blob store like large results. */
async function readArtifact(run: Run, call: OwnCall): Promise<Ended> {
  const { state, words, ports } = run;
  const { id, version, offset = 0 } = call.input;
  const wanted = typeof version === 'number' ? version : null;
  const found = findArtifact(inventory.of(state), typeof id === 'string' ? id : '', wanted, words);
  if ('fault' in found) return noteResult(found.fault, true);
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
  const artifacts = inventory.of(state);
  if (artifacts.length === 0) return noteResult(words.noteArtifactNone);
  const content = [{ type: 'json' as const, value: artifacts.map(listedArtifact) }];
  return { ok: true, value: { ending: 'executed', content, isError: false, durationMs: 0 } };
}

/**
 * Adds the list of artifacts to the thread of a role that uses them, if it has changed. It goes at the end, so that endpoints'
 * caches stay valid. A trim may drop it: that one call goes without it, and it is told again before the next.
 */
function tellInventory(run: Run, role: PinnedRole): void {
  const { state, words } = run;
  const thread = run.threadOf(role);
  const isOurs = ({ name }: { name: string }) => Object.hasOwn(RUNNERS, name);
  if (!offeredTools(run.pinned, role).some(tool => tool.origin.type === 'workflow' && isOurs(tool))) return;
  const lastList = thread.messages.findLast(
    message => message.kind === 'user' && message.purpose === 'inventory',
  );
  const held = lastList ? textOf(lastList) : null;
  const known = inventory.of(state);
  if (held === null && known.length === 0) return;
  const text = `${words.artifacts}\n${inventoryText(known)}`;
  if (text !== held) run.say(thread, 'inventory', text);
}

function status(state: RunState): string {
  const lines = inventory
    .of(state)
    .map(
      ({ id, type, title, version, bytes }) =>
        `- ${plainLine(id)} · ${plainLine(type)} · version ${version} · ${bytes} bytes · ${plainLine(preview(title, 80))}`,
    );
  return section('Artifacts', lines);
}
