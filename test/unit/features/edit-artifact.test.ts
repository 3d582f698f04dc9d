import { expect, test } from 'vitest';
import type { ArtifactEdited, EditArtifactInput } from '../../../src/features/artifacts/rules.js';
import { createEditArtifact } from '../../../src/features/artifacts/worker.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import type { BlobStore } from '../../../src/shared/store/blob-store.js';
import { activityEnvironment } from '../../support/tool-calls.js';

function editor(deny: string[], store: Partial<BlobStore> = {}) {
  const stored: string[] = [];
  const blobs: Partial<BlobStore> = {
    put: async (_run, data) => {
      stored.push(String(data));
      return 'ref-1';
    },
    ...store,
  };
  const edit = createEditArtifact({
    blobs: blobs as BlobStore,
    readArguments: async () => ({ id: 'report', content: 'read from the run' }),
    deniedTools: async () => deny,
  });
  const run = (input: Partial<EditArtifactInput> = {}) =>
    activityEnvironment().run<[EditArtifactInput], ArtifactEdited, typeof edit>(edit, {
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

const full = () => Promise.reject(new Error('ENOSPC: no space left on device, write'));
const replace = { tool: 'update_artifact', edit: { kind: 'replace', ref: 'ref-0' } } as const;

test.each<[string, Partial<BlobStore>, Partial<EditArtifactInput>]>([
  ['cannot be written', { put: full }, {}],
  ['cannot be read', { read: full }, replace],
])('artifact: the store %s → a failure of the store, which is tried again', async (_, store, input) => {
  await expect(editor([], store).run(input)).rejects.toMatchObject({
    type: FAILURE.storeFailed,
    message: 'ENOSPC: no space left on device, write',
    nonRetryable: false,
  });
});
