/** Versions of a worker deployment: what a roll of workers does to the runs that are under way. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import type { ScriptedModel } from '../support/endpoint/model.js';
import { startScriptedModel } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { killWorkers, spawnWorker, startWorkerProcess, type WorkerProcess } from '../support/processes.js';
import { makeProject, projectRoot, type TestProject } from '../support/project.js';
import { runSettings, sharedTemporal } from '../support/rig.js';
import { until } from '../support/wait.js';

const QUEUE = 'rolled';
const DEPLOYMENT = 'steersman-test';

let env: TestWorkflowEnvironment;
let model: ScriptedModel;
let project: TestProject;
let goOn = () => {};
const dirs: string[] = [];

beforeAll(async () => {
  env = await sharedTemporal();
  const held = new Promise<void>(resolve => {
    goOn = resolve;
  });
  // A first goal waits until it is let go on; any other is answered at once.
  model = await startScriptedModel({
    reply: ({ body }) =>
      JSON.stringify(body).includes('Old goal') ? { text: 'Old.', hold: { until: held } } : { text: 'New.' },
  });
  const server = { ...fakeMcp().stdioEntry(), stateful: true };
  project = makeProject({ config: { '.mcp.json': JSON.stringify({ mcpServers: { held: server } }) } });
  dirs.push(project.dir);
});
afterEach(killWorkers);
afterAll(async () => {
  await model?.close();
  await env?.teardown();
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
});

/** This build with another name for the activity that calls models: histories of one do not replay in the other. */
function breakingBuild(): string {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-test-'));
  dirs.push(dir);
  for (const name of ['dist', 'prompts', 'package.json', 'steersman.yaml', '.mcp.json'])
    cpSync(join(projectRoot, name), join(dir, name), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(dir, 'node_modules'));
  for (const name of readdirSync(join(dir, 'dist'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = join(dir, 'dist', name);
    const code = readFileSync(file, 'utf8');
    if (code.includes('steersmanCallModel'))
      writeFileSync(file, code.replaceAll('steersmanCallModel', 'steersmanCallAnother'));
  }
  return dir;
}

function options(more: { buildId?: string; packageDir?: string; args?: string[] }) {
  const { buildId, ...rest } = more;
  const version = {
    TEMPORAL_DEPLOYMENT_NAME: DEPLOYMENT,
    ...(buildId && { TEMPORAL_WORKER_BUILD_ID: buildId }),
  };
  return {
    address: env.address,
    taskQueue: QUEUE,
    project,
    model,
    env: version,
    ...rest,
  };
}

/** Refused for good where a queue of the current version gets no worker of the new one; its polls begin one by one. */
async function makeCurrent(buildId: string): Promise<void> {
  const request = {
    namespace: 'default',
    deploymentName: DEPLOYMENT,
    buildId,
    identity: 'test',
  };
  await until('the server knows the version', async () => {
    try {
      await env.client.workflowService.setWorkerDeploymentCurrentVersion(request);
      return true;
    } catch (error) {
      if (/NOT_FOUND|missing active task queues/.test(String(error))) return false;
      throw error;
    }
  });
}

function start(workflowId: string, goal: string): Promise<WorkflowHandle> {
  return env.client.workflow.start(WORKFLOW_TYPE, {
    workflowId,
    taskQueue: QUEUE,
    args: [{ goal, settings: runSettings(project.workspace, { mode: 'direct' }) }],
  });
}

async function versionOf(handle: WorkflowHandle): Promise<string | undefined> {
  const { raw } = await handle.describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

test('two versions that break each other, with a stateful tool server → each run ends on its own, and a replay tells before', async () => {
  const packageDir = breakingBuild();
  const first: WorkerProcess = await startWorkerProcess(options({ buildId: 'one' }));
  await makeCurrent('one');
  const old = await start('old-run', 'Old goal');
  await until('the model is asked', () => model.requests.length > 0);

  const check = (dir: object) => spawnWorker(options({ buildId: 'two', args: ['--replay'], ...dir }));
  const same = check({});
  expect(await same.exited).toBe(0);
  expect(same.log()).toMatch(/1 open run of rolled replayed by version \w+: 1 go on, 0 would not/);
  const other = check({ packageDir });
  expect(await other.exited).toBe(1);
  expect(other.log()).toMatch(/old-run \(.+\) does not replay/);

  await startWorkerProcess(options({ buildId: 'two', packageDir }));
  await makeCurrent('two');
  const fresh = await start('new-run', 'New goal');
  expect(await fresh.result()).toMatchObject({ text: 'New.' } satisfies Partial<RunResult>);
  goOn();
  expect(await old.result()).toMatchObject({ text: 'Old.' } satisfies Partial<RunResult>);
  expect([await versionOf(old), await versionOf(fresh)]).toEqual(['one', 'two']);
  expect(first.log()).toContain(`Version one of the deployment ${DEPLOYMENT}`);
});

test('a worker that serves the console: SIGTERM while a browser holds a connection → it ends in order (OP2)', async () => {
  const { address } = env;
  const args = ['--console'];
  const worker = await startWorkerProcess({ address, taskQueue: 'with-console', project, model, args });
  const url = /Console {2}(http\S+)#/.exec(worker.log())?.[1] ?? '';
  expect((await fetch(`${url}healthz`)).status).toBe(200);
  worker.end('SIGTERM');
  expect(await worker.exited).toBe(0);
});
