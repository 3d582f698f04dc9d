import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readStart } from '../../../../src/rules/agents/run-input.js';

const START_CHILD = '../../../../src/workflows/agents/start-child.js';
const startCancellable = vi.fn(async () => ({ workflowId: 'r1' }));

let childRun: typeof import('../../../../src/workflows/agents/child-run.js');
beforeAll(async () => {
  vi.resetModules();
  vi.doMock(START_CHILD, () => ({ startCancellable }));
  childRun = await import('../../../../src/workflows/agents/child-run.js');
});
afterAll(() => {
  vi.doUnmock(START_CHILD);
  vi.resetModules();
});

test.each([
  ['nothing of how', {}, { mode: 'team' }],
  ['a role', { role: 'editor' }, { mode: 'react', role: 'editor' }],
  ['a mode', { mode: 'direct' as const, autoApprove: true }, { mode: 'direct', autoApprove: true }],
])('a run of a workflow: %s is said → as with any other start (J5)', async (_name, given, expected) => {
  startCancellable.mockClear();
  await childRun.startRun('Go.', { workspace: '/w', ...given }, { workflowId: 'r1' });
  expect(startCancellable).toHaveBeenCalledOnce();
  const [, { args }] = startCancellable.mock.calls[0] as unknown as [string, { args: unknown[] }];
  expect(readStart(args[0])).toMatchObject({ ok: true, settings: { autoApprove: false, ...expected } });
});
