/** Functions of a program that never answer: a call of one gives its slot back. */

import type { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createKeeping } from '../../../src/activities/keep.js';
import { createResolveModel } from '../../../src/activities/models/resolve-model.js';
import { createTransform } from '../../../src/activities/models/transform.js';
import { createTell } from '../../../src/activities/tell.js';
import type {
  ActivityToolCall,
  KeepEnd,
  MomentInput,
  ResolveModelInput,
  TransformInput,
} from '../../../src/activities/types.js';
import { settlesAccounts } from '../../../src/features/credits/activity.js';
import { functionHooks, type HookDeps, hearsHooks } from '../../../src/features/hooks/activity.js';
import { complete } from '../../../src/models/complete.js';
import type { ModelProvider } from '../../../src/models/provider/provider.js';
import { WORKFLOW_TYPE } from '../../../src/run/agents/run-config.js';
import { FAILURE } from '../../../src/run/limits/failure.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';
import type { KeepPage, Mark } from '../../../src/run/state/stored-line.js';
import type { AccountStore } from '../../../src/shared/store/store.js';
import { activityToolCalls, readyActivityTools } from '../../../src/worker/parts/activity-tools.js';
import { activityEnvironment } from '../../support/tool-calls.js';
import { eventually } from '../../support/wait.js';

const MARK = { id: 0, seq: 0 };
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
  await eventually(() => expect(vi.getTimerCount(), 'it hangs').toBeGreaterThan(0));
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

test('a transform: it never answers → it fails and says so, and its signal aborts (X1)', async () => {
  const signals: AbortSignal[] = [];
  const transform = createTransform({
    transforms: {
      own: ({ signal }) => {
        signals.push(signal);
        return never();
      },
    },
    readState: async () => ({ head: {} as never, messages: [] }),
    redact: value => value,
  });
  const input = { transform: 'own', callId: 'c1' } as TransformInput;
  expect(await outcomeOf(activityEnvironment().run(transform, input))).toMatchObject({
    message: 'it did not answer within 10 s',
    nonRetryable: true,
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
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

test('keeping: a disk that hangs → the calls end, one write waits for it, and when it is back the next one is taken', async () => {
  const writes: (() => void)[] = [];
  const { steersmanKeep: keep } = createKeeping({
    sessions: {
      keep: () => new Promise(resolve => writes.push(() => resolve(null))),
    },
    namespaceId: async () => null,
    readPage: async () => ({ run: {}, records: [], kept: MARK, more: false }) as unknown as KeepPage,
    redact: value => value,
  });
  const run = () =>
    activityEnvironment().run(keep, { workspace: '/work', after: MARK, upTo: MARK }) as Promise<KeepEnd>;
  const ends = Promise.allSettled([run(), run()]);
  expect(await outcomeOf(ends)).toMatchObject([
    { reason: { message: 'the store did not answer within 9 s' } },
    { reason: { message: expect.stringContaining('has not ended') } },
  ]);
  expect(await outcomeOf(run())).toMatchObject({ message: expect.stringContaining('has not ended') });
  expect(writes).toHaveLength(1);
  writes[0]?.();
  const next = run();
  await eventually(() => expect(writes).toHaveLength(2));
  writes[1]?.();
  expect(await next).toBeNull();
});

test('LL12: keeping, and the store refuses → asked again until a while after the first try that failed; a try that was lost with its worker is none', async () => {
  // It stands still: a second less of the patience would be missing on a slow machine.
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  onTestFinished(() => now.mockRestore());
  const { steersmanKeep: keep } = createKeeping({
    sessions: { keep: () => Promise.reject(new Error('connect ECONNREFUSED')) },
    namespaceId: async () => null,
    readPage: async () => ({ run: {}, records: [], kept: MARK, more: false }) as unknown as KeepPage,
    redact: value => value,
  });
  // Workers were lost with its tries before, a minute long.
  const lost = { attempt: 4, scheduledTimestampMs: Date.now() - 60_000 };
  const failed = async (failsSince?: number, once = false) => {
    const told: unknown[] = [];
    const heartbeatDetails = failsSince === undefined ? {} : { heartbeatDetails: failsSince };
    const environment = new MockActivityEnvironment({ ...lost, ...heartbeatDetails });
    environment.on('heartbeat', (details: unknown) => told.push(details));
    const input = { workspace: '/work', after: MARK, upTo: MARK, ...(once && { once: true as const }) };
    const failing = environment.run(keep, input).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(100);
    const failure = await failing;
    expect(failure).toMatchObject({ message: 'connect ECONNREFUSED' });
    return { failure, told };
  };
  const first = await failed();
  expect(first.failure).not.toMatchObject({ nonRetryable: true });
  expect(first.told).toEqual([expect.any(Number)]);
  const since = Date.now() - 14_000;
  const later = await failed(since);
  expect([later.failure, later.told]).toEqual([expect.not.objectContaining({ nonRetryable: true }), [since]]);
  for (const last of [await failed(Date.now() - 16_000), await failed(undefined, true)])
    expect(last.failure).toMatchObject({ nonRetryable: true });
});

test('keeping: the run does not tell what there is to keep, as on a worker that stands still → no failure of the store', async () => {
  const { steersmanKeep: keep } = createKeeping({
    sessions: { keep: async () => null },
    namespaceId: async () => null,
    readPage: () => Promise.reject(new Error('no answer')),
    redact: value => value,
  });
  const asked = new MockActivityEnvironment({ attempt: 4, scheduledTimestampMs: Date.now() - 60_000 })
    .run(keep, { workspace: '/work', after: MARK, upTo: MARK, once: true as const })
    .catch((error: unknown) => error);
  const failure = await asked;
  expect(failure).toMatchObject({ message: 'no answer' });
  expect(failure).not.toMatchObject({ nonRetryable: true });
});

test('LL4: keeping, and the store was put back to an earlier state → written again from there, and that is the result', async () => {
  const [stored, upTo] = [
    { ...MARK, id: 2 },
    { ...MARK, id: 9 },
  ];
  const asked: unknown[] = [];
  const keepWith = (answers: (Mark | null)[]) =>
    createKeeping({
      sessions: { keep: async () => answers.shift() ?? null },
      namespaceId: async () => null,
      readPage: async (from, to) => {
        asked.push([from.id, to?.id]);
        return { run: {}, records: [], kept: to, more: false } as unknown as KeepPage;
      },
      redact: value => value,
    }).steersmanKeep;
  const run = (answers: (Mark | null)[]) =>
    new MockActivityEnvironment().run(keepWith(answers), {
      ...{ workspace: '/work', after: { ...MARK, id: 7 }, upTo },
    }) as Promise<KeepEnd>;
  expect(await run([stored])).toEqual({ missing: stored });
  expect(asked).toEqual([
    [7, 9],
    [2, 9],
  ]);
  expect(await run([])).toBeNull();
  await expect(run(Array.from({ length: 9 }, () => stored))).rejects.toThrow('loses what is written');
});

const TURN: MomentInput = {
  ...{ at: 'turn', key: 'run-1-turn-1', goal: 1, context: {} },
  ...{ turn: 1, role: 'react', model: 'acme/large', usage: NO_USAGE, messageId: 'm1' },
};

function hookOf(deps: Partial<HookDeps>, accounts: Partial<AccountStore> = {}) {
  const all = { hooks: [], readMessages: never, redact: <T>(value: T) => value, ...deps } as HookDeps;
  return (input: MomentInput) =>
    activityEnvironment().run(
      createTell([settlesAccounts(accounts as AccountStore), hearsHooks(all)]),
      input,
    );
}

test('a hook at the end of a turn: it never answers → the call fails and says so, to be made again (E4)', async () => {
  const call = hookOf({ hooks: [functionHooks({ onTurnEnd: never })], readMessages: async () => [] });
  expect(await outcomeOf(call(TURN))).toMatchObject({
    message: 'it did not end within 10 s',
    nonRetryable: false,
  });
});

test('a hook at the end of a run: it never answers → a warning, and the run has ended (E4)', async () => {
  const call = hookOf({ hooks: [functionHooks({ onRunEnd: never })] });
  const { key, goal, context } = TURN;
  const ended = call({ at: 'end', key, goal, context, outcome: 'answered', cause: 'direct_answer' });
  expect(await outcomeOf(ended)).toEqual({
    goOn: true,
    warning: expect.stringContaining('did not end within 10 s'),
  });
});

test('a charge: the store of accounts refuses for some seconds, as one that is started again → taken in the same try (E7)', async () => {
  let asked = 0;
  const charge = async () => {
    asked += 1;
    if (asked < 5) throw new Error('connect ECONNREFUSED');
    return { id: 'ann', balance: 1, day: '', dayTokens: 9, isNew: true };
  };
  const call = hookOf({ readMessages: async () => [] }, { charge });
  const all = [{ key: 'chain-1/goal-1/run-1-turn-1', credits: 1, tokens: 9 }];
  const charging = call({ ...TURN, charges: { account: 'ann', keepsPlace: false, all } });
  expect(await outcomeOf(charging)).toMatchObject({ goOn: true, account: { balance: 1 } });
  expect(asked).toBe(5);
});

test('a charge: the store of accounts never answers → the call fails and says so, to be made again (E7)', async () => {
  const call = hookOf({}, { charge: never });
  const all = [{ key: 'chain-1/goal-1/run-1-turn-1', credits: 1, tokens: 9 }];
  const charges = { account: 'ann', keepsPlace: false, all };
  expect(await outcomeOf(call({ ...TURN, charges }))).toMatchObject({
    message: 'the store of accounts did not answer within 9 s',
    nonRetryable: false,
  });
});
