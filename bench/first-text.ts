/**
 * Measures how soon a person sees something: from a run's start to its first model call, and from a model's first
 * token to a watcher.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { Command } from 'commander';
import { wireText } from '../packages/test-kit/model-server.js';
import { execution, plan, verdict } from '../packages/test-kit/role-outputs.js';
import { RunReader } from '../src/client/record/run-reader.js';
import { watchRun } from '../src/client/watch/watch-run.js';
import { WORKFLOW_TYPE } from '../src/run/agents/run-config.js';
import { localConnection } from '../src/shared/local/probe.js';
import type { ChatRequest } from '../test/support/endpoint/model.js';
import { type ScriptedReply, startScriptedModel } from '../test/support/endpoint/model.js';
import { startTemporalProcess, startWorkerProcess } from '../test/support/processes.js';
import { makeProject } from '../test/support/project.js';
import { runSettings } from '../test/support/rig.js';
import { roleOf, settingsYaml } from '../test/support/steering.js';
import { until } from '../test/support/wait.js';
import { machine, median, quantile, table } from './support/machine.js';

const { samples, runs, modelMs } = new Command('first-text')
  .option('--samples <n>', 'replies that are watched, one after the other', Number, 30)
  .option('--runs <n>', 'runs that start at once', Number, 100)
  .option(
    '--model-ms <n>',
    'what the model takes before the first token of a run, milliseconds',
    Number,
    2_000,
  )
  .parse()
  .opts<{ samples: number; runs: number; modelMs: number }>();
/** The interval of heartbeats and of watchers on the local stack. */
const LOCAL_MS = 250;

/** The time of the first request of each run, by the run's name, which its goal ends with. */
const asked = new Map<string, number>();
const toldAt = new Map<string, number>();

const home = mkdtempSync(join(tmpdir(), 'steersman-first-text-'));
const temporal = await startTemporalProcess(home);
const connection = localConnection(temporal.address);
const client = new Client({ connection });
const project = makeProject({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: {} }),
    'steersman.yaml': settingsYaml('liveText:', `  throttleMs: ${LOCAL_MS}`),
  },
});
const model = await startScriptedModel({ reply: request => replyTo(request) });
const taskQueue = `first-text-${randomUUID().slice(0, 8)}`;
const worker = await startWorkerProcess({
  address: temporal.address,
  taskQueue,
  project,
  model,
});
try {
  console.log(
    `first-text: Temporal on a database file; worker in a process of its own, model and watcher in this one`,
  );
  console.log(`${machine()}\n`);
  await startAtOnce('warm', 1);
  const rows = [
    row(`start of one run to its model's first call`, await inTurn('one', 10)),
    row(`start of ${runs} runs at once, each to its model's first call`, await startAtOnce('many', runs)),
    row('first token of a reply to a watcher', await watched()),
  ];
  console.log(table(['ms', 'median', 'p95', 'most'], rows));
} finally {
  worker.end('SIGTERM');
  await worker.exited;
  await model.close();
  await connection.close();
  await temporal.stop();
  for (const dir of [home, project.dir]) rmSync(dir, { recursive: true, force: true });
}

function row(title: string, values: number[]): string[] {
  return [
    title,
    ...[median(values), quantile(values, 0.95), quantile(values, 1)].map(value => value.toFixed(0)),
  ];
}

function nameIn({ body }: ChatRequest): string {
  return /run-named-([\w-]+)/.exec(body.messages.map(wireText).join('\n'))?.[1] ?? '';
}

async function replyTo(request: ChatRequest): Promise<ScriptedReply> {
  const name = nameIn(request);
  const isFirst = !asked.has(name);
  if (isFirst) asked.set(name, performance.now());
  model.requests.length = 0;
  if (name.startsWith('watched')) {
    // The delay varies, so that it favours no interval of heartbeats. It is longer than a call that ends before it is
    // shown.
    await sleep(300 + ((toldAt.size * 137) % 900));
    toldAt.set(name, performance.now());
    return { text: 'A long reply goes on and on. '.repeat(20), chunkChars: 8, delayMs: 20 };
  }
  await sleep(isFirst ? modelMs : 30);
  if (roleOf(request) === 'planner') return { text: plan({ todos: ['Say it.'] }) };
  if (roleOf(request) === 'verifier')
    return { text: verdict({ summary: 'It was said as it was asked for.' }) };
  return { text: execution({ summary: 'It was said.', taskCompleted: true }) };
}

function start(name: string, mode = 'team'): Promise<WorkflowHandle> {
  const settings = { ...runSettings(project.workspace, { autoApprove: true }), mode };
  return client.workflow.start(WORKFLOW_TYPE, {
    args: [{ goal: `Say something. run-named-${name}`, settings }],
    taskQueue,
    workflowId: `${taskQueue}-${name}`,
  });
}

/** Starts runs at the same time; returns the milliseconds until the first model call of each. */
async function startAtOnce(prefix: string, count: number): Promise<number[]> {
  const names = Array.from({ length: count }, (_, nth) => `${prefix}-${nth}`);
  const from = performance.now();
  const handles = await Promise.all(names.map(name => start(name)));
  await Promise.all(handles.map(handle => handle.result()));
  return names.map(name => (asked.get(name) ?? Number.NaN) - from);
}

async function inTurn(prefix: string, count: number): Promise<number[]> {
  const all: number[] = [];
  for (let nth = 0; nth < count; nth++) all.push(...(await startAtOnce(`${prefix}-${nth}`, 1)));
  return all;
}

/** Returns the milliseconds from the model's first token to the first text that a watcher gets. */
async function watched(): Promise<number[]> {
  const all: number[] = [];
  for (let nth = 0; nth < samples; nth++) {
    const name = `watched-${nth}`;
    const handle = await start(name, 'direct');
    const seen = await firstTextOf(handle.workflowId);
    await until('the first token', () => toldAt.has(name));
    all.push(seen - (toldAt.get(name) ?? Number.NaN));
    await handle.result();
  }
  return all;
}

async function firstTextOf(id: string): Promise<number> {
  const { address } = temporal;
  const scope = { client, address, namespace: 'default', local: null, close: async () => {} };
  for await (const event of watchRun(new RunReader(scope, id), { pollMs: LOCAL_MS })) {
    if (event.type === 'text') return performance.now();
  }
  throw new Error(`${id} ended and no text was shown`);
}
