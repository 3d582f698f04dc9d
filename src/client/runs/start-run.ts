/** Starting a run: what a person asked for, checked before anything is started. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { checkConfigDir, readTextIfPresent } from '../../config/files.js';
import { checkWorkspace } from '../../config/workspace.js';
import { parseYaml } from '../../config/yaml-source.js';
import { isRecord } from '../../core/json.js';
import { preview } from '../../core/preview.js';
import type { Mode, RunSettings } from '../../core/run-config.js';
import { readStart } from '../../core/run-input.js';
import { env } from '../../env.js';
import { SteersmanError } from '../../errors.js';
import { cutToBytes } from '../../print/format.js';
import type { Report } from '../../stack/temporal-binary.js';
import { ensureWorker } from '../../stack/workers.js';
import { DEFAULT_TASK_QUEUE, WORKFLOW_TYPE } from '../../workflows/messages.js';
import type { Temporal } from './connect.js';
import { usesLocalStack } from './connect.js';
import { defaultModelFor } from './default-model.js';
import { earlierRun } from './earlier-run.js';
import { explainError, isServerAway } from './grpc-errors.js';
import { projectWorker } from './project-worker.js';
import { newRunId } from './run-id.js';

/** Options of the command line that say what to start. */
export interface StartOptions {
  id?: string;
  mode: Mode;
  model?: string;
  workspace?: string;
  taskQueue?: string;
  config?: string;
  yes?: boolean;
  /** A person answers gates. */
  attended?: boolean;
  approvePlan?: boolean;
  /** Seconds. */
  keepOpen?: number;
  /** Id of an ended run whose goals and answers this one knows. */
  after?: string;
  /** File with further settings. */
  settings?: string;
  /** Limits by name, judged with the rest. */
  limit?: Record<string, number | null>;
}

/** A start request that has been checked. */
export interface StartRequest {
  id: string;
  goal: string;
  settings: RunSettings;
  /** Task queue that the user named, or null for the default. */
  taskQueue: string | null;
  /** Folder of the configuration for a local worker, or null for the project's. */
  configDir: string | null;
  /** Id of the run that this one goes on from, or null. */
  after: string | null;
}

/** Limits of Temporal's user metadata. */
const SUMMARY_BYTES = 200;
const GOAL_PREVIEW_CHARS = 500;
const START_TIMEOUT_MS = 15_000;

/** Where the user stands: npm runs scripts in the project's folder. */
export function userPath(path: string): string {
  return resolve(env.lookup('INIT_CWD') ?? process.cwd(), path);
}

/** The options with a model where none is named and none is set: see `defaultModelFor`. */
export function withDefaultModel<T extends StartOptions>(options: T): T {
  const model = defaultModelFor({
    named: options.model,
    localStack: usesLocalStack(),
    isSet: name => env.lookup(name) !== undefined,
  });
  return model === options.model || model === undefined ? options : { ...options, model };
}

/**
 * Checks goal, mode and workspace before anything is started. Throws a SteersmanError that names all
 * that is wrong.
 */
export async function startRequest(goal: string, options: StartOptions): Promise<StartRequest> {
  const start = readStart({ goal, settings: await givenSettings(options) });
  const errors = start.ok ? [] : start.errors;
  if (options.id !== undefined && !/^\S{1,200}$/.test(options.id)) {
    errors.push('--id must be 1 to 200 characters without spaces.');
  }
  if (!start.ok || errors.length > 0) {
    const faults = errors.length === 1 ? ` ${errors[0]}` : errors.map(error => `\n- ${error}`).join('');
    throw new SteersmanError(`The run can not start:${faults}`, SEE_HELP, 'usage');
  }
  const { settings } = start;
  settings.workspace = await realWorkspace(settings.workspace);
  return {
    id: options.id ?? newRunId(goal),
    goal,
    settings,
    taskQueue: options.taskQueue ?? env.taskQueue() ?? null,
    configDir: await configFolder(options.config),
    after: options.after ?? null,
  };
}

const SEE_HELP = 'See --help for how to start a run.';

/** The settings as the command line gives them, over those of `--settings`. */
async function givenSettings(options: StartOptions): Promise<Record<string, unknown>> {
  const file = options.settings === undefined ? {} : await readSettingsFile(userPath(options.settings));
  return {
    ...file,
    mode: options.mode,
    workspace: userPath(options.workspace ?? '.'),
    autoApprove: options.yes === true,
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.attended ? { attended: true } : {}),
    ...(options.approvePlan ? { approvePlan: true } : {}),
    ...(options.keepOpen === undefined ? {} : { keepOpenSeconds: options.keepOpen }),
    ...(options.limit === undefined ? {} : { limits: { ...recordOr(file.limits), ...options.limit } }),
  };
}

/** What has no option of its own: `systemMessage`, `context`, `limits`, `clientTools`, in YAML or JSON. */
async function readSettingsFile(path: string): Promise<Record<string, unknown>> {
  const content = await readTextIfPresent(path);
  if (content !== null) return parseYaml(content, path).value;
  throw new SteersmanError(`The file of settings ${path} does not exist.`, SEE_HELP, 'usage');
}

function recordOr(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The folder that `--config` names, checked; null for the project's. */
export async function configFolder(given: string | undefined): Promise<string | null> {
  if (given === undefined) return null;
  const folder = userPath(given);
  await checkConfigDir(folder);
  return folder;
}

/** On another server's workers a folder may exist that is not here: there the worker has the word. */
async function realWorkspace(path: string): Promise<string> {
  if (usesLocalStack()) return checkWorkspace(path, 'any');
  return realpath(path).catch(() => path);
}

/** The queue to start on: the named one, else that of a local worker with these settings, started if needed. */
export async function taskQueueFor(
  temporal: Temporal,
  { taskQueue, configDir }: Pick<StartRequest, 'taskQueue' | 'configDir'>,
  report: Report,
): Promise<string> {
  if (taskQueue !== null) return taskQueue;
  if (temporal.local === null) return DEFAULT_TASK_QUEUE;
  return (await ensureWorker(temporal.local, projectWorker(configDir), { report })).taskQueue;
}

/** Starts the workflow. Throws a SteersmanError when the id is in use or was used. */
export async function startRun(
  temporal: Temporal,
  { id, goal, settings: given, after }: StartRequest,
  taskQueue: string,
): Promise<{ id: string; runId: string; taskQueue: string }> {
  const { client } = temporal;
  const settings = after === null ? given : { ...given, systemMessage: await earlierRun(temporal, after) };
  const { mode, model, workspace } = settings;
  try {
    const handle = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
      client.workflow.start(WORKFLOW_TYPE, {
        workflowId: id,
        taskQueue,
        args: [{ goal, settings }],
        workflowIdConflictPolicy: 'FAIL',
        // An id names one run for ever: `show` and `result` of it never change their meaning.
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        staticSummary: cutToBytes(preview(goal), SUMMARY_BYTES),
        staticDetails: [
          `- mode: ${mode}`,
          `- model: ${model ?? 'as configured'}`,
          `- workspace: \`${workspace}\``,
        ].join('\n'),
        memo: { goal: preview(goal, GOAL_PREVIEW_CHARS), mode, startedAt: new Date().toISOString() },
      }),
    );
    return { id, runId: handle.firstExecutionRunId, taskQueue };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      throw new SteersmanError(
        `There is a run with the id ${id} already.`,
        `Look at it with: npm run client -- show ${id}. Or give another id with --id.`,
        'conflict',
      );
    }
    throw isServerAway(error) ? notTold(id, error) : error;
  }
}

/** The server may have taken the start all the same: started again under another id, everything happens twice. */
function notTold(id: string, error: unknown): SteersmanError {
  const why = explainError(error)?.message ?? String(error);
  return new SteersmanError(
    `It is not known whether the run ${id} was started. ${why}`,
    `See whether it is there: npm run client -- show ${id}. If not, start it with --id ${id}: there is never a second one of that id.`,
    'uncertain',
  );
}
