import { expect, test } from 'vitest';
import { type EditArtifactInput, inventory, replaceOnce } from '../../../src/features/artifacts/rules.js';
import { type Artifact, contentOf } from '../../../src/run/outputs/artifact.js';
import type { CallOptions } from '../../../src/workflows/run/ports.js';
import { runWorkflowTool } from '../../../src/workflows/turn/tools/workflow-tools.js';
import { runAtCalls } from '../../support/small-run.js';

const REPORT: Artifact = {
  id: 'report',
  type: 'markdown',
  title: 'report',
  version: 1,
  ref: 'ref-1',
  bytes: 11,
  versions: [],
};

/** Calls of tasks that run side by side: each begins before the first has ended. */
async function atOnce(calls: readonly { name: string; input: Record<string, unknown> }[]) {
  const texts = new Map([['ref-1', 'one and two']]);
  const activity = async (_name: string, input: unknown) => {
    const { callId, edit } = input as EditArtifactInput;
    await null;
    const {
      oldText = '',
      newText = '',
      content = '',
    } = (calls[Number(callId)]?.input ?? {}) as Record<string, string>;
    const changed =
      edit.kind === 'write' ? { content } : replaceOnce(texts.get(edit.ref) ?? '', oldText, newText);
    if ('matches' in changed)
      return { ok: true as const, value: { fault: 'matches' as const, count: changed.matches } };
    const ref = `ref-${texts.size + 1}`;
    texts.set(ref, changed.content);
    return { ok: true as const, value: { ref, bytes: changed.content.length } };
  };
  const { run } = runAtCalls([], { ports: { activity } });
  inventory.set(run.state, [REPORT]);
  const options = {} as CallOptions;
  const called = await Promise.all(
    calls.map(({ name, input }, index) =>
      runWorkflowTool(run, { name }, { role: 'executor', callId: `${index}`, toolUseId: '', input, options }),
    ),
  );
  const errors = called.map(each => each.ok && each.value.isError);
  const kept = inventory.of(run.state).map(artifact => ({
    id: artifact.id,
    texts: Array.from({ length: artifact.version }, (_, at) => texts.get(contentOf(artifact, at + 1) ?? '')),
  }));
  return { errors, kept };
}

const update = (oldText: string, newText: string, more = {}) => ({
  name: 'update_artifact',
  input: { id: 'report', oldText, newText, ...more },
});

test('artifacts: two tasks side by side change one at the same time → each is a version, and neither change is lost (A5, A6)', async () => {
  const { errors, kept } = await atOnce([update('one', '1'), update('two', '2')]);
  expect(errors).toEqual([false, false]);
  expect(kept).toEqual([{ id: 'report', texts: ['one and two', '1 and two', '1 and 2'] }]);
});

test.each([
  [
    'the second expects the version that the first has changed',
    [update('one', '1'), update('two', '2', { expectedVersion: 1 })],
  ],
  ['the second replaces what the first has replaced', [update('one', '1'), update('one', '2')]],
])('artifacts: %s, at the same time → only the first changes it (A5)', async (_name, calls) => {
  const { errors, kept } = await atOnce(calls);
  expect(errors).toEqual([false, true]);
  expect(kept).toEqual([{ id: 'report', texts: ['one and two', '1 and two'] }]);
});

test('artifacts: two tasks create the same one at the same time → the first has it, the second is told (A6)', async () => {
  const create = (content: string) => ({
    name: 'create_artifact',
    input: { id: 'plan', type: 'markdown', content },
  });
  const { errors, kept } = await atOnce([create('first'), create('second')]);
  expect(errors).toEqual([false, true]);
  expect(kept[1]).toEqual({ id: 'plan', texts: ['first'] });
});

test('artifacts: listed, and one of them read → a page of its version, and what it is of (A5)', async () => {
  const asked: unknown[] = [];
  const content = [{ type: 'text' as const, text: 'one and two' }];
  const { run } = runAtCalls([], {
    ports: {
      callTool: async input => {
        asked.push(input.arguments);
        return { ok: true, value: { ending: 'executed', content, isError: false, durationMs: 1 } };
      },
    },
  });
  const call = (name: string, input: Record<string, unknown>) =>
    runWorkflowTool(
      run,
      { name },
      { role: 'executor', callId: 'c1', toolUseId: 't1', input, options: {} as CallOptions },
    );
  expect(await call('list_artifacts', {})).toMatchObject({ value: { isError: false } });
  inventory.set(run.state, [REPORT]);
  const listed = await call('list_artifacts', {});
  expect(listed).toMatchObject({ value: { isError: false, content: [{ value: [{ id: 'report' }] }] } });
  const read = await call('read_artifact', { id: 'report', offset: 3 });
  expect(read).toMatchObject({ value: { content, isError: false, note: expect.stringContaining('report') } });
  expect(asked).toEqual([expect.objectContaining({ ref: 'ref-1', offset: 3 })]);
  expect(await call('read_artifact', { id: 'plan' })).toMatchObject({ value: { isError: true } });
});
