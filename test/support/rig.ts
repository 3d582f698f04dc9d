/** A whole Steersman for tests: real Temporal server, scripted model over HTTP, real MCP servers, a worker. */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunSettings } from '../../src/core/run-config.js';
import { resolveHome } from '../../src/stack/home.js';
import { temporalBinary } from '../../src/stack/temporal-fetch.js';
import type { ScriptedModel, ScriptedModelOptions } from '../../src/testing/scripted-model.js';
import { startScriptedModel } from '../../src/testing/scripted-model.js';
import type { SteersmanWorkerOptions } from '../../src/worker/create-worker.js';
import { createSteersmanWorker } from '../../src/worker/create-worker.js';
import type { RunInput, RunResult } from '../../src/workflows/messages.js';
import { WORKFLOW_TYPE } from '../../src/workflows/messages.js';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** A Temporal dev server in memory, from the same binary that `npm start` uses. */
export async function startTemporal(args: string[] = []): Promise<TestWorkflowEnvironment> {
  const { path } = await temporalBinary(resolveHome(), line => console.error(line));
  const searchAttributes = ['AgentMode', 'AgentPhase', 'AgentOutcome'].flatMap(name => [
    '--search-attribute',
    `${name}=Keyword`,
  ]);
  return TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path },
      extraArgs: [...searchAttributes, ...args],
      log: { format: 'pretty', level: 'error' },
    },
  });
}

export interface ProjectFiles {
  /** Files of the configuration folder, over those of the project. */
  config?: Record<string, string>;
  /** Files of the workspace. */
  workspace?: Record<string, string>;
}

/** A configuration folder and a workspace in a temporary folder. */
export function makeProject(files: ProjectFiles = {}): { dir: string; configDir: string; workspace: string } {
  const dir = mkdtempSync(join(tmpdir(), 'steersman-test-'));
  const configDir = join(dir, 'config');
  const workspace = join(dir, 'workspace');
  mkdirSync(configDir);
  mkdirSync(workspace);
  cpSync(join(projectRoot, 'prompts'), join(configDir, 'prompts'), { recursive: true });
  for (const name of ['.mcp.json', 'steersman.yaml']) cpSync(join(projectRoot, name), join(configDir, name));
  for (const [name, text] of Object.entries(files.config ?? {})) writeFileSync(join(configDir, name), text);
  for (const [name, text] of Object.entries(files.workspace ?? {})) {
    mkdirSync(join(workspace, name, '..'), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  return { dir, configDir, workspace };
}

export interface Rig {
  env: TestWorkflowEnvironment;
  model: ScriptedModel;
  project: ReturnType<typeof makeProject>;
  taskQueue: string;
  start(goal: string, settings?: Partial<RunSettings>): Promise<WorkflowHandle>;
  /** Starts a run and waits for its result. */
  run(goal: string, settings?: Partial<RunSettings>): Promise<{ handle: WorkflowHandle; result: RunResult }>;
  close(): Promise<void>;
}

export interface RigOptions extends ProjectFiles {
  env: TestWorkflowEnvironment;
  reply: ScriptedModelOptions['reply'];
  temporal?: SteersmanWorkerOptions['temporal'];
}

let queues = 0;

/** A worker in this process with a scripted model of its own. */
export async function startRig({ env, reply, temporal, ...files }: RigOptions): Promise<Rig> {
  const model = await startScriptedModel({ reply });
  process.env.OPENAI_BASE_URL = model.baseUrl;
  process.env.OPENAI_API_KEY = 'test-key';
  const project = makeProject(files);
  queues += 1;
  const taskQueue = `test-${process.pid}-${queues}`;
  const { worker, close } = await createSteersmanWorker({
    connection: env.nativeConnection,
    namespace: 'default',
    taskQueue,
    configDir: project.configDir,
    home: join(project.dir, 'home'),
    localStack: true,
    ...(temporal ? { temporal } : {}),
  });
  const running = worker.run();
  const rig: Rig = {
    env,
    model,
    project,
    taskQueue,
    start: (goal, settings) => {
      const input: RunInput = { goal, settings: runSettings(project.workspace, settings) };
      const workflowId = `run-${process.pid}-${queues}-${Math.random().toString(36).slice(2, 8)}`;
      return env.client.workflow.start(WORKFLOW_TYPE, { args: [input], taskQueue, workflowId });
    },
    run: async (goal, settings) => {
      const handle = await rig.start(goal, settings);
      return { handle, result: (await handle.result()) as RunResult };
    },
    close: async () => {
      worker.shutdown();
      await running;
      await close();
      await model.close();
    },
  };
  return rig;
}

export function runSettings(workspace: string, settings: Partial<RunSettings> = {}): RunSettings {
  return { mode: 'team', workspace, autoApprove: false, ...settings };
}
