import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Worker } from '@temporalio/worker';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roleOf } from '../../packages/test-kit/by-role.js';
import {
  byRole,
  execution,
  plan,
  type ScriptedModel,
  type ScriptedReply,
  startScriptedModel,
  startTestEnvironment,
} from '../../packages/test-kit/index.js';
import { createWorker } from '../../src/worker/index.js';
import { installPackage } from '../support/package.js';
import { projectRoot } from '../support/project.js';
import { quietTemporal } from '../support/quiet.js';
import { latch } from '../support/steering.js';
import { until } from '../support/wait.js';

const STEERED_GOAL = 'Summarise this folder.';
const steered = latch();
let dir = '';
let workspace = '';
let env: TestWorkflowEnvironment;
let model: ScriptedModel;
let worker: Worker;
let running: Promise<void>;

/** A project that has the package installed, as it is packed, with the examples as its programs. */
async function makeProject(): Promise<void> {
  dir = installPackage({ types: false });
  workspace = join(dir, 'workspace');
  mkdirSync(workspace);
  const examples = join(projectRoot, 'examples');
  // One with a package of its own has what is not installed here.
  const programs = readdirSync(examples).map(name => join(examples, name, 'main.ts'));
  await build({
    entryPoints: programs.filter(path => existsSync(path)),
    outdir: dir,
    outbase: examples,
    bundle: true,
    packages: 'external',
    // The package is what is built, not the sources that our own paths name.
    tsconfigRaw: {},
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  // A worker bundles it from its source.
  const workflows = 'run-in-workflow/workflows.ts';
  cpSync(join(examples, workflows), join(dir, workflows));
}

const planned: ScriptedReply = { text: plan({ todos: ['Do it'] }) };
const reported: ScriptedReply = { text: execution({ summary: 'It was done.', taskCompleted: true }) };

beforeAll(async () => {
  quietTemporal();
  await makeProject();
  const others = byRole({ planner: () => planned, executor: () => reported });
  let refunded = false;
  model = await startScriptedModel({
    reply: (request, index) => {
      const isExecutor = roleOf(request) === 'executor';
      if (isExecutor && request.toolNames.includes('refund_order') && !refunded) {
        refunded = true;
        return { toolCalls: [{ name: 'refund_order', arguments: { id: 'A-7' } }] };
      }
      const isSteered = isExecutor && JSON.stringify(request.body.messages).includes(STEERED_GOAL);
      return isSteered ? { ...reported, hold: { until: steered.until } } : others(request, index);
    },
  });
  Object.assign(process.env, { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'test-key' });
  env = await startTestEnvironment();
  worker = await createWorker({
    connection: env.nativeConnection,
    home: join(dir, 'home'),
    settings: { workspaces: [workspace], steering: 'note', models: { default: 'openai/gpt-5-mini' } },
  });
  running = worker.run();
});
afterAll(async () => {
  worker?.shutdown();
  await running;
  await model?.close();
  await env?.teardown();
  rmSync(dir, { recursive: true, force: true });
});

interface Program {
  child: ChildProcess;
  said(): string;
  /** What it said, when it has ended well. */
  ended: Promise<string>;
}

function runExample(
  name: string,
  { args = [], ...more }: { args?: string[] } & Record<string, unknown> = {},
): Program {
  const child = spawn(process.execPath, [join(dir, name, 'main.js'), ...args], {
    cwd: workspace,
    env: {
      ...process.env,
      TEMPORAL_ADDRESS: env.address,
      STEERSMAN_HOME: join(dir, 'home'),
      MODEL: 'openai/gpt-5-mini',
      ...(more as Record<string, string>),
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk));
  const ended = new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => (code === 0 ? resolve(said) : reject(new Error(`${name}: ${code}\n${said}`))));
  });
  return { child, said: () => said, ended };
}

test.concurrent('example start-and-watch → what happens, then the result', async () => {
  const said = await runExample('start-and-watch').ended;
  expect(said).toMatch(/· run_started[\s\S]*· run_ended[\s\S]*completed, \d+ tokens written: It was done/);
});

test.concurrent('example steer → the run takes the message, and it is applied', async () => {
  const program = runExample('steer');
  const taken = until('the message was taken', async () => /accepted:/.test(program.said()));
  await Promise.race([taken, program.ended]);
  steered.open();
  expect(await program.ended).toMatch(/applied:[\s\S]*completed: /);
});

test.concurrent('example own-worker → its tool is used once', async () => {
  expect(await runExample('own-worker').ended).toMatch(/completed: [\s\S]*Refunded: true/);
});

test.concurrent('example run-in-workflow → what the run wrote is published', async () => {
  expect(await runExample('run-in-workflow').ended).toContain('Published 2.0:\nIt was done');
});

test.concurrent('example nightly-schedule → triggered now, it starts a run', async () => {
  expect(await runExample('nightly-schedule', { args: ['--now'] }).ended).toContain('completed: ');
});

test.concurrent('example approvals-webhook → the hook is told, and its answer lets the run go on', async () => {
  let told = (_question: Record<string, unknown>) => {};
  const question = new Promise<Record<string, unknown>>(resolve => {
    told = resolve;
  });
  const hook = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    told(JSON.parse(body));
    response.writeHead(200).end();
  });
  await new Promise<void>(resolve => hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as AddressInfo;
  const program = runExample('approvals-webhook', {
    HOOK_URL: `http://127.0.0.1:${port}`,
    HOOK_TOKEN: 'secret',
    PORT: '0',
  });
  // A program that ends before it has asked says why.
  const { run, gate, kind } = await Promise.race([
    question,
    program.ended.then(said => ({ kind: said }) as Record<string, unknown>),
  ]);
  expect(kind).toBe('plan');
  const at = /port: (\d+)/.exec(program.said())?.[1];
  const answer = (decision: string, token = 'secret') =>
    fetch(`http://127.0.0.1:${at}/answers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ run, gate, decision }),
    });
  expect((await answer('approve', 'another')).status).toBe(401);
  expect((await answer('always')).status).toBe(400);
  expect((await answer('approve')).status).toBe(204);
  expect(await program.ended).toContain('completed: ');
  hook.close();
});
