/** The sides that a benchmark compares: Steersman, its nearest rival, and bare Temporal, each on its own server. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode } from '@temporalio/worker';
import { resolveHome } from '../../src/shared/local/home.js';
import { localConnection } from '../../src/shared/local/probe.js';
import { type Database, startArena, startModel, startServer } from './arena.js';
import { endProcess, listened, saidBy } from './processes.js';
import { callsOf, type RunShape, singleCalls } from './run-script.js';
import { endOf, startRun } from './runs.js';

export interface Side {
  name: string;
  client: Client;
  server: ChildProcess;
  startWorker(taskQueue: string): Promise<ChildProcess>;
  start(taskQueue: string): Promise<WorkflowHandle>;
  /** Waits for a run, and throws if it did not do all of its work. */
  end(handle: WorkflowHandle): Promise<unknown>;
  close(): Promise<void>;
}

export interface SideOptions {
  database: Database;
  /** Time that the model and the tool take for each call, milliseconds. */
  waitMs: number;
  /** Bytes of a tool result. */
  toolBytes: number;
}

/** One call of the planner, nine of the executor (two of them with two tool calls), and one of the verifier. */
const TEAM: RunShape = { mode: 'team', toolCalls: [2, 2, ...singleCalls(6)] };
/** One agent without planner and verifier: a tool call in each of ten turns, then an answer. */
const ONE_AGENT: RunShape = { mode: 'react', toolCalls: singleCalls(10) };
/** The calls of every side: 11 of the model and 10 of the tool. */
export const CALLS = { model: 11, tool: callsOf(TEAM).tool };

export async function steersmanSide(options: SideOptions, mode: 'team' | 'react'): Promise<Side> {
  const shape = mode === 'team' ? TEAM : ONE_AGENT;
  const arena = await startArena({ ...options, shape });
  return {
    ...arena,
    name: `Steersman, ${mode}`,
    start: taskQueue => startRun(arena, taskQueue),
    end: handle => endOf(handle, shape),
  };
}

/** Bare Temporal, with as many empty activities as the other sides make calls. */
export async function floorSide({ database, waitMs }: SideOptions): Promise<Side> {
  const temporal = await startTemporal(database);
  const { code } = await bundleWorkflowCode({ workflowsPath: FLOOR_WORKFLOW, logger: QUIET });
  const bundle = join(temporal.dir, 'floor-bundle.js');
  writeFileSync(bundle, code);
  const calls = CALLS.model + CALLS.tool;
  return {
    ...temporal,
    name: 'bare Temporal',
    startWorker: taskQueue =>
      temporal.startWorker(FLOOR_WORKER, {
        ...{ address: temporal.address, taskQueue, bundle, waitMs },
      }),
    start: taskQueue => start(temporal.client, 'floorRun', taskQueue, calls),
    end: async handle => {
      const made = await handle.result();
      if (made !== calls) throw new Error(`bare Temporal was to make ${calls} calls and made ${made}`);
    },
  };
}

/**
 * One agent of `@temporalio/openai-agents` with one tool, an activity. `instructions`: the agent's prompt. History
 * has a copy of it for each model call.
 */
export async function rivalSide(
  { database, waitMs, toolBytes }: SideOptions,
  instructions: string,
): Promise<Side> {
  const dir = installRival();
  const temporal = await startTemporal(database);
  const { model, modelUrl } = await startModel(ONE_AGENT, waitMs, WHOLE_MODEL);
  const bundle = join(temporal.dir, 'rival-bundle.js');
  node([join(dir, 'bundle.mjs'), bundle, instructions]);
  return {
    ...temporal,
    name: 'openai-agents',
    startWorker: taskQueue =>
      temporal.startWorker(join(dir, 'worker.mjs'), {
        ...{ address: temporal.address, taskQueue, bundle, baseURL: modelUrl, toolMs: waitMs, toolBytes },
      }),
    start: taskQueue => start(temporal.client, 'rivalRun', taskQueue, 'Say what the records show.'),
    end: async handle => {
      const answer = String(await handle.result());
      if (!answer.includes(`${CALLS.tool} records read`)) throw new Error(`the rival said: ${answer}`);
    },
    close: async () => {
      model.kill();
      await temporal.close();
    },
  };
}

/** Installs the versions that `bench/rival/package.json` pins, in a folder where no module of ours is looked up. */
function installRival(): string {
  const wanted = readFileSync(join(RIVAL, 'package.json'));
  const version = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const dir = join(resolveHome(), `bench-rival-${version}`);
  mkdirSync(dir, { recursive: true });
  cpSync(RIVAL, dir, { recursive: true });
  if (existsSync(join(dir, 'installed'))) return dir;
  console.error(`Installing the rival into ${dir} …`);
  const npm = spawnSync('npm', ['install', '--no-package-lock', '--no-audit', '--no-fund'], {
    cwd: dir,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) throw new Error('the rival could not be installed');
  writeFileSync(join(dir, 'installed'), '');
  return dir;
}

const RIVAL = fileURLToPath(new URL('../rival', import.meta.url));
const FLOOR_WORKFLOW = fileURLToPath(new URL('./floor-workflow.js', import.meta.url));
const FLOOR_WORKER = fileURLToPath(new URL('./floor-worker.js', import.meta.url));
const WHOLE_MODEL = fileURLToPath(new URL('./whole-model.js', import.meta.url));
const QUIET = { trace() {}, debug() {}, info() {}, warn: console.error, error: console.error, log() {} };

async function startTemporal(database: Database) {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-bench-'));
  const { server, address } = await startServer(dir, database);
  const connection = localConnection(address);
  return {
    dir,
    server,
    address,
    client: new Client({ connection }),
    startWorker: async (script: string, options: object) => {
      const args = [script, JSON.stringify(options)];
      const worker = listened(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] }));
      await saidBy(worker, /Serving the task queue/);
      return worker;
    },
    close: async () => {
      await connection.close();
      await endProcess(server);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function start(client: Client, type: string, taskQueue: string, argument: unknown): Promise<WorkflowHandle> {
  const workflowId = `bench-${randomUUID().slice(0, 8)}`;
  return client.workflow.start(type, { args: [argument], taskQueue, workflowId });
}

function node(args: string[]): void {
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${args[0]} failed`);
}
