/** Starts a run: everything is validated before anything is started. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { errorText } from '../../base/text/error-text.js';
import { preview } from '../../base/text/preview.js';
import { callerFault, type InitialMessages, nameFault, readStart } from '../../rules/agents/run-input.js';
import { memoOf, type RunSettings, type StartPicture, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import type { Check } from '../../run/checks/check.js';
import type { Limits } from '../../run/limits/limits.js';
import type { Message } from '../../run/messages/message.js';
import { MODEL_ID } from '../../run/models/model-id.js';
import { type AnswerSchema, answerSchema } from '../../run/outputs/answer-schema.js';
import type { StepFailurePolicy } from '../../run/plan/plan.js';
import { type ModeName, modeFor } from '../../run/position/modes.js';
import { hintOf, verbCall } from '../../shared/process/called-as.js';
import { env } from '../../shared/process/env.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { Answering, Project } from '../connection/client-scope.js';
import type { Temporal } from '../connection/connect.js';
import { cutToBytes } from '../connection/cut-to-bytes.js';
import { explainError, isServerAway } from '../connection/grpc-errors.js';
import { describeRun, workspaceOf } from '../record/runs.js';
import { type ClientTool, declaredTools } from './client-tools.js';
import { earlierRun } from './earlier-run.js';
import { newRunId, requestToken } from './run-id.js';

/** Options of a run. All are optional. */
export interface StartOptions<T = unknown> {
  /** Folder in which tools work, on the worker's host. Default: the current folder. */
  workspace?: string;
  /**
   * A built-in mode, or one of `modes` in `steersman.yaml`. Default: `team`; with `role` it is `react`, in which that
   * role works and answers, without plan or verification.
   */
  mode?: ModeName;
  /** File name of the role that works on the goal, in the modes `react` and `direct`. Default: the mode's role. */
  role?: string;
  /**
   * `endpoint/model` of every role, overrides `steersman.yaml`. Default: the model there, else the usual model of the
   * first endpoint that has its key. On the local stack without an endpoint: the built-in demo model.
   */
  model?: string;
  /** Name of one of `models.configurations` of `steersman.yaml`. Not together with `model`. */
  configuration?: string;
  /** 0 to 2, for each call of each role. Default: `temperature` of the role's file, else the endpoint's own. */
  temperature?: number;
  /**
   * Tokens of one reply, reasoning included, for each role. Default: `maxOutputTokens` of the role's file, else 16,384,
   * or 8,192 for roles that steer, review and choose.
   */
  maxOutputTokens?: number;
  /** Approves everything that would be asked: tools that are not read-only run. Default false. */
  autoApprove?: boolean;
  /** Permanently allowed tools of this user in this workspace run without asking. Default false; true on the command line. */
  keptPermissions?: boolean;
  /** Gates wait for an answer. Default false: they take the safe answer at once. */
  attended?: boolean;
  /** The plan waits for a person before it is carried out. Default: true in the mode `plan` if the run is attended. */
  approvePlan?: boolean;
  /**
   * In the mode `plan`, when a task has failed: `skip` continues with independent tasks, `abort` sums up the results,
   * `replan` has the planner repair the plan, `ask` asks a person. Default: from `steersman.yaml`, else `skip`.
   */
  onStepFailure?: StepFailurePolicy;
  /**
   * The roles read the workspace's `AGENTS.md` as information about the project, not as instructions. Default: from
   * `steersman.yaml`, else false.
   */
  projectNotes?: boolean;
  /** Seconds for which the run stays open for follow-ups after an answer. Default 0. */
  keepOpenSeconds?: number;
  /** Limits of this run, by name; they override those of `steersman.yaml`. */
  limits?: Partial<Limits>;
  /**
   * Checks that a goal must pass to be completed, besides those of `steersman.yaml`, by kind: `{ file, matches?, json? }`,
   * `{ run: 'npm test' }`, `{ tool, arguments?, matches? }`, or `{ function }` of the worker's program.
   */
  checks?: Check[];
  /**
   * Each goal must end with a value that fits this schema: `result` has it as `value`, with the type of the schema. A zod
   * schema (4.2 or later), one of another library with Standard JSON Schema, or a JSON Schema of an object, at most
   * 16,000 bytes. Without such a value no goal is `completed` or `answered`.
   */
  answer?: AnswerSchema<T>;
  /** Passed to every tool call, not shown to models. */
  context?: Record<string, string>;
  /** Text before every role's prompt. Not together with `after`. */
  systemMessage?: string;
  /** Id of an ended run, whose goals and answers the new run knows. */
  after?: string;
  /**
   * Id of a conversation: the run begins with its earlier messages, even if Temporal has deleted those runs. If one of
   * them is open, the goal is queued in it. A new id starts a conversation. Not together with `id`.
   */
  session?: string;
  /**
   * Messages with which the run begins: canonical ones, from a transcript or converted by `steersman/messages` from
   * other programs. Calls need their results; the newest 400 KB are used. Not together with `session`.
   */
  messages?: readonly Message[];
  /**
   * Pictures that belong to the goal, for models that see them (`vision`): at most 10, PNG, JPEG, GIF or WebP, together
   * 1,000,000 characters of base64. Larger ones belong in the workspace. Default: none.
   */
  pictures?: readonly StartPicture[];
  /** 1 to 200 characters without spaces, not used by an earlier run. Default: the goal's first words and a random suffix. */
  id?: string;
  /**
   * Id of this request: a repeated start under it, for example after a lost response, returns the first one's run.
   * Default: each start begins a run.
   */
  requestId?: string;
  /** Queue of your own worker. Default `STEERSMAN_TASK_QUEUE`; else a local worker's, or `steersman` on other servers. */
  taskQueue?: string;
  /** Tools that this client runs. */
  tools?: readonly ClientTool[];
  /** Folder of `steersman.yaml`, `.mcp.json` and prompts of a local worker. Default: the nearest one from here upwards. */
  configDir?: string;
}

/** A validated start request. */
export interface StartRequest {
  id: string;
  goal: string;
  settings: RunSettings;
  /** Identifies repeats of the request; null if it has no id. */
  token: string | null;
  /** Messages with which the run begins. */
  given: InitialMessages;
  /** The named task queue; null for the default. */
  taskQueue: string | null;
  /** The configuration folder for a local worker; null for the default. */
  configDir: string | null;
  /** Id of the run that this one continues from; null for no run. */
  after: string | null;
  /** A note for people about the chosen model, if the start names no model; else null. */
  note: string | null;
}

/** Limit of Temporal's user metadata. */
const SUMMARY_BYTES = 200;
export const START_TIMEOUT_MS = 15_000;

/**
 * Validates goal, settings and workspace before anything is started; `servedHere`: a worker with the configuration of
 * `configDir` serves it, so that its modes and models apply. Throws a SteersmanError that names all faults.
 */
export async function startRequest(
  goal: string,
  options: StartOptions,
  given: { project: Project | null; local: boolean; servedHere?: boolean },
): Promise<StartRequest> {
  const { local: localStack } = given;
  const ownQueue = (options.taskQueue ?? env.taskQueue()) !== undefined;
  const { servedHere = localStack && !ownQueue } = given;
  const { id, after, taskQueue, configDir, tools, messages, answer, ...more } = options;
  const { keptPermissions: _kept, requestId, ...rest } = more;
  const project = servedHere ? given.project : null;
  const answers: Answering = (await project?.answering(options, { ownQueue })) ?? { faults: [] };
  const { model = options.model } = answers;
  const start = readStart({
    goal,
    messages,
    settings: {
      mode: modeFor(rest.role),
      autoApprove: false,
      ...rest,
      workspace: resolve(options.workspace ?? '.'),
      ...(model === undefined ? {} : { model }),
      ...(tools === undefined ? {} : { clientTools: declaredTools(tools) }),
      ...(answer === undefined ? {} : { answer: jsonSchemaOf(answer) }),
    },
  });
  const errors = start.ok ? [] : start.errors;
  const called = start.ok ? callerFault(start.settings) : null;
  if (called !== null) errors.push(called);
  if (start.ok && project) errors.push(...(await project.modeFaults(start.settings, configDir)));
  errors.push(...pairFaults(options));
  const ofModel = [...modelFaults(model), ...answers.faults];
  if (!start.ok || errors.length > 0) throw notStarted([...errors, ...ofModel]);
  if (ofModel.length > 0) throw notStarted(ofModel, { option: 'model', remedy: '' });
  const { settings, given: toBeginWith } = start;
  settings.workspace = await realWorkspace(settings.workspace, localStack ? given.project : null);
  if (configDir !== undefined) await given.project?.checkConfigDir(resolve(configDir));
  const token = requestId === undefined ? null : requestToken(requestId);
  return {
    id: id ?? rest.session ?? newRunId(goal, token),
    token,
    goal,
    settings,
    given: toBeginWith,
    taskQueue: taskQueue ?? env.taskQueue() ?? null,
    configDir: configDir === undefined ? null : resolve(configDir),
    after: after ?? null,
    note: answers.note ?? null,
  };
}

function jsonSchemaOf(answer: unknown): unknown {
  try {
    return answerSchema(answer);
  } catch (error) {
    throw notStarted([`\`answer\` cannot be used: ${errorText(error)}.`]);
  }
}

function modelFaults(model: string | undefined): string[] {
  if (model === undefined || MODEL_ID.test(model)) return [];
  return [`The model "${model}" is not written as endpoint/model, such as openai/gpt-5-mini.`];
}

/** Returns faults of an id, and of options that exclude each other. */
function pairFaults({ id, session, after, systemMessage }: StartOptions): string[] {
  const faults: string[] = [];
  const unnamed = id === undefined ? null : nameFault(id, hintOf('--id', 'id'));
  if (unnamed !== null) faults.push(unnamed);
  if (session !== undefined && id !== undefined)
    faults.push(
      `${hintOf('--session and --id', 'session and id')}: give one of the two, for runs of a conversation have its id and a number.`,
    );
  if (after !== undefined && systemMessage !== undefined)
    faults.push('The text of the earlier run is the systemMessage: give only one of the two.');
  return faults;
}

/** The path with which a fault of the settings begins. */
const PATH = /^`?settings\.(\w+)/;

/** `remedy`: advice for faults that contain none, unlike those of models. */
function notStarted(
  errors: readonly string[],
  {
    option = PATH.exec(errors[0] ?? '')?.[1] ?? null,
    remedy = `See ${hintOf(verbCall('start --help'), 'StartOptions')}.`,
  }: { option?: string | null; remedy?: string } = {},
): SteersmanError {
  const faults = errors.length === 1 ? ` ${errors[0]}` : errors.map(error => `\n- ${error}`).join('');
  return new SteersmanError(`The run cannot start:${faults}`, remedy, 'usage', option);
}

/** The workers of another server may have a folder that is missing here, so they decide. */
async function realWorkspace(path: string, project: Project | null): Promise<string> {
  if (project) return project.checkWorkspace(path);
  return realpath(path).catch(() => path);
}

export interface StartedRun {
  id: string;
  runId: string;
  taskQueue: string;
  workspace: string | null;
  /** True if the run was already open: the goal is queued in it. */
  joined?: boolean;
}

/** Starts the workflow. Throws a SteersmanError if the id is in use or was used. */
export async function startRun(
  temporal: Temporal,
  { id, token, goal, settings: asked, given, after }: Omit<StartRequest, 'taskQueue' | 'configDir' | 'note'>,
  taskQueue: string,
): Promise<StartedRun> {
  const { client } = temporal;
  const settings = after === null ? asked : { ...asked, systemMessage: await earlierRun(temporal, after) };
  const shown = shownWith(goal, settings);
  temporal.signal?.throwIfAborted();
  try {
    const handle = await client.withDeadline(Date.now() + START_TIMEOUT_MS, () =>
      client.workflow.start(WORKFLOW_TYPE, {
        workflowId: id,
        taskQueue,
        args: [{ goal, settings, ...(given.messages.length > 0 && given) }],
        workflowIdConflictPolicy: 'FAIL',
        // An id names one run permanently, so that `show` and `result` never change their meaning.
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        ...shown,
        memo: { ...shown.memo, startedAt: new Date().toISOString(), ...(token && { startedBy: token }) },
      }),
    );
    return { id, runId: handle.firstExecutionRunId, taskQueue, workspace: settings.workspace };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) {
      const repeated = token === null ? null : await startedBy(temporal, id, token);
      if (repeated) return repeated;
      throw new SteersmanError(
        `There is a run with the id ${id} already.`,
        `Look at it with: ${hintOf(verbCall(`show ${id}`), '`client.attach(id)`')}. Or give another id.`,
        'conflict',
      );
    }
    throw isServerAway(error) ? unknownStart(id, error) : error;
  }
}

/** Returns the run of this id if this request started it; else null. */
async function startedBy(temporal: Temporal, id: string, token: string): Promise<StartedRun | null> {
  const { runId, taskQueue, memo } = await describeRun(temporal, id);
  return memo?.startedBy === token ? { id, runId, taskQueue, workspace: workspaceOf(memo) } : null;
}

/** Returns the data that lists and the Web UI show of a run before its worker reports anything. */
export function shownWith(goal: string, settings: RunSettings) {
  const { mode, role, model, configuration, workspace } = settings;
  return {
    staticSummary: cutToBytes(preview(goal), SUMMARY_BYTES),
    staticDetails: [
      `- mode: ${mode}`,
      ...(role === undefined ? [] : [`- role: ${role}`]),
      `- model: ${model ?? configuration ?? 'as configured'}`,
      `- workspace: \`${workspace}\``,
    ].join('\n'),
    memo: memoOf(goal, settings),
  };
}

/** The server may have accepted the start: a second start under another id would do everything twice. */
export function unknownStart(id: string, error: unknown): SteersmanError {
  const why = explainError(error)?.message ?? String(error);
  return new SteersmanError(
    `It is not known whether the run ${id} was started. ${why}`,
    `See whether it is there: ${hintOf(verbCall(`show ${id}`), '`client.attach(id)`')}. If not, start it with ${hintOf('--id', 'the id')} ${id}: a repeated start with this id never begins a second run.`,
    'uncertain',
  );
}
