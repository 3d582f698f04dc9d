import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Worker,
  type WorkerOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  byRole,
  execution,
  plan,
  replayHistories,
  type ScriptedModel,
  startScriptedModel,
  startTestEnvironment,
  startTestTeam,
  startToolServer,
} from '../../packages/test-kit/index.js';
import { connect, forgetPermissions, savedPermissions } from '../../src/client/index.js';
import { askPatiently } from '../../src/shared/query-errors.js';
import {
  createProvider,
  createWorker,
  defineTool,
  SteersmanPlugin,
  type SteersmanPluginOptions,
} from '../../src/worker/index.js';
import type { RunView } from '../../src/workflows/run/definitions.js';
import type * as workflows from '../support/application/workflows.js';
import { quietTemporal } from '../support/quiet.js';
import { eventsOf } from '../support/run-views.js';
import { until } from '../support/wait.js';

const workflowsPath = fileURLToPath(new URL('../support/application/workflows.ts', import.meta.url));
const KEY = 'sk-live-0123456789abcdef';
let env: TestWorkflowEnvironment;
let model: ScriptedModel;
let workspace = '';
/** Of the application's workflows and ours: made once. */
let workflowBundle: WorkflowBundleWithSourceMap;

beforeAll(async () => {
  quietTemporal();
  process.env.SHOP_API_KEY = KEY;
  env = await startTestEnvironment();
  const logger = new DefaultLogger('ERROR');
  workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [new SteersmanPlugin()], logger });
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-shop-')));
});
afterAll(async () => {
  await env?.teardown();
  rmSync(workspace, { recursive: true, force: true });
});

const planned = { text: plan({ todos: ['Do it'] }) };
const reported = {
  text: execution({ summary: 'The order A-7 is refunded: receipt R-1.', taskCompleted: true }),
};
const refundScript = () =>
  byRole({
    planner: () => planned,
    executor: (_request, nth) =>
      nth === 0 ? { toolCalls: [{ name: 'refund', arguments: { order: 'A-7' } }] } : reported,
  });

/** A workflow of the application's, as a tool. */
/** A worker of the application, whose runs ask the scripted model; with more for the plugin, and for the worker. */
function applicationWorker(
  taskQueue: string,
  plugin: Partial<SteersmanPluginOptions> = {},
  worker: Partial<WorkerOptions> = {},
): Promise<Worker> {
  const providers = [createProvider({ name: 'acme', baseUrl: model.baseUrl })];
  const settings = { models: { default: 'acme/large' }, workspaces: [workspace], steering: 'note' as const };
  return Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: {},
    ...worker,
    plugins: [new SteersmanPlugin({ home: join(workspace, '.home'), providers, settings, ...plugin })],
  });
}

const PAY_BACK = {
  workflow: 'payBack',
  name: 'pay_back',
  description: 'Pays an order back.',
  input: z.object({ order: z.string() }),
};

test('an application with workflows and activities of its own → runs beside them, with a tool in code; what its workflows start is listed by its goal, with an id below theirs', async () => {
  model = await startScriptedModel({ reply: refundScript() });
  const refunds: unknown[] = [];
  const refund = defineTool({
    name: 'refund',
    description: 'Pays an order back.',
    input: z.object({ order: z.string() }),
    run: ({ order }, { workspace: dir, values }) => {
      refunds.push({ order, dir, values });
      return { receipt: 'R-1', key: KEY };
    },
  });
  const taskQueue = 'shop';
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle,
    activities: { charge: async (order: string) => `charged ${order} with ${KEY}` },
    plugins: [
      new SteersmanPlugin({
        home: join(workspace, '.home'),
        tools: [refund],
        providers: [createProvider({ name: 'acme', baseUrl: model.baseUrl })],
        settings: { models: { default: 'acme/large' }, workspaces: [workspace] },
      }),
    ],
  });
  const handles = await worker.runUntil(async () => {
    const settle = await env.client.workflow.start<typeof workflows.settleOrder>('settleOrder', {
      args: ['A-7', workspace],
      taskQueue,
      workflowId: 'settle',
    });
    // The application's own results are its own: the key is in them.
    expect(await settle.result()).toEqual({
      receipt: `charged A-7 with ${KEY}`,
      id: 'refund-A-7',
      outcome: 'completed',
      text: 'It was done as it was asked for.',
    });
    const failing = await env.client.workflow.start<typeof workflows.tryWithout>('tryWithout', {
      args: [workspace],
      taskQueue,
      workflowId: 'try',
    });
    expect(await failing.result()).toBe('failed');
    const client = await connect({ temporal: { client: env.client } });
    const listed = async (goal: string) => {
      const ids: string[] = [];
      for await (const run of client.list({ goal })) ids.push(run.id);
      return ids;
    };
    // The server lists it a moment later.
    await until('its run is listed', async () => (await listed('Try it')).length > 0);
    expect(await listed('Try it')).toEqual([expect.stringMatching(/^try\/run-[0-9a-f]{8}$/)]);
    expect(await listed('refund the order')).toEqual(['refund-A-7']);
    await client.close();
    return [settle, env.client.workflow.getHandle('refund-A-7')];
  });
  expect(refunds).toEqual([{ order: 'A-7', dir: workspace, values: {} }]);
  expect(JSON.stringify(model.requests.map(({ body }) => body))).toContain('[secret SHOP_API_KEY]');
  await model.close();
  const histories = await Promise.all(
    handles.map(async handle => ({ workflowId: handle.workflowId, history: await handle.fetchHistory() })),
  );
  await replayHistories(histories, { workflowBundle });
});

test('a workflow of the application, offered as a tool to a run that another one started → gates are answered there, results and failures are read, the run is steered by its tool', async () => {
  const orders = ['A-7', 'A-8', 'A-9'];
  model = await startScriptedModel({
    reply: (_request, nth) =>
      nth === 0
        ? { toolCalls: orders.map(order => ({ name: 'pay_back', arguments: { order } })) }
        : { text: 'A-7 is paid back.' },
  });
  const taskQueue = 'desk';
  const worker = await applicationWorker(taskQueue, { workflowTools: [PAY_BACK] });
  const desk = await worker.runUntil(async () => {
    const handle = await env.client.workflow.start<typeof workflows.refundDesk>('refundDesk', {
      args: [workspace],
      taskQueue,
      workflowId: 'desk',
    });
    expect(await handle.result()).toMatchObject({
      asked: orders.map(order => JSON.stringify({ order })),
      outcome: 'answered',
      text: 'A-7 is paid back.',
    });
    return handle;
  });
  const told = JSON.stringify(model.requests.at(-1)?.body.messages);
  for (const part of ['R-A-7', 'A-8 came too late', 'A-9 was paid back before', 'A-7 is a gift'])
    expect(told).toContain(part);
  await model.close();
  await replayHistories([{ workflowId: 'desk', history: await desk.fetchHistory() }], { workflowBundle });
});

test('a workflow as a tool whose id an older one has still → that call ends, and the run goes on', async () => {
  model = await startScriptedModel({
    reply: (_request, nth) =>
      nth === 0
        ? { toolCalls: [{ name: 'pay_back', arguments: { order: 'A-7' } }] }
        : { text: 'It was not paid back.' },
  });
  const taskQueue = 'again';
  const worker = await applicationWorker(taskQueue, { workflowTools: [PAY_BACK] });
  const { workflow } = env.client;
  // Whatever the number of the call is.
  const older = await Promise.all(
    Array.from({ length: 12 }, (_, call) =>
      workflow.start('payBack', { taskQueue: 'nobody', workflowId: `twice/pay_back/c${call}` }),
    ),
  );
  await worker.runUntil(async () => {
    const handle = await workflow.start('steersmanRun', {
      args: [{ goal: 'Pay back A-7', settings: { mode: 'react', workspace, autoApprove: true } }],
      taskQueue,
      workflowId: 'twice',
    });
    expect(await handle.result()).toMatchObject({
      text: 'It was not paid back.',
      trace: { steps: [{ ending: 'unavailable' }, {}] },
    });
  });
  for (const each of older) await each.terminate();
  await model.close();
});

test('a run that a workflow answers at its gates, kept open → takes its follow-ups as any other, and ends', async () => {
  model = await startScriptedModel({ reply: (_request, nth) => ({ text: `Answer ${nth}.` }) });
  const taskQueue = 'interview';
  const worker = await applicationWorker(taskQueue);
  await worker.runUntil(async () => {
    const handle = await env.client.workflow.start<typeof workflows.interview>('interview', {
      args: [workspace],
      taskQueue,
      workflowId: 'interview',
    });
    expect(await handle.result()).toEqual({
      outcome: 'answered',
      asked: ['What lies at the quay?', 'And what is at sea?'],
    });
  });
  await model.close();
});

test('an answer of a workflow at a gate of a run that has ended meanwhile → comes to nothing, and the workflow goes on', async () => {
  model = await startScriptedModel({
    reply: () => ({ toolCalls: [{ name: 'pay_back', arguments: { order: 'A-7' } }] }),
  });
  const taskQueue = 'late';
  const worker = await applicationWorker(
    taskQueue,
    {
      workflowTools: [PAY_BACK],
    },
    {
      activities: { charge: async () => '' },
    },
  );
  await worker.runUntil(async () => {
    const handle = await env.client.workflow.start<typeof workflows.lateDesk>('lateDesk', {
      args: [workspace],
      taskQueue,
      workflowId: 'late',
    });
    expect(await handle.result()).toBe('stopped');
  });
  await model.close();
});

test('a workflow is cancelled whose run has continued as new, and the tool of that run too → all of them end', async () => {
  model = await startScriptedModel({
    reply: () => ({ toolCalls: [{ name: 'watch_tide', arguments: {} }] }),
  });
  const taskQueue = 'tide';
  let isWatching = () => {};
  const watching = new Promise<void>(resolve => {
    isWatching = resolve;
  });
  const worker = await applicationWorker(
    taskQueue,
    {
      workflowTools: [
        {
          workflow: 'watchTide',
          name: 'watch_tide',
          description: 'Watches the tide.',
          input: z.object({}),
        },
      ],
    },
    {
      activities: {
        charge: async () => {
          isWatching();
          return '';
        },
      },
    },
  );
  await worker.runUntil(async () => {
    const { workflow } = env.client;
    const handle = await workflow.start<typeof workflows.tideDesk>('tideDesk', {
      args: [workspace],
      taskQueue,
      workflowId: 'tide',
      workflowExecutionTimeout: '3 minutes',
    });
    await watching;
    await handle.cancel();
    await expect(handle.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    const run = await workflow.getHandle('tide-run').describe();
    expect(run).toMatchObject({ status: { name: 'CANCELLED' }, memo: { outcome: 'cancelled' } });
  });
  await model.close();
});

test('a query whose replay stands still for long → fails, the worker serves on, and the next one is answered (ST3)', async () => {
  const taskQueue = 'slow';
  let settle = () => {};
  const settled = new Promise<string>(resolve => {
    settle = () => resolve('');
  });
  const worker = await Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle,
    // Every query is a replay.
    maxCachedWorkflows: 0,
    activities: { charge: () => settled },
    plugins: [
      new SteersmanPlugin({
        home: join(workspace, '.home'),
        providers: [createProvider({ name: 'acme', baseUrl: 'http://127.0.0.1:9' })],
        settings: { models: { default: 'acme/large' }, workspaces: [workspace], steering: 'note' },
      }),
    ],
  });
  await worker.runUntil(async () => {
    const handle = await env.client.workflow.start<typeof workflows.slowToReplay>('slowToReplay', {
      // The SDK cuts off a step after 5 s.
      args: [Date.now() + 7_000],
      taskQueue,
      workflowId: 'slow',
    });
    await until('the run waits', async () => (await handle.describe()).raw.pendingActivities?.length === 1);
    await expect(handle.query('where')).rejects.toThrow('timed out');
    expect(await askPatiently(() => handle.query('where'), { giveUpMs: 15_000 })).toBe('here');
    expect(worker.getState()).toBe('RUNNING');
    settle();
    await handle.result();
  });
});

test('an activity that the application has, offered as a tool → called by its name with the arguments alone, its failure told, what is denied not run (T10)', async () => {
  const charged: unknown[][] = [];
  const calls = [
    { order: 'A-7', euros: 3 },
    { order: 'A-8', euros: 5, card: 'none' },
    { order: 'secret/A-9', euros: 1 },
  ];
  model = await startScriptedModel({
    reply: byRole({
      planner: () => planned,
      executor: (_request, nth) =>
        nth === 0 ? { toolCalls: calls.map(args => ({ name: 'charge_card', arguments: args })) } : reported,
    }),
  });
  const worker = await createWorker({
    taskQueue: 'cards',
    connection: env.nativeConnection,
    home: join(workspace, '.home'),
    activities: {
      chargeCard: async (...given: [{ order: string; card: string }]) => {
        charged.push(given);
        if (given[0].card === 'none') throw new Error(`no card for ${given[0].order}`);
        return { receipt: 'R-7', key: KEY };
      },
    },
    activityTools: [
      {
        activity: 'chargeCard',
        name: 'charge_card',
        description: 'Charges a card.',
        input: z.object({ order: z.string(), euros: z.number(), card: z.string().default('first') }),
      },
    ],
    providers: [createProvider({ name: 'acme', baseUrl: model.baseUrl })],
    settings: {
      models: { default: 'acme/large' },
      workspaces: [workspace],
      permissions: { deny: ['charge_card(secret/**)'] },
    },
  });
  const { result, history } = await worker.runUntil(async () => {
    const handle = await env.client.workflow.start('steersmanRun', {
      args: [{ goal: 'Charge the orders', settings: { mode: 'team', workspace, autoApprove: true } }],
      taskQueue: 'cards',
      workflowId: 'cards',
    });
    return { result: await handle.result(), history: await handle.fetchHistory() };
  });
  await model.close();
  expect(charged).toEqual([
    [{ order: 'A-7', euros: 3, card: 'first' }],
    [{ order: 'A-8', euros: 5, card: 'none' }],
  ]);
  expect(result).toMatchObject({ outcome: 'completed' });
  const scheduled = (history.events ?? []).flatMap(
    event => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
  expect(scheduled.filter(type => type === 'chargeCard')).toHaveLength(2);
  const asked = JSON.stringify(model.requests.map(({ body }) => body));
  expect(asked).toContain('R-7');
  expect(asked).toContain('[secret SHOP_API_KEY]');
  expect(asked).toContain('no card for A-8');
  expect(asked).toContain('denied by the configuration');
  await replayHistories([{ workflowId: 'cards', history }]);
});

test('activityTools: an activity that the worker does not have → refused at once, with what it has (T10)', async () => {
  const creating = Worker.create({
    connection: env.nativeConnection,
    taskQueue: 'none',
    activities: { charge: async () => 1 },
    plugins: [new SteersmanPlugin({ activityTools: [{ activity: 'chargeCrad', description: '' }] })],
  });
  await expect(creating).rejects.toMatchObject({ remedy: expect.stringContaining('charge') });
});

test('a bundle that was made without the plugin → refused at once, with the remedy', async () => {
  const creating = Worker.create({
    connection: env.nativeConnection,
    taskQueue: 'bare',
    workflowBundle: { code: 'no workflow of ours' },
    plugins: [new SteersmanPlugin()],
  });
  await expect(creating).rejects.toMatchObject({ remedy: expect.stringContaining('bundleWorkflowCode') });
});

test('a team for tests: no autoApprove and nobody there → a tool of a server is asked for, denied, and not called', async () => {
  const refund = {
    name: 'refund',
    description: '',
    input: z.object({ order: z.string() }),
    run: () => 'paid',
  };
  const server = await startToolServer([defineTool(refund)]);
  const team = await startTestTeam({
    reply: refundScript(),
    environment: env,
    mcpServers: { shop: { url: server.url } },
  });
  const { outcome, trace } = await team.run('Refund the order A-7');
  await team.close();
  await server.close();
  expect(outcome).toBe('completed');
  expect(JSON.stringify(trace)).toContain('denied');
  expect(server.calls).toEqual([]);
});

test('a tool that a person allows for good at a gate → runs unasked in their later runs of that workspace, until they take it back', async () => {
  vi.stubEnv('XDG_STATE_HOME', join(workspace, '.state'));
  let put = 0;
  const team = await startTestTeam({
    environment: env,
    reply: request =>
      request.body.messages.some(({ role }) => role === 'tool')
        ? { text: 'It is put.' }
        : { toolCalls: [{ name: 'put', arguments: {} }] },
    tools: [defineTool({ name: 'put', description: 'Puts.', run: () => `Put ${++put} times.` })],
    settings: { steering: 'note' },
  });
  const client = await connect({ temporal: { client: env.client } });
  const common = { workspace: team.workspace, mode: 'react', taskQueue: team.taskQueue } as const;
  const first = await client.start('Put it', { ...common, attended: true });
  first.onGate(() => ({ decision: 'always', alwaysFor: 'workspace' }));
  await first.result();
  const runs = async (kept: boolean) => {
    await (await client.start('Put it again', { ...common, keptPermissions: kept })).result();
    return put;
  };
  await until('it is kept', () => savedPermissions().length > 0);
  const kept = savedPermissions();
  const counts = [await runs(true), await runs(false)];
  const gone = forgetPermissions(realpathSync(team.workspace));
  counts.push(await runs(true));
  await client.close();
  await team.close();
  vi.unstubAllEnvs();
  expect(kept).toMatchObject([{ server: expect.stringContaining('default'), tools: ['put'] }]);
  expect(gone).toEqual(kept);
  // With what was kept; without; and after it was taken back.
  expect(counts).toEqual([2, 2, 2]);
});

test('the model of each call: a row, the program and a person choose it → each switch is told with from, to and why (M4, M10)', async () => {
  const script = byRole({
    planner: () => planned,
    executor: (_, nth) => (nth < 3 ? { toolCalls: [{ name: 'look', arguments: { at: nth } }] } : reported),
  });
  let handle: WorkflowHandle | undefined;
  const asked: string[] = [];
  const input = z.object({ at: z.number() });
  const team = await startTestTeam({
    environment: env,
    reply: async (request, index) => {
      asked.push(request.body.model);
      // While the executor's third call is in flight.
      if (asked.length === 4)
        await handle?.executeUpdate('setModel', { args: [{ model: 'scripted/told', role: 'executor' }] });
      return script(request, index);
    },
    tools: [defineTool({ name: 'look', description: 'Looks.', input, readOnly: true, run: () => 'Seen.' })],
    resolveModel: ({ turn }) => (turn === 4 ? 'scripted/asked' : null),
    settings: {
      models: {
        resolver: [{ when: { role: 'executor', turnFrom: 3 }, use: 'scripted/row' }],
        info: { 'scripted/told': {}, 'scripted/asked': {} },
      },
    },
  });
  handle = await team.start('Look around');
  expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  expect(asked).toEqual(['model', 'model', 'row', 'asked', 'told', 'model']);
  const events = await eventsOf(handle, 'provider_switch');
  const { switches } = await handle.query<RunView>('state');
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  await team.close();
  const last = { role: 'executor', fromModel: 'scripted/asked', toModel: 'scripted/told' };
  expect(events).toMatchObject([
    {
      fromModel: 'scripted/model',
      toModel: 'scripted/row',
      why: expect.stringContaining('row 1: role exec'),
    },
    { fromModel: 'scripted/row', toModel: 'scripted/asked', why: "chosen by the worker's program" },
    { ...last, why: 'chosen by a person' },
  ]);
  // What `show` and the Web UI tell: the last of each role.
  expect(switches).toEqual([{ ...last, why: 'chosen by a person' }]);
  expect(currentDetails).toContain('executor · scripted/told instead of scripted/asked · chosen by a person');
});

test('a worker for runs alone → serves until it is told to end', async () => {
  model = await startScriptedModel({ reply: refundScript() });
  const worker = await createWorker({
    connection: env.nativeConnection,
    taskQueue: 'alone',
    settings: { models: { default: 'demo' } },
  });
  await worker.runUntil(async () => undefined);
  expect(worker.getState()).toBe('STOPPED');
  await model.close();
});

// Only where Temporal's test server is: the SDK's download is not reached from everywhere.
test.skipIf(process.env.TEMPORAL_TEST_SERVER_PATH === undefined)(
  'a test environment that skips time: nobody answers a gate for a day → denied, and no day passes',
  async () => {
    const environment = await startTestEnvironment({ skipTime: true });
    const refund = {
      name: 'refund',
      description: '',
      input: z.object({ order: z.string() }),
      run: () => 'paid',
    };
    const team = await startTestTeam({ environment, reply: refundScript(), tools: [defineTool(refund)] });
    const { outcome, trace } = await team.run('Refund the order A-7', { attended: true });
    await team.close();
    await environment.teardown();
    expect(outcome).toBe('completed');
    expect(JSON.stringify(trace.steps)).toContain('"ending":"denied"');
    expect(trace.totalMs).toBeGreaterThan(86_400_000);
  },
);
