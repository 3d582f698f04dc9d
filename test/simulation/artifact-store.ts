/** Contents of artifacts of one simulated run, and what must hold of the inventory that the run keeps of them. */
import {
  type ArtifactEdited,
  type EditArtifactInput,
  inventory,
  MOST_ARTIFACTS,
  replaceOnce,
  TASK_PLAN,
} from '../../src/features/artifacts/rules.js';
import { contentOf } from '../../src/run/outputs/artifact.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { hash64 } from '../../src/run/tools/ledger.js';
import { expectThat } from './expect-that.js';
import type { Random } from './random.js';

const REF = 'artifact:';

export class ArtifactStore {
  readonly #contents = new Map<string, string>();

  /** As `steersmanEditArtifact` does it; a content may be gone. */
  runs(random: Random, input: unknown, args: Record<string, unknown>) {
    const value = this.#edit(random, input as EditArtifactInput, args);
    return { value, seen: 'fault' in value ? 'an artifact that was not changed' : 'an artifact was written' };
  }

  #edit(random: Random, { edit }: EditArtifactInput, args: Record<string, unknown>): ArtifactEdited {
    if (edit.kind === 'write') return this.#keep(String(args.content));
    const content = this.#contents.get(edit.ref);
    expectThat(content !== undefined, `${edit.ref} is changed and was never kept`);
    if (random.chance(0.05)) return { fault: 'gone' };
    const replaced = replaceOnce(content ?? '', String(args.oldText), String(args.newText));
    return 'matches' in replaced
      ? { fault: 'matches', count: replaced.matches }
      : this.#keep(replaced.content);
  }

  /** The content behind a reference of ours; null for any other. */
  read(ref: unknown): string | null {
    return typeof ref === 'string' ? (this.#contents.get(ref) ?? null) : null;
  }

  check(state: RunState): void {
    const artifacts = inventory.of(state);
    const ids = artifacts.map(({ id }) => id);
    expectThat(new Set(ids).size === ids.length, `artifacts have one id: ${ids.join(', ')}`);
    expectThat(ids.length <= MOST_ARTIFACTS, `${ids.length} artifacts`);
    for (const artifact of artifacts) {
      const { id, type, version, bytes, versions } = artifact;
      expectThat((id === TASK_PLAN) === (type === TASK_PLAN), `${id} has the type ${type}`);
      expectThat(versions.length < version, `${id} has more versions before it than ${version}`);
      for (const [index, ref] of [...versions, artifact.ref].entries()) {
        const known = contentOf(artifact, version - versions.length + index);
        expectThat(known === ref, `version of ${id} by number: ${known}, and not ${ref}`);
        expectThat(this.#contents.has(ref), `${id} has a content that was never kept`);
      }
      expectThat(this.#contents.get(artifact.ref)?.length === bytes, `${id} has not ${bytes} bytes`);
    }
  }

  #keep(content: string): ArtifactEdited {
    const ref = `${REF}${hash64(content)}`;
    this.#contents.set(ref, content);
    return { ref, bytes: content.length };
  }
}

const IDS = ['report', 'main.py', TASK_PLAN, 'not an id'];
const TEXTS = ['one two', 'two', 'three', 'one one'];

/** A random call of an artifact tool, right or wrong. */
export function artifactCall(random: Random): { name: string; input: Record<string, unknown> } {
  const id = random.pick(IDS);
  const type = id === TASK_PLAN && random.chance(0.9) ? TASK_PLAN : random.pick(['markdown', TASK_PLAN]);
  const expected = random.chance(0.3) ? { expectedVersion: random.int(1, 3) } : {};
  const content = random.pick(TEXTS).repeat(random.chance(0.1) ? 300 : 1);
  const [oldText, newText] = [random.pick(['one', 'two', 'three']), random.pick(TEXTS)];
  return random.weighted([
    [4, { name: 'create_artifact', input: { id, type, content } }],
    [3, { name: 'update_artifact', input: { id, oldText, newText, ...expected } }],
    [2, { name: 'rewrite_artifact', input: { id, content, ...expected } }],
    [
      2,
      { name: 'read_artifact', input: { id, ...(random.chance(0.3) ? { version: random.int(1, 3) } : {}) } },
    ],
    [1, { name: 'list_artifacts', input: {} }],
  ]);
}
