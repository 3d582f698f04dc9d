/** Functions of a program that never answer: a call of one gives its slot back. */
import type { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createResolveModel } from '../../../src/activities/models/resolve-model.js';
import type { ActivityToolCall, ResolveModelInput } from '../../../src/activities/types.js';
import { FAILURE } from '../../../src/core/limits/failure.js';
import { complete } from '../../../src/models/complete.js';
import type { ModelProvider } from '../../../src/models/provider.js';
import { activityToolCalls, readyActivityTools } from '../../../src/worker/serve/activity-tools.js';
import { WORKFLOW_TYPE } from '../../../src/workflows/messages.js';
import { activityEnvironment } from '../../support/tool-calls.js';

const never = () => new Promise<never>(() => undefined);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What came of `work` when all limits were over: it must have one. */
async function outcomeOf(work: Promise<unknown> | undefined): Promise<unknown> {
  const ended = work?.catch((error: unknown) => error);
  await vi.waitFor(() => expect(vi.getTimerCount(), 'it hangs').toBeGreaterThan(0), { timeout: 10_000 });
  await vi.advanceTimersByTimeAsync(700_000);
  return Promise.race([ended, 'it hangs']);
}

test('resolveModel: it never answers → the call fails and says so, and is not tried again', async () => {
  const environment = activityEnvironment();
  const asking = environment.run(createResolveModel(never), { situation: {} } as ResolveModelInput);
  expect(await outcomeOf(asking)).toMatchObject({
    message: 'resolveModel did not answer within 8 s',
    nonRetryable: true,
  });
});

test.each([
  [
    false,
    { ending: 'outcome_unknown', note: expect.stringContaining('charge_card did not answer within 60 s') },
  ],
  [true, { type: FAILURE.tool.timeout, message: 'charge_card did not answer within 60 s' }],
])(
  'an activity as a tool (idempotent: %s): it never answers → its call ends with its time',
  async (idempotent, ended) => {
    const option = { activity: 'chargeCard', name: 'charge_card', description: 'Charges a card.' };
    const [tool] = readyActivityTools([option], { chargeCard: never });
    const parts = {
      liveSettings: { readOrLast: async () => ({ permissions: { deny: [] } }) },
      secrets: { redact: (text: string) => text },
      settings: { toolResults: {} },
      blobs: {},
    };
    const environment = new MockActivityEnvironment({
      activityType: 'chargeCard',
      workflowType: WORKFLOW_TYPE,
      inWorkflow: true,
    });
    const calls = activityToolCalls(tool ? [tool] : [], parts as never);
    const call: ActivityToolCall = {
      workspace: '/none',
      idempotencyKey: 'k',
      timeoutMs: 60_000,
      idempotent,
      attempts: 3,
    };
    const { inbound } = calls(environment.context as Context);
    const calling = inbound?.execute?.({ args: [{}, call], headers: {} }, never);
    expect(await outcomeOf(calling)).toMatchObject(ended);
  },
);

test('a model provider of the program: it never answers and hears no signal → the call fails as one that stalled', async () => {
  const provider: ModelProvider = {
    name: 'acme',
    endpoint: 'acme.example',
    listModels: never,
    async *stream() {
      yield await never();
    },
  };
  const asking = complete(provider, { model: 'large', messages: [] });
  expect(await outcomeOf(asking)).toMatchObject({
    type: FAILURE.model.stalled,
    message: expect.stringContaining('acme/large'),
  });
});
