import { expect, test } from 'vitest';
import { z } from 'zod';
import { createCheckCall } from '../../../../src/activities/check-call.js';
import type { CallToolInput } from '../../../../src/activities/types.js';
import { readyWorkflowTools } from '../../../../src/worker/parts/workflow-tools.js';

const tools = readyWorkflowTools([
  {
    workflow: 'settleOrder',
    name: 'settle_order',
    description: 'Settles an order.',
    input: z.object({
      id: z.string().refine(id => id !== 'A-0', 'no such order'),
      times: z.number().default(1),
    }),
  },
]);

const checkCall = (deny: string[], real = '/w') =>
  createCheckCall({
    deniedTools: async () => deny,
    readArguments: async () => ({ id: 'read' }),
    openWorkspace: async () => real,
    parsers: new Map(tools.map(({ definition, parse }) => [definition.name, parse])),
  });
const call = (args?: Record<string, unknown>, tool = 'settle_order') =>
  ({ callId: 'c1', tool, workspace: '/w', ...(args && { arguments: args }) }) as CallToolInput;

test('a workflow as a tool: may change things, has ten minutes, and its schema is of what the model sees', () => {
  expect(tools[0]?.definition).toMatchObject({
    name: 'settle_order',
    origin: { type: 'child_workflow', workflow: 'settleOrder' },
    policy: { readOnly: false, idempotent: false, timeoutMs: 600_000 },
    inputSchema: { type: 'object', required: ['id'] },
  });
});

test('a call of a workflow: arguments that fit → as the schema reads them, with its defaults', async () => {
  expect(await checkCall([])(call({ id: 'A-7' }))).toEqual({ arguments: { id: 'A-7', times: 1 } });
});

test('a call of a workflow: large arguments → read from the run', async () => {
  expect(await checkCall([])(call())).toEqual({ arguments: { id: 'read', times: 1 } });
});

test.each([
  ['settle_*', true],
  ['settle_order(A-7)', true],
  ['settle_order(A-8)', false],
  ['other', false],
])('a call of a workflow: the worker denies %s since → denied: %s', async (pattern, denied) => {
  const checked = await checkCall([pattern])(call({ id: 'A-7' }));
  expect('ending' in checked && checked.ending === 'denied').toBe(denied);
});

test.each(['/w/secret/a', '/real/w/secret/a', 'secret/a'])(
  'a call of a workflow: the workspace is a link, and a denied folder in it is named as %s → denied',
  async id => {
    const checked = await checkCall(['settle_order(secret/**)'], '/real/w')(call({ path: id, id }));
    expect(checked).toMatchObject({ ending: 'denied' });
  },
);

test('a call of a workflow: what the schema alone can not say → invalid, with the fault', async () => {
  expect(await checkCall([])(call({ id: 'A-0' }))).toEqual({
    ending: 'invalid',
    note: expect.stringContaining('no such order'),
  });
});

test('a call of a workflow: one that this worker does not offer → denied', async () => {
  expect(await checkCall([])(call({}, 'other'))).toMatchObject({ ending: 'denied' });
});

test('a workflow as a tool: the run itself → refused', () => {
  const run = { workflow: 'steersmanRun', description: 'x' };
  expect(() => readyWorkflowTools([run])).toThrow(/is a run itself/);
});
