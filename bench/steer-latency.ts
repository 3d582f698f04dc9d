/**
 * Measures the time from a person's signal to its effect: until a model call is cut off, and until the next one
 * begins.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { Command } from 'commander';
import { WORKFLOW_TYPE } from '../src/run/agents/run-config.js';
import { localConnection } from '../src/shared/local/probe.js';
import { steerSignal, stopSignal } from '../src/workflows/run/definitions.js';
import type { ChatRequest } from '../test/support/endpoint/model.js';
import { type ScriptedReply, startScriptedModel } from '../test/support/endpoint/model.js';
import { fakeMcp } from '../test/support/fake-mcp-server.js';
import { startTemporalProcess, startWorkerProcess } from '../test/support/processes.js';
import { makeProject } from '../test/support/project.js';
import { runSettings } from '../test/support/rig.js';
import { accepted, calls, planned, roleOf, settingsYaml } from '../test/support/steering.js';
import { until } from '../test/support/wait.js';
import { machine, median, quantile, table } from './support/machine.js';

const { samples } = new Command('steer-latency')
  .option('--samples <n>', 'signals of each kind', Number, 40)
  .parse()
  .opts<{ samples: number }>();
const LIMITS = { execution: 10_000, replies: 10_000, turns: 100_000, tokens: 1_000_000_000 };

/** The kind of sample that is taken during a reply of the executor. */
type Kind = 'interrupt' | 'skip';
let kind: Kind = 'interrupt';
const asked: ChatRequest[] = [];
const arrivedAt: number[] = [];

const home = mkdtempSync(join(tmpdir(), 'steersman-latency-'));
const temporal = await startTemporalProcess(home);
const connection = localConnection(temporal.address);
const fake = fakeMcp();
const project = makeProject({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    'steersman.yaml': settingsYaml('steering: note'),
  },
});
const model = await startScriptedModel({ reply: request => replyTo(request) });
const taskQueue = `steer-latency-${randomUUID().slice(0, 8)}`;
const worker = await startWorkerProcess({
  address: temporal.address,
  taskQueue,
  project,
  model,
});
try {
  console.log(`steer-latency: ${samples} signals of each kind to a run, Temporal on a database file`);
  console.log(`${machine()}; worker in a process of its own, model and tools on this machine\n`);
  const client = new Client({ connection });
  const cuts = await measure(client, 'interrupt', sampleInterrupt);
  const skips = await measure(client, 'skip', sampleSkip);
  const rows = [
    ['interrupt: signal to the end of the model stream', cuts.map(([cut = Number.NaN]) => cut)],
    ['interrupt: signal to the next model call with the message', cuts.map(([, next = Number.NaN]) => next)],
    [
      "skip: end of the tool (gate's prefix, polled every 20 ms) to the next model call",
      skips.map(([next = Number.NaN]) => next),
    ],
  ] as const;
  const figures = rows.map(([name, values]) => [name, ...[0.5, 0.95, 1].map(share => figure(values, share))]);
  console.log(table(['ms', 'median', 'p95', 'most'], figures));
} finally {
  worker.end('SIGTERM');
  await worker.exited;
  await model.close();
  await connection.close();
  await temporal.stop();
  fake.remove();
  for (const dir of [home, project.dir]) rmSync(dir, { recursive: true, force: true });
}

function figure(values: readonly number[], share: number): string {
  return (share === 0.5 ? median([...values]) : quantile(values, share)).toFixed(0);
}

function replyTo(request: ChatRequest): ScriptedReply {
  if (roleOf(request) === 'planner') return planned;
  arrivedAt.push(performance.now());
  asked.push(request);
  if (kind === 'skip')
    return calls(
      { name: 'slow', arguments: { gate: gateOf(asked.length) } },
      { name: 'echo', arguments: { text: 'more' } },
    );
  return { text: 'A long reply goes on and on. '.repeat(2_000), chunkChars: 8, delayMs: 20 };
}

function gateOf(nth: number): string {
  return `${kind}-${nth}`;
}

type Sample = (handle: WorkflowHandle, nth: number) => Promise<number[]>;

/** One run for each kind, so that conversations stay short. The first sample warms up and is left out. */
async function measure(client: Client, wanted: Kind, sample: Sample): Promise<number[][]> {
  kind = wanted;
  asked.length = 0;
  arrivedAt.length = 0;
  const handle = await client.workflow.start(WORKFLOW_TYPE, {
    args: [{ goal: 'Be steered', settings: runSettings(project.workspace, { limits: LIMITS }) }],
    taskQueue,
    workflowId: `${taskQueue}-${wanted}`,
  });
  const taken: number[][] = [];
  for (let nth = 1; nth <= samples + 1; nth++) {
    await until(`model call ${nth}`, () => asked.length >= nth, 120_000);
    taken.push(await sample(handle, nth));
  }
  await handle.signal(stopSignal);

  for (let nth = 1; nth <= asked.length; nth++) fake.openGate(gateOf(nth));
  await handle.result();
  return taken.slice(1);
}

async function sampleInterrupt(handle: WorkflowHandle, nth: number): Promise<number[]> {
  const request = asked[nth - 1];
  if (!request) throw new Error(`model call ${nth} was not made`);
  // The delay varies, so that it favours no interval of heartbeats.
  await sleep(300 + ((nth * 137) % 900));
  const gone = new Promise<number>(resolve =>
    request.gone.addEventListener('abort', () => resolve(performance.now())),
  );
  const from = performance.now();
  await handle.signal(steerSignal, { id: `i${nth}`, text: `Otherwise, please: ${nth}`, when: 'interrupt' });
  const cutAt = await Promise.race([gone, sleep(20_000).then(() => Number.NaN)]);
  if (Number.isNaN(cutAt)) throw new Error(`model call ${nth} was not cut off within 20 s`);
  await until('the next model call', () => asked.length > nth, 60_000);
  return [cutAt - from, (arrivedAt[nth] ?? Number.NaN) - from];
}

async function sampleSkip(handle: WorkflowHandle, nth: number): Promise<number[]> {
  await until('the tool runs', () => fake.events().some(({ args }) => args?.gate === gateOf(nth)));
  await handle.signal(steerSignal, { id: `s${nth}`, text: `Otherwise, please: ${nth}` });
  await accepted(handle, `s${nth}`);
  const from = performance.now();
  fake.openGate(gateOf(nth));
  await until('the next model call', () => asked.length > nth, 60_000);
  return [(arrivedAt[nth] ?? Number.NaN) - from];
}
