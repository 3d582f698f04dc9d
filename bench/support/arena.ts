/** Starts everything that a benchmark needs, each in its own process: Temporal, a scripted model, a worker. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, type Connection } from '@temporalio/client';
import { temporalBinary } from '../../packages/stack/download/temporal-fetch.js';
import { SEARCH_ATTRIBUTES } from '../../src/rules/steering/search-attributes.js';
import { resolveHome } from '../../src/shared/local/home.js';
import { isHealthy, localConnection } from '../../src/shared/local/probe.js';
import { builtScript, projectRoot } from '../../src/shared/process/package.js';
import { freePort } from '../../test/support/processes.js';
import { endProcess, listened, saidBy } from './processes.js';
import type { RunShape } from './run-script.js';

export type Database = 'memory' | 'file';

export interface ArenaOptions {
  database: Database;
  shape: RunShape;
  /** Bytes of a tool result. */
  toolBytes: number;
  /** Time that the model and the tool take for each call, milliseconds. Default 30. */
  waitMs?: number;
  /** Time that the model takes for each call, milliseconds. Default `waitMs`. */
  modelMs?: number;
  /** Script of another model. Default: one that streams the replies of the shape. */
  modelScript?: string;
  /** Lines for `steersman.yaml`. */
  settings?: string;
}

/** A configured project with a live server and model. Workers are started as needed. */
export interface Arena {
  /** The shape of all its runs. */
  shape: RunShape;
  client: Client;
  address: string;
  server: ChildProcess;
  model: ChildProcess;
  configDir: string;
  workspace: string;
  home: string;
  /** The model's address, for providers in this process. */
  modelUrl: string;
  /** Starts a worker process of the build; `nodeArgs` precede the script. */
  startWorker(taskQueue: string, nodeArgs?: string[]): Promise<ChildProcess>;
  close(): Promise<void>;
}

const TOOL_SERVER = fileURLToPath(new URL('./tool-server.mjs', import.meta.url));
const MODEL_PROCESS = fileURLToPath(new URL('./model-process.js', import.meta.url));

export async function startArena(options: ArenaOptions): Promise<Arena> {
  const { database, shape, toolBytes, waitMs = 30, modelMs = waitMs, modelScript, settings = '' } = options;
  const dir = mkdtempSync(join(tmpdir(), 'steersman-bench-'));
  const place = makeProject(dir, waitMs, toolBytes, settings);
  const { server, address } = await startServer(dir, database);
  const { model, modelUrl } = await startModel(shape, modelMs, modelScript);
  const connection: Connection = localConnection(address);
  const workers: ChildProcess[] = [];
  return {
    shape,
    client: new Client({ connection }),
    address,
    server,
    model,
    ...place,
    modelUrl,
    startWorker: async (taskQueue, nodeArgs = []) => {
      const worker = startWorker({ taskQueue, nodeArgs, address, modelUrl, ...place });
      workers.push(worker);
      await saidBy(worker, /Serving the task queue/);
      return worker;
    },
    close: async () => {
      await Promise.all(workers.map(worker => endProcess(worker)));
      await connection.close();
      model.kill();
      await endProcess(server);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Starts a scripted model in its own process. Default: one that streams. */
export async function startModel(
  shape: RunShape,
  thinkMs: number,
  script = MODEL_PROCESS,
): Promise<{ model: ChildProcess; modelUrl: string }> {
  const model = fork(script, [JSON.stringify({ ...shape, thinkMs })]);
  const [{ baseUrl: modelUrl }] = await new Promise<[{ baseUrl: string }]>(resolve =>
    model.once('message', message => resolve([message as { baseUrl: string }])),
  );
  return { model, modelUrl };
}

interface Place {
  configDir: string;
  workspace: string;
  home: string;
}

/** Makes a project in which all runs share one workspace, and so one tool server. */
function makeProject(dir: string, waitMs: number, toolBytes: number, more: string): Place {
  const place = {
    configDir: join(dir, 'config'),
    workspace: join(dir, 'workspace'),
    home: join(dir, 'home'),
  };
  for (const path of Object.values(place)) mkdirSync(path);
  const { configDir } = place;
  cpSync(join(projectRoot, 'prompts'), join(configDir, 'prompts'), { recursive: true });
  const settings = readFileSync(join(projectRoot, 'steersman.yaml'), 'utf8').replace(
    '  # default: ',
    '  default: ',
  );
  writeFileSync(join(configDir, 'steersman.yaml'), `${settings}\nworkspaces: ["/"]\n${more}`);
  const env = { BENCH_TOOL_MS: String(waitMs), BENCH_TOOL_BYTES: String(toolBytes) };
  const bench = { command: process.execPath, args: [TOOL_SERVER], env };
  writeFileSync(join(configDir, '.mcp.json'), JSON.stringify({ mcpServers: { bench } }));
  return place;
}

/** Starts a Temporal server in memory, or on a database file in `dir`. */
export async function startServer(
  dir: string,
  database: Database,
): Promise<{ server: ChildProcess; address: string }> {
  const { path } = await temporalBinary(resolveHome(), line => console.error(line));
  const port = await freePort();
  const server = spawn(
    path,
    [
      ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)],
      ...['--log-level', 'error'],
      ...(database === 'file' ? ['--db-filename', join(dir, 'temporal.db')] : []),
      ...SEARCH_ATTRIBUTES.flatMap(name => ['--search-attribute', `${name}=Keyword`]),
    ],
    { stdio: 'ignore' },
  );
  const address = `127.0.0.1:${port}`;
  for (let tries = 0; !(await isHealthy(address)); tries++) {
    if (tries > 100 || server.exitCode !== null) throw new Error('the Temporal server did not start');
    await sleep(100);
  }
  return { server, address };
}

interface WorkerStart extends Place {
  taskQueue: string;
  nodeArgs: string[];
  address: string;
  modelUrl: string;
}

function startWorker({ taskQueue, nodeArgs, address, modelUrl, configDir, home }: WorkerStart): ChildProcess {
  const script = builtScript('worker.js');
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: address,
    STEERSMAN_HOME: home,
    OPENAI_BASE_URL: modelUrl,
    OPENAI_API_KEY: 'bench',
  };
  const args = [...nodeArgs, script, '--config', configDir, '--task-queue', taskQueue];
  return listened(spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] }));
}
