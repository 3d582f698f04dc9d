import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { createEditArtifact } from '../../../src/activities/edit-artifact.js';
import type { EditArtifactInput } from '../../../src/activities/types.js';
import type { BlobStore } from '../../../src/blobs/blob-store.js';
import type { ArtifactEdited } from '../../../src/core/artifacts.js';

function editor(deny: string[]) {
  const stored: string[] = [];
  const blobs: Pick<BlobStore, 'put'> = {
    put: async (_run, data) => {
      stored.push(String(data));
      return 'ref-1';
    },
  };
  const edit = createEditArtifact({
    blobs: blobs as BlobStore,
    readArguments: async () => ({ id: 'report', content: 'read from the run' }),
    deniedTools: async () => deny,
  });
  const run = (input: Partial<EditArtifactInput> = {}) =>
    new MockActivityEnvironment().run<[EditArtifactInput], ArtifactEdited, typeof edit>(edit, {
      callId: 'c1',
      tool: 'create_artifact',
      workspace: '/w',
      edit: { kind: 'write' },
      arguments: { id: 'report', content: 'text' },
      ...input,
    });
  return { run, stored };
}

test.each([
  ['*_artifact', true],
  ['create_artifact(report)', true],
  ['create_artifact(main.py)', false],
  ['rewrite_artifact', false],
])('artifact: the worker denies %s since the run began → not written: %s', async (pattern, denied) => {
  const { run, stored } = editor([pattern]);
  expect(await run()).toEqual(denied ? { fault: 'denied' } : { ref: 'ref-1', bytes: 4 });
  expect(stored).toEqual(denied ? [] : ['text']);
});

test('artifact: arguments too large to travel → read from the run, and denied by what they say', async () => {
  const { run, stored } = editor(['create_artifact(report)']);
  expect(await run({ arguments: undefined as never })).toEqual({ fault: 'denied' });
  expect(stored).toEqual([]);
});
