/** Artifacts: named texts apart from the conversation. The state has the inventory, the blob store has their contents. */

import { jsonBytes, stringOr, without } from '../../base/json/json.js';
import { cutText } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { delimit } from '../../base/words/prompt.js';
import { fill, type Words } from '../../base/words/words.js';
import { type Artifact, contentOf } from '../../run/outputs/artifact.js';
import { Slice } from '../../run/state/slice.js';

/** Limit of the inventory; contents are in the blob store. */
const ARTIFACTS_BYTES = 12_000;

/** Artifacts of all goals, in the order in which they were created. */
export const inventory = new Slice<readonly Artifact[]>('artifacts', {
  initial: () => [],
  bytes: ARTIFACTS_BYTES,
  earlier: state => {
    const { artifacts } = state;
    delete state.artifacts;
    return artifacts as Artifact[] | undefined;
  },
});

/** The type of the activity on the wire. */
export const EDIT_ARTIFACT = 'steersmanEditArtifact';

export interface EditArtifactInput {
  callId: string;
  tool: string;
  workspace: string;
  edit: ArtifactEdit;
  /** Small arguments of the call; larger ones are read by the query `toolRequest`. */
  arguments?: Record<string, unknown>;
}

/** The change of content. `replace` replaces a text that occurs exactly once in the content `ref`. */
export type ArtifactEdit = { kind: 'write' } | { kind: 'replace'; ref: string };

/** The new content, or why nothing changed. `matches`: how often the old text was found. */
export type ArtifactEdited =
  | { ref: string; bytes: number }
  /** Denied by the worker's current configuration. */
  | { fault: 'denied' }
  | { fault: 'gone' }
  | { fault: 'matches'; count: number }
  | { fault: 'too_large'; bytes: number };

/** Id and type of the leading role's plan; no other artifact may have either. */
export const TASK_PLAN = 'task_plan';

export const MOST_ARTIFACTS = 40;
/** Limit of one artifact's content, in UTF-8. */
export const MOST_ARTIFACT_BYTES = 1_000_000;

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const TYPE_BYTES = 80;
const TITLE_BYTES = 200;

export type ArtifactChange = 'create_artifact' | 'update_artifact' | 'rewrite_artifact';

/** The artifact after a change, without the fields that only the store knows. */
export type ArtifactDraft = Pick<Artifact, 'id' | 'type' | 'title' | 'version'>;

export type ArtifactDecision = { edit: ArtifactEdit; draft: ArtifactDraft } | { fault: string };

/** Decides a change; `fault`: the note to the model if it is refused. */
export function decideArtifact(
  artifacts: readonly Artifact[],
  tool: ArtifactChange,
  input: Readonly<Record<string, unknown>>,
  words: Words,
): ArtifactDecision {
  const id = stringOr(input.id, '');
  if (tool === 'create_artifact') return decideCreation(artifacts, id, input, words);
  const found = artifacts.find(each => each.id === id);
  if (!found) return { fault: unknownArtifact(artifacts, id, words) };
  const { version } = found;
  const { expectedVersion: expected = version } = input;
  if (expected !== version)
    return { fault: fill(words.noteArtifactVersion, { id, version, expected: String(expected) }) };
  // Arguments match the schema, but a person's edits may not.
  const title = cutText(stringOr(input.title, ''), TITLE_BYTES) || found.title;
  return {
    edit: tool === 'update_artifact' ? { kind: 'replace', ref: found.ref } : { kind: 'write' },
    draft: { id, type: found.type, title, version: version + 1 },
  };
}

function decideCreation(
  artifacts: readonly Artifact[],
  id: string,
  input: Readonly<Record<string, unknown>>,
  words: Words,
): ArtifactDecision {
  const type = cutText(stringOr(input.type, ''), TYPE_BYTES);
  if (!ID.test(id)) return { fault: words.noteArtifactId };
  if ((id === TASK_PLAN) !== (type === TASK_PLAN)) return { fault: words.noteArtifactReserved };
  const found = artifacts.find(each => each.id === id);
  if (found) return { fault: fill(words.noteArtifactExists, { id, version: found.version }) };
  if (artifacts.length >= MOST_ARTIFACTS)
    return { fault: fill(words.noteArtifactFull, { count: artifacts.length }) };
  const title = cutText(stringOr(input.title, ''), TITLE_BYTES) || id;
  return { edit: { kind: 'write' }, draft: { id, type, title, version: 1 } };
}

/** Returns the inventory after a change, without old versions that exceed its limit; null if it does not fit even so. */
export function withArtifact(
  artifacts: readonly Artifact[],
  draft: ArtifactDraft,
  { ref, bytes }: Pick<Artifact, 'ref' | 'bytes'>,
): Artifact[] | null {
  const before = artifacts.find(({ id }) => id === draft.id);
  const versions = before ? [...before.versions, before.ref] : [];
  const changed: Artifact = { ...draft, ref, bytes, versions };
  let kept = before ? artifacts.map(each => (each === before ? changed : each)) : [...artifacts, changed];
  while (jsonBytes(kept) > ARTIFACTS_BYTES) {
    const most = Math.max(...kept.map(each => each.versions.length));
    if (most === 0) return null;
    kept = kept.map(each =>
      each.versions.length === most ? { ...each, versions: each.versions.slice(1) } : each,
    );
  }
  return kept;
}

export function findArtifact(
  artifacts: readonly Artifact[],
  id: string,
  version: number | null,
  words: Words,
): { artifact: Artifact; ref: string; version: number } | { fault: string } {
  const artifact = artifacts.find(each => each.id === id);
  if (!artifact) return { fault: unknownArtifact(artifacts, id, words) };
  const wanted = version ?? artifact.version;
  const ref = contentOf(artifact, wanted);
  return ref === null
    ? { fault: fill(words.noteArtifactNoVersion, { id, version: wanted, latest: artifact.version }) }
    : { artifact, ref, version: wanted };
}

/** Replaces the one occurrence of `oldText`, else returns how often it occurs. Empty text occurs nowhere. */
export function replaceOnce(
  content: string,
  oldText: string,
  newText: string,
): { content: string } | { matches: number } {
  const parts = oldText === '' ? [content] : content.split(oldText);
  const [head = '', tail = ''] = parts;
  return parts.length === 2 ? { content: head + newText + tail } : { matches: parts.length - 1 };
}

export function editedArtifactNote(
  words: Words,
  draft: ArtifactDraft,
  edited: Exclude<ArtifactEdited, { fault: 'denied' }>,
): string {
  const { id, version } = draft;
  if (!('fault' in edited)) return fill(words.noteArtifactSaved, { id, version, bytes: edited.bytes });
  switch (edited.fault) {
    case 'gone':
      return fill(words.noteArtifactGone, { id });
    case 'matches':
      return edited.count === 0
        ? fill(words.noteArtifactNoMatch, { id })
        : fill(words.noteArtifactMatches, { id, count: edited.count });
    case 'too_large':
      return fill(words.noteArtifactTooLarge, { bytes: edited.bytes, most: MOST_ARTIFACT_BYTES });
  }
}

export function listedArtifact(artifact: Artifact): Omit<Artifact, 'ref' | 'versions'> {
  return without(artifact, 'ref', 'versions');
}

function unknownArtifact(artifacts: readonly Artifact[], id: string, words: Words): string {
  if (artifacts.length === 0) return words.noteArtifactNone;
  return fill(words.noteArtifactUnknown, { id, ids: artifacts.map(each => each.id).join(', ') });
}

/** Returns one line for each artifact, delimited as data because models write the titles. */
export function inventoryText(artifacts: readonly Artifact[]): string {
  const lines = artifacts.map(artifact => {
    const { id, type, title, version, bytes } = listedArtifact(artifact);
    return `- ${id} · ${type} · version ${version} · ${bytes} bytes · ${preview(title, 100)}`;
  });
  return delimit('artifacts', lines.join('\n'));
}
