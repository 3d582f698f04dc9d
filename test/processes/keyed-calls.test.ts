/** Payments: what one call is told to do is done once, and what another is told is another thing. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  bundleWorkflowCode,
  DefaultLogger,
  Worker,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type ScriptedModel,
  startScriptedModel,
  startTestEnvironment,
} from '../../packages/test-kit/index.js';
import { clientTool, connect } from '../../src/client/index.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { createProvider, defineTool, SteersmanPlugin, toolCall } from '../../src/worker/index.js';
import { quietTemporal } from '../support/quiet.js';
import { until } from '../support/wait.js';

const workflowsPath = fileURLToPath(new URL('../support/application/workflows.ts', import.meta.url));
let env: TestWorkflowEnvironment;
let model: ScriptedModel;
let workspace = '';
/** Of the application's workflows and ours: made once. */
let workflowBundle: WorkflowBundleWithSourceMap;

/** A bank that takes each key once. */
class Bank {
  readonly keys: string[] = [];
  readonly charged = new Map<string, string>();

  charge(key: string, what: string): string {
    this.keys.push(key);
    if (!this.charged.has(key)) this.charged.set(key, `Receipt of ${what}.`);
    return this.charged.get(key) ?? '';
  }
}

beforeAll(async () => {
  quietTemporal();
  env = await startTestEnvironment();
  const logger = new DefaultLogger('ERROR');
  workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [new SteersmanPlugin()], logger });
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'steersman-bank-')));
});
afterAll(async () => {
  await model?.close();
  await env?.teardown();
  rmSync(workspace, { recursive: true, force: true });
});

/** Four ways to pay, all of them in one reply of each run. */
const WAYS = ['by_code', 'by_activity', 'by_workflow', 'by_client'];
const noArguments = z.object({});

async function bankWorker(taskQueue: string, bank: Bank, run = bank.charge.bind(bank)): Promise<Worker> {
  const tool = { description: 'Pays.', input: noArguments };
  return Worker.create({
    connection: env.nativeConnection,
    taskQueue,
    workflowBundle,
    shutdownGraceTime: 1,
    activities: {
      charge: async (key: string) => bank.charge(key, 'a workflow'),
      payNow: async () => bank.charge(toolCall()?.idempotencyKey ?? 'no key', 'an activity'),
    },
    plugins: [
      new SteersmanPlugin({
        home: join(workspace, '.home'),
        providers: [createProvider({ name: 'acme', baseUrl: model.baseUrl })],
        settings: { models: { default: 'acme/large' }, workspaces: [workspace], steering: 'note' },
        tools: [
          defineTool({
            ...tool,
            name: 'by_code',
            idempotent: true,
            run: (_, { idempotencyKey }) => run(idempotencyKey, 'a function'),
          }),
        ],
        activityTools: [{ ...tool, activity: 'payNow', name: 'by_activity' }],
        workflowTools: [
          { ...tool, workflow: 'chargeByKey', name: 'by_workflow' },
          { ...tool, workflow: 'watchTide', name: 'by_tide' },
        ],
      }),
    ],
  });
}

/** Of a run: it pays in all these ways, and is done. */
const paying = (ways: readonly string[]) =>
  startScriptedModel({
    reply: ({ body: { messages } }) =>
      messages.some(({ role }) => role === 'tool')
        ? { text: 'It is paid.' }
        : { toolCalls: ways.map(name => ({ name, arguments: {} })) },
  });

/** Resets the run to its beginning. */
async function makeAgain(workflowId: string): Promise<void> {
  const handle = env.client.workflow.getHandle(workflowId);
  const { runId } = await handle.describe();
  const { events } = await handle.fetchHistory();
  const first = events?.find(
    ({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes,
  );
  await env.client.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: first?.eventId ?? null,
    requestId: 'again',
  });
}

test('payments by key: three orders as three runs, two of them of one id, one of them in many parts, one of them reset → each call is charged once', async () => {
  const bank = new Bank();
  model = await paying(WAYS);
  const client = await connect({ temporal: { client: env.client } });
  const byClient = clientTool({
    name: 'by_client',
    description: 'Pays.',
    run: (_, { idempotencyKey }) => bank.charge(idempotencyKey, 'a client'),
  });
  const paid = async (id: string) => {
    const run = await client.attach(id, { tools: [byClient] });
    expect(await run.result()).toMatchObject({ text: 'It is paid.' });
  };
  const order = async (workflowId: string, more: { continueAsNew?: 'every-safe-point' } = {}) => {
    const clientTools = [{ name: 'by_client', description: 'Pays.', inputSchema: { type: 'object' } }];
    const settings = { workspace, mode: 'react', autoApprove: true, clientTools, ...more };
    const started = { workflowId, taskQueue: 'bank', args: [{ goal: 'Pay', settings }] };
    await env.client.workflow.start(WORKFLOW_TYPE, started);
    await paid(workflowId);
  };
  await (await bankWorker('bank', bank)).runUntil(async () => {
    await order('order');
    await order('order');
    await order('other', { continueAsNew: 'every-safe-point' });
    await makeAgain('order');
    await paid('order');
  });
  expect([...bank.charged.values()].toSorted()).toEqual(
    ['an activity', 'a client', 'a function', 'a workflow']
      .flatMap(way => Array(3).fill(`Receipt of ${way}.`))
      .toSorted(),
  );
  // The run that was reset paid again, in all ways, under the same keys.
  expect(bank.keys).toHaveLength(16);
  await client.close();
  await model.close();
});

test('a payment by key: its worker ends amid the call → the next one makes it again under the same key, and nothing is charged twice', async () => {
  const bank = new Bank();
  model = await paying(['by_code']);
  const client = await connect({ temporal: { client: env.client } });
  let isCharged = () => {};
  const charged = new Promise<void>(resolve => {
    isCharged = resolve;
  });
  const first = await bankWorker('fallen', bank, (key, what) => {
    bank.charge(key, what);
    isCharged();
    return new Promise<string>(() => {}) as never;
  });
  const run = await first.runUntil(async () => {
    const begun = await client.start('Pay', {
      workspace,
      mode: 'react',
      autoApprove: true,
      taskQueue: 'fallen',
    });
    await charged;
    return begun;
  });
  await (await bankWorker('fallen', bank)).runUntil(() => run.result());
  expect(bank.keys).toHaveLength(2);
  expect(bank.charged.size).toBe(1);
  await client.close();
});

test('a payment by a workflow: a message interrupts it after it has charged → it may have taken effect, and is not told as cancelled', async () => {
  const bank = new Bank();
  model = await paying(['by_tide']);
  const client = await connect({ temporal: { client: env.client } });
  await (await bankWorker('tide', bank)).runUntil(async () => {
    const run = await client.start('Pay', { workspace, mode: 'react', autoApprove: true, taskQueue: 'tide' });
    await until('it has charged', async () => bank.keys.length > 0);
    await run.steer('Is it paid?', { when: 'interrupt' });
    const { text: answer, trace } = await run.result();
    expect({ answer, ending: trace.steps[0]?.ending }).toEqual({
      answer: 'It is paid.',
      ending: 'outcome_unknown',
    });
  });
  expect(bank.keys).toEqual(['the tide']);
  await client.close();
});
