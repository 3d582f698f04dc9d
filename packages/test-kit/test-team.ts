/** A complete team for a test: a server, a scripted model, a worker with the test's own tools, a workspace. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createProvider } from 'steersman/models';
import type { RunSettings } from 'steersman/run';
import { DEFAULT_MODE } from 'steersman/run';
import { createWorker, type SteersmanPluginOptions } from 'steersman/worker';
import type { RunInput, RunResult } from 'steersman/workflow';
import { WORKFLOW_TYPE } from 'steersman/workflow';
import { startTestEnvironment } from './environment.js';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from './scripted-model.js';

/** The model of every role. Another model that a run names comes from its own provider. */
const MODEL = 'scripted/model';

export interface TestTeamOptions extends Omit<SteersmanPluginOptions, 'home'> {
  /** The model's replies in order, or a function such as `byRole({ … })`. */
  reply: ScriptedModelOptions['reply'];
  /** Default: a new one, which ends with the team. */
  environment?: TestWorkflowEnvironment;
  /** Texts of the workspace, by path. Default: an empty workspace. */
  files?: Readonly<Record<string, string>>;
}

/** The settings of a test's run; the workspace is the team's. */
export type TestRunSettings = Partial<Omit<RunSettings, 'workspace'>>;
type RunWorkflow = (input: RunInput) => Promise<RunResult>;

export interface TestTeam {
  environment: TestWorkflowEnvironment;
  /** `model.requests` lists every request of each role. */
  model: ScriptedModel;
  taskQueue: string;
  /** The folder that runs work in. */
  workspace: string;
  start(goal: string, settings?: TestRunSettings): Promise<WorkflowHandle<RunWorkflow>>;
  /** Starts a run and waits for its end: see `resultOf`. */
  run(goal: string, settings?: TestRunSettings): Promise<RunResult>;
  close(): Promise<void>;
}

/** Starts the team; its runs share the worker and the script until `close()`. */
export async function startTestTeam(options: TestTeamOptions): Promise<TestTeam> {
  const { reply, environment: given, files = {}, ...own } = options;
  const dir = await mkdtemp(join(tmpdir(), 'steersman-test-'));
  const workspace = join(dir, 'workspace');
  await writeFiles(workspace, files);
  const environment = given ?? (await startTestEnvironment());
  const model = await startScriptedModel({ reply });
  const provider = createProvider({ name: 'scripted', baseUrl: model.baseUrl });
  const { settings = {}, providers = [] } = own;
  const taskQueue = `test-${randomUUID().slice(0, 8)}`;
  const worker = await createWorker({
    ...own,
    connection: environment.nativeConnection,
    namespace: environment.namespace ?? 'default',
    taskQueue,
    home: join(dir, 'home'),
    providers: [provider, ...providers],
    settings: { workspaces: [workspace], ...settings, models: { default: MODEL, ...settings.models } },
  });
  const running = worker.run();
  let runs = 0;
  const start = (goal: string, run: TestRunSettings = {}) =>
    environment.client.workflow.start<RunWorkflow>(WORKFLOW_TYPE, {
      args: [{ goal, settings: { mode: DEFAULT_MODE, autoApprove: false, ...run, workspace } }],
      taskQueue,
      workflowId: `${taskQueue}-${++runs}`,
    });
  return {
    environment,
    model,
    taskQueue,
    workspace,
    start,
    run: async (goal, run) => resultOf(await start(goal, run)),
    close: async () => {
      worker.shutdown();
      await running;
      await model.close();
      if (given === undefined) await environment.teardown();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/**
 * Waits for a run's end and returns its result for every outcome.
 * @throws WorkflowFailedError if the run has no result, such as a run that could not start.
 */
export async function resultOf(handle: WorkflowHandle<RunWorkflow>): Promise<RunResult> {
  try {
    return await handle.result();
  } catch (error) {
    const failure = error instanceof WorkflowFailedError ? error.cause : null;
    const result = failure instanceof ApplicationFailure ? failure.details?.[0] : undefined;
    if (result === undefined || result === null) throw error;
    return result as RunResult;
  }
}

/** Runs one goal with a new team, and closes the team. */
export async function runGoal(
  goal: string,
  { run, ...options }: TestTeamOptions & { run?: TestRunSettings },
): Promise<RunResult> {
  const team = await startTestTeam(options);
  try {
    return await team.run(goal, run);
  } finally {
    await team.close();
  }
}

async function writeFiles(dir: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
}
