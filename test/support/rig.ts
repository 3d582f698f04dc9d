/** A whole Steersman for tests: real Temporal server, scripted model over HTTP, real MCP servers, a worker. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowClientInterceptor, WorkflowHandle, WorkflowOptions } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { temporalBinary } from '../../packages/stack/download/temporal-fetch.js';
import type { RunSettings } from '../../src/run/agents/run-config.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import { REFUSAL } from '../../src/run/limits/failure.js';
import { resolveHome } from '../../src/shared/local/home.js';
import { unreadableCodec } from '../../src/shared/temporal/temporal-client.js';
import type { SteersmanWorkerOptions } from '../../src/worker/create-worker.js';
import { createSteersmanWorker } from '../../src/worker/create-worker.js';
import type { RunInput, RunResult } from '../../src/workflows/run/definitions.js';
import type { ChatRequest, ScriptedModel, ScriptedModelOptions } from './endpoint/model.js';
import { startScriptedModel } from './endpoint/model.js';
import { replayAll, treeOf, workflowBundle } from './histories.js';
import type { ProjectFiles, TestProject } from './project.js';
import { makeProject } from './project.js';
import { quietTemporal } from './quiet.js';
import { SERVER_ARGS, TEMPORAL_SERVERS } from './temporal-servers.js';

/** As often a query that the guard of queries refused is asked again, as every program's own is (docs/operations.md). */
const ASKED_AGAIN = 40;
const ASKED_EVERY_MS = 100;

const asksAgain: WorkflowClientInterceptor = {
  async query(input, next) {
    for (let refused = 0; ; refused += 1) {
      try {
        return await next(input);
      } catch (error) {
        if (!String(error).includes(REFUSAL) || refused === ASKED_AGAIN) throw error;
      }
      await sleep(ASKED_EVERY_MS);
    }
  },
};

/** Files before have left runs whose payloads can't be decoded. */
const CLIENT = {
  interceptors: { workflow: [asksAgain] },
  dataConverter: { payloadCodecs: [unreadableCodec] },
};

/** A Temporal dev server of its own, in memory, from the same binary that `npm start` uses. */
export async function startTemporal(args: string[] = []): Promise<TestWorkflowEnvironment> {
  quietTemporal();
  const { path } = await temporalBinary(resolveHome(), line => console.error(line));
  return TestWorkflowEnvironment.createLocal({
    client: CLIENT,
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: [...SERVER_ARGS, ...args],
      log: { format: 'pretty', level: 'never' },
    },
  });
}

/** The Temporal server of this test process. The files of a process follow each other; each begins without open runs. */
export async function sharedTemporal(): Promise<TestWorkflowEnvironment> {
  quietTemporal();
  const answer = await fetch(`${process.env[TEMPORAL_SERVERS]}/${process.env.VITEST_POOL_ID}`);
  const address = await answer.text();
  if (!answer.ok) throw new Error(address);
  const env = await TestWorkflowEnvironment.createFromExistingServer({ address, client: CLIENT });
  const { workflow } = env.client;
  for await (const { workflowId, runId } of workflow.list({ query: 'ExecutionStatus = "Running"' }))
    await workflow.getHandle(workflowId, runId).terminate('Its test file has ended.');
  return env;
}

type Reply = ScriptedModelOptions['reply'];

/** What the model was asked since a script began. */
export interface Script {
  /** Chat requests in the order of arrival, retries included. */
  readonly requests: ChatRequest[];
  /** Resolves with the request number `index` of the script, from 0. */
  arrived(index: number): Promise<ChatRequest>;
}

export interface Rig {
  env: TestWorkflowEnvironment;
  model: ScriptedModel;
  project: TestProject;
  taskQueue: string;
  /** Gives the model its next replies: a list, or a function of request and index within the script. */
  play(reply: Reply): Script;
  start(goal: string, settings?: Partial<RunSettings>): Promise<WorkflowHandle>;
  /** Starts a run and waits for its result. */
  run(goal: string, settings?: Partial<RunSettings>): Promise<{ handle: WorkflowHandle; result: RunResult }>;
  /** Ends the worker in order, as a deploy does. Runs wait until `startWorker`. */
  stopWorker(): Promise<void>;
  /** Starts another worker on the same queue. */
  startWorker(): Promise<void>;
  /** Replays every part of every run that was started, and of those that these called, then ends worker and model. */
  close(): Promise<void>;
}

export interface RigOptions extends ProjectFiles {
  env: TestWorkflowEnvironment;
  /** Replies until the first `play`. */
  reply?: Reply;
  temporal?: SteersmanWorkerOptions['temporal'];
  /** Of the program that the worker belongs to. Default: none. */
  hooks?: SteersmanWorkerOptions['hooks'];
  transforms?: SteersmanWorkerOptions['transforms'];
  /** False leaves the replay at the end out: for runs too large to be worth it. Default true. */
  replay?: boolean;
  /** No run takes longer; one that hangs ends with a timeout that names it. Default a minute. */
  runTimeout?: WorkflowOptions['workflowExecutionTimeout'];
}

/** A worker in this process with a scripted model of its own. */
export async function startRig(options: RigOptions): Promise<Rig> {
  quietTemporal();
  const {
    env,
    reply = [],
    temporal,
    hooks,
    transforms,
    replay = true,
    runTimeout = '4 minutes',
    ...files
  } = options;
  const bundle = workflowBundle();
  const { model, play } = await startStage(reply);
  process.env.OPENAI_BASE_URL = model.baseUrl;
  process.env.OPENAI_API_KEY = 'test-key';
  const project = makeProject(files);
  const taskQueue = `test-${randomUUID().slice(0, 8)}`;
  let stopWorker = async () => {};
  async function startWorker(): Promise<void> {
    const { worker, close } = await createSteersmanWorker({
      connection: env.nativeConnection,
      namespace: 'default',
      taskQueue,
      configDir: project.configDir,
      home: join(project.dir, 'home'),
      localStack: true,
      takesOver: false,
      ...(temporal ? { temporal } : {}),
      ...(hooks ? { hooks } : {}),
      ...(transforms ? { transforms } : {}),
    });
    const running = worker.run();
    stopWorker = async () => {
      stopWorker = async () => {};
      worker.shutdown();
      await running;
      await close();
    };
  }
  await startWorker();
  const handles: WorkflowHandle[] = [];

  async function start(goal: string, settings?: Partial<RunSettings>): Promise<WorkflowHandle> {
    const input: RunInput = { goal, settings: runSettings(project.workspace, settings) };
    const workflowId = `${taskQueue}-run-${handles.length + 1}`;
    const handle = await env.client.workflow.start(WORKFLOW_TYPE, {
      args: [input],
      taskQueue,
      workflowId,
      workflowExecutionTimeout: runTimeout,
    });
    handles.push(handle);
    return handle;
  }

  return {
    env,
    model,
    project,
    taskQueue,
    play,
    start,
    run: async (goal, settings) => {
      const handle = await start(goal, settings);
      return { handle, result: (await handle.result()) as RunResult };
    },
    startWorker,
    stopWorker: () => stopWorker(),
    close: async () => {
      await stopWorker();
      await model.close();
      const parts = replay ? await Promise.all(handles.map(handle => treeOf(env.client, handle))) : [];
      await replayAll(parts.flat(), bundle);
      rmSync(project.dir, { recursive: true, force: true });
    },
  };
}

/** A scripted model whose script can be changed between runs. */
async function startStage(first: Reply): Promise<{ model: ScriptedModel; play: Rig['play'] }> {
  let script = first;
  let from = 0;
  let endPrevious = () => {};
  let answered = 0;
  const model = await startScriptedModel({
    reply: (request, index) => {
      answered = index + 1;
      const at = index - from;
      if (typeof script === 'function') return script(request, at);
      const message = `The script has ${script.length} replies, and this is request ${at + 1}.`;
      return script[at] ?? { error: { status: 400, message } };
    },
  });
  const play = (reply: Reply): Script => {
    script = reply;
    from = answered;
    // Each script costs the same, whatever was played before it.
    model.forgetCaches();
    endPrevious();
    const before = model.requests.length;
    let end: number | undefined;
    endPrevious = () => {
      end = model.requests.length;
    };
    return {
      get requests() {
        return model.requests.slice(before, end);
      },
      arrived: index => model.requestArrived(before + index),
    };
  };
  return { model, play };
}

export function runSettings(workspace: string, settings: Partial<RunSettings> = {}): RunSettings {
  return { mode: 'team', workspace, autoApprove: false, ...settings };
}
