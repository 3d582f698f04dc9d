/**
 * The artifacts of a run, as a role that works with them is told of them: at the end of its conversation, once for each
 * change, so that all before stays as endpoints have it.
 */

import type { PinnedRole } from '../agents/role.js';
import { offeredTools, type PinnedRun } from '../agents/run-config.js';
import { type Artifact, listedArtifact } from '../state/artifacts.js';
import type { RunState } from '../state/run-state.js';
import type { Thread } from '../state/thread.js';
import { preview } from '../text/preview.js';
import { delimit } from './prompt.js';
import { wordsOf } from './words.js';

/** What the role is to be told before its next call; null where it knows. */
export function newInventory(
  state: RunState,
  { pinned, role, thread }: { pinned: PinnedRun; role: PinnedRole; thread: Pick<Thread, 'messages'> },
): string | null {
  if (!worksWithArtifacts(pinned, role)) return null;
  const { artifacts } = state;
  const held = heldInventory(thread);
  if (held === null && artifacts.length === 0) return null;
  const text = `${wordsOf(state).artifacts}\n${inventory(artifacts)}`;
  return text === held ? null : text;
}

/** One a line, as data: titles are of models. */
export function inventory(artifacts: readonly Artifact[]): string {
  const lines = artifacts.map(artifact => {
    const { id, type, title, version, bytes } = listedArtifact(artifact);
    return `- ${id} · ${type} · version ${version} · ${bytes} bytes · ${preview(title, 100)}`;
  });
  return delimit('artifacts', lines.join('\n'));
}

function worksWithArtifacts(pinned: PinnedRun, role: PinnedRole): boolean {
  return offeredTools(pinned, role).some(
    ({ name, origin }) => origin.type === 'workflow' && /_artifacts?$/.test(name),
  );
}

function heldInventory({ messages }: Pick<Thread, 'messages'>): string | null {
  const held = messages.findLast(message => message.kind === 'user' && message.purpose === 'inventory');
  return held?.kind === 'user' ? (held.content[0]?.text ?? null) : null;
}
