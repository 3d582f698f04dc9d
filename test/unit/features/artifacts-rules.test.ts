import { describe, expect, test } from 'vitest';
import { jsonBytes } from '../../../src/base/json/json.js';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import {
  type ArtifactChange,
  decideArtifact,
  editedArtifactNote,
  findArtifact,
  inventory,
  MOST_ARTIFACTS,
  replaceOnce,
  withArtifact,
} from '../../../src/features/artifacts/rules.js';
import { type Artifact, contentOf } from '../../../src/run/outputs/artifact.js';

const words = BUILT_IN_WORDS.en;
const REF = `blob:${'r'.repeat(57)}/${'0'.repeat(64)}`;

function artifact(id: string, more: Partial<Artifact> = {}): Artifact {
  return { id, type: 'markdown', title: id, version: 1, ref: `${id}-1`, bytes: 3, versions: [], ...more };
}

const HELD = [artifact('report', { version: 3, ref: 'r3', versions: ['r1', 'r2'] })];

function decide(tool: ArtifactChange, input: Record<string, unknown>, held: readonly Artifact[] = HELD) {
  return decideArtifact(held, tool, input, words);
}

describe('decideArtifact', () => {
  test.each<[string, ArtifactChange, Record<string, unknown>, unknown]>([
    [
      'a new id → written as version 1, by its id where it has no title',
      'create_artifact',
      { id: 'main.py', type: 'python' },
      { edit: { kind: 'write' }, draft: { id: 'main.py', type: 'python', title: 'main.py', version: 1 } },
    ],
    [
      'the plan of the work → its own id and type',
      'create_artifact',
      { id: 'task_plan', type: 'task_plan', title: 'Plan' },
      { edit: { kind: 'write' }, draft: { id: 'task_plan', type: 'task_plan', title: 'Plan', version: 1 } },
    ],
    [
      'an update without a version → the next version of what there is',
      'update_artifact',
      { id: 'report' },
      {
        edit: { kind: 'replace', ref: 'r3' },
        draft: { id: 'report', type: 'markdown', title: 'report', version: 4 },
      },
    ],
    [
      'a rewrite of the version there is, with another title → both',
      'rewrite_artifact',
      { id: 'report', expectedVersion: 3, title: 'New' },
      { edit: { kind: 'write' }, draft: { id: 'report', type: 'markdown', title: 'New', version: 4 } },
    ],
  ])('artifacts: %s (A5)', (_, tool, input, expected) => {
    expect(decide(tool, input)).toEqual(expected);
  });

  test.each<[string, ArtifactChange, Record<string, unknown>, string]>([
    ['created twice', 'create_artifact', { id: 'report', type: 'markdown' }, 'already, version 3'],
    ['an id that is a path', 'create_artifact', { id: '../x', type: 'markdown' }, 'An id has'],
    ['no id', 'create_artifact', { type: 'markdown' }, 'An id has'],
    ['the plan’s id with another type', 'create_artifact', { id: 'task_plan', type: 'x' }, 'belong together'],
    ['the plan’s type with another id', 'create_artifact', { id: 'x', type: 'task_plan' }, 'belong together'],
    ['an older version', 'update_artifact', { id: 'report', expectedVersion: 2 }, 'at version 3, not 2'],
    ['an unknown id', 'rewrite_artifact', { id: 'reprot' }, 'The artifacts are: report'],
  ])('artifacts: %s → refused, and the model is told why (A6)', (_, tool, input, expected) => {
    expect(decide(tool, input)).toEqual({ fault: expect.stringContaining(expected) });
  });

  test('artifacts: one more than fit → refused', () => {
    const many = Array.from({ length: MOST_ARTIFACTS }, (_, index) => artifact(`a${index}`));
    expect(decide('create_artifact', { id: 'x', type: 'y' }, many)).toEqual({
      fault: expect.stringContaining(`the ${MOST_ARTIFACTS} artifacts`),
    });
  });
});

describe('replaceOnce', () => {
  test.each<[string, string, string, unknown]>([
    ['once', 'a b c', 'b', { content: 'a $& c' }],
    ['not at all', 'a b c', 'd', { matches: 0 }],
    ['twice', 'b b', 'b', { matches: 2 }],
    ['an empty text', 'a', '', { matches: 0 }],
    ['the whole', 'b', 'b', { content: '$&' }],
  ])('replaceOnce: the old text stands there %s → as expected (A5)', (_, content, old, expected) => {
    expect(replaceOnce(content, old, '$&')).toEqual(expected);
  });
});

describe('the inventory', () => {
  const draft = { id: 'report', type: 'markdown', title: 'report', version: 4 };

  test('withArtifact: a change → the next version, with those before it by number', () => {
    const [changed] = withArtifact(HELD, draft, { ref: 'r4', bytes: 9 }) ?? [];
    expect(changed).toEqual({ ...draft, ref: 'r4', bytes: 9, versions: ['r1', 'r2', 'r3'] });
    expect([0, 1, 3, 4, 5].map(version => changed && contentOf(changed, version))).toEqual([
      null,
      'r1',
      'r3',
      'r4',
      null,
    ]);
  });

  test('withArtifact: more versions than fit → the oldest are forgotten, and numbers stay right', () => {
    let held: Artifact[] = [];
    for (let version = 1; version <= 200; version += 1) {
      held = withArtifact(held, { ...draft, version }, { ref: `${REF}${version}`, bytes: 1 }) ?? [];
      expect(jsonBytes(held)).toBeLessThanOrEqual(inventory.bytes);
    }
    expect(findArtifact(held, 'report', 199, words)).toMatchObject({ ref: `${REF}199` });
    expect(findArtifact(held, 'report', 1, words)).toEqual({ fault: expect.stringContaining('not kept') });
  });

  test('withArtifact: no room for one more → null, and nothing is lost', () => {
    const large = Array.from({ length: 20 }, (_, index) => artifact(`a${index}`, { ref: REF.repeat(4) }));
    expect(withArtifact(large, { ...draft, version: 1 }, { ref: REF.repeat(4), bytes: 1 })).toBeNull();
  });

  test.each([
    [{ ref: 'r', bytes: 5 }, 'version 4, 5 bytes'],
    [{ fault: 'gone' as const }, 'no longer in the store'],
    [{ fault: 'matches' as const, count: 0 }, 'does not occur'],
    [{ fault: 'matches' as const, count: 3 }, 'occurs 3 times'],
    [{ fault: 'too_large' as const, bytes: 7 }, '7 bytes'],
  ])('editedArtifactNote: %j → says so', (edited, expected) => {
    expect(editedArtifactNote(words, draft, edited)).toContain(expected);
  });
});
