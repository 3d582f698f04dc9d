/** Activities of an application as runs call them, outside of a worker. */
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import type { CallToolResult } from '../../../../src/activities/types.js';
import { WORKFLOW_TYPE } from '../../../../src/run/agents/run-config.js';
import { Secrets } from '../../../../src/shared/secrets.js';
import {
  activityToolCalls,
  readyActivityTools,
  toolCall,
} from '../../../../src/worker/parts/activity-tools.js';

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

async function callPay(
  value: unknown,
  { more = {}, seen = () => {} }: { more?: object; seen?: () => void } = {},
): Promise<CallToolResult> {
  const tools = readyActivityTools([{ activity: 'pay', description: '', idempotent: true }], {
    pay: () => {},
  });
  const unused = () => Promise.reject(new Error('not asked for'));
  const factory = activityToolCalls(tools, {
    blobs: { put: unused, read: unused },
    secrets: new Secrets(),
    settings: {},
    liveSettings: { readOrLast: async () => ({ permissions: { deny: [] } }) },
  } as unknown as Parameters<typeof activityToolCalls>[1]);
  const environment = new MockActivityEnvironment(
    { activityType: 'pay', workflowType: WORKFLOW_TYPE, attempt: 1 },
    { logger: new DefaultLogger('ERROR') },
  );
  return environment.run(() => {
    const { inbound } = factory(Context.current());
    if (!inbound?.execute) throw new Error('no tool');
    const how = { workspace: '/w', idempotencyKey: 'k', timeoutMs: 60_000, idempotent: true, attempts: 3 };
    const args = [{}, { ...how, ...more }];
    return inbound.execute({ args, headers: {} }, async () => {
      seen();
      return value;
    }) as Promise<CallToolResult>;
  });
}

test.each([
  ['a cycle', cycle],
  ['a function', () => 'paid'],
  ['a symbol', Symbol('paid')],
])(
  'activity as a tool: it returns %s → it ran, is not tried again, and says that its result can not be shown',
  async (_, value) => {
    expect(await callPay(value)).toMatchObject({
      ending: 'executed',
      content: [
        { type: 'text', text: expect.stringMatching(/^The tool has run\. Its result is not JSON: /) },
      ],
      isError: false,
    });
  },
);

test("activity as a tool: it asks for its call → the run's context too; without one nothing (CF3)", async () => {
  const seen: unknown[] = [];
  const see = () => void seen.push(toolCall());
  await callPay('paid', { more: { values: { user: 'mia' } }, seen: see });
  await callPay('paid', { seen: see });
  const facts = { workspace: '/w', idempotencyKey: 'k' };
  expect(seen).toEqual([
    { ...facts, values: { user: 'mia' } },
    { ...facts, values: {} },
  ]);
});
