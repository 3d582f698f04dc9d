/** Starting a run: what was asked for, checked before anything is started. */
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { preview } from '../../base/text/preview.js';
import { callerFault, type Given, nameFault, readStart } from '../../rules/agents/run-input.js';
import { memoOf, type RunSettings, WORKFLOW_TYPE } from '../../run/agents/run-config.js';
import type { Check } from '../../run/checks/check.js';
import type { Limits } from '../../run/limits/limits.js';
import type { Message } from '../../run/messages/message.js';
import { MODEL_ID } from '../../run/models/model-id.js';
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
import { type ClientTool, declaredTools } from '../run/client-tools.js';
import { earlierRun } from './earlier-run.js';
import { newRunId, requestToken } from './run-id.js';

/** How a goal is pursued. Everything may be left out. */
export interface StartOptions {
  /** Folder that tools work in, on the worker's host. Default: the current folder. */
  workspace?: string;
  /**
   * A built-in mode, or one of `modes` in `steersman.yaml`. Default: `team`; if `role` is given `react`, in which that role
   * works and answers, without plan or verification.
   */
  mode?: ModeName;
  /** Name of the role that works on the goal, by its file: in the modes `react` and `direct`. Default: theirs. */
  role?: string;
  /**
   * `endpoint/model` of every role, before `steersman.yaml`. Default: what that says, else the usual model of the first
   * endpoint that has its key. On the local stack, where there is no endpoint: the built-in demo model.
   */
  model?: string;
  /** Name of one of `models.configurations` of `steersman.yaml`. Not together with `model`. */
  configuration?: string;
  /** What would be asked is approved: tools that are not read-only run. Default false. */
  autoApprove?: boolean;
  /** Tools that this user has allowed for good in this workspace run without asking. Default false; the command line says true. */
  keptPermissions?: boolean;
  /** Gates wait for an answer. Default false: they take the safe answer at once. */
  attended?: boolean;
  /** The plan waits for a person before it is carried out. Default: in the mode `plan`, where somebody attends. */
  approvePlan?: boolean;
  /**
   * In the mode `plan`, when a task has failed: `skip` goes on with those that do not wait for it, `abort` sums up
   * what there is, `replan` has the planner mend the plan, `ask` asks a person. Default: as `steersman.yaml` says,
   * else `skip`.
   */
  onStepFailure?: StepFailurePolicy;
  /**
   * The workspace's `AGENTS.md` is told to the roles: information about the project, not instructions. Default: as
   * `steersman.yaml` says, else false.
   */
  projectNotes?: boolean;
  /** Seconds that the run stays open for follow-ups after an answer. Default 0. */
  keepOpenSeconds?: number;
  /** Caps of this run, by name, above those of `steersman.yaml`. */
  limits?: Partial<Limits>;
  /**
   * What each goal must pass before it counts as completed, after those of `steersman.yaml`: `{ run: 'npm test' }`,
   * `{ file, matches?, json? }`, `{ tool, arguments?, matches? }`, or `{ function }` of the worker's program.
   */
  checks?: Check[];
  /** Given to every tool call, not shown to models. */
  context?: Record<string, string>;
  /** Text before every role's prompt. Not together with `after`. */
  systemMessage?: string;
  /** Id of a run that has ended: its goals and answers are known to this one. */
  after?: string;
  /**
   * Id of a conversation: the run begins with what was said there, by runs before it, whether Temporal still knows them
   * or not. Where one of them is open, the goal is its next one. A new id begins a conversation. Not together with `id`.
   */
  session?: string;
  /**
   * What the run begins with: canonical messages, such as those of a transcript or what `steersman/messages` makes of the
   * conversations of other programs. Calls go with their results; the newest 400 KB are taken. Not together with `session`.
   */
  messages?: readonly Message[];
  /** 1 to 200 characters without spaces, used by no run before. Default: the goal's first words and something random. */
  id?: string;
  /**
   * Id of this request: a repeat of the start under it, such as after a lost answer, gives the run that the first one
   * began. Default: none, and each start begins a run.
   */
  requestId?: string;
  /** Queue of your own worker. Default `STEERSMAN_TASK_QUEUE`; else a local worker's, or `steersman` on other servers. */
  taskQueue?: string;
  /** Tools that this client runs. */
  tools?: readonly ClientTool[];
  /** Folder of `steersman.yaml`, `.mcp.json` and prompts of a local worker. Default: looked for from here upwards. */
  configDir?: string;
}

/** A start request that has been checked. */
export interface StartRequest {
  id: string;
  goal: string;
  settings: RunSettings;
  /** By which a repeat of the request is known; null where it has no id. */
  token: string | null;
  /** What the run begins with. */
  given: Given;
  /** Task queue that was named, or null for the default. */
  taskQueue: string | null;
  /** Folder of the configuration for a local worker, or null for the default. */
  configDir: string | null;
  /** Id of the run that this one goes on from, or null. */
  after: string | null;
  /** For people, where nobody named a model: which one answers. */
  note: string | null;
}

/** Limits of Temporal's user metadata. */
const SUMMARY_BYTES = 200;
export const START_TIMEOUT_MS = 15_000;

/**
 * Checks goal, settings and workspace before anything is started; `servedHere`: by a worker with the configuration of
 * `configDir`, which says what modes and models there are. Throws a SteersmanError that names all that is wrong.
 */
export async function startRequest(
  goal: string,
  options: StartOptions,
  given: { project: Project | null; local: boolean; servedHere?: boolean },
): Promise<StartRequest> {
  const { local: localStack } = given;
  const ownQueue = (options.taskQueue ?? env.taskQueue()) !== undefined;
  const { servedHere = localStack && !ownQueue } = given;
  const { id, after, taskQueue, configDir, tools, messages, ...more } = options;
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
    },
  });
  const errors = start.ok ? [] : start.errors;
  const called = start.ok ? callerFault(start.settings) : null;
  if (called !== null) errors.push(called);
  if (start.ok && project) errors.push(...(await project.modeFaults(start.settings.mode, configDir)));
  errors.push(...modelFaults(model), ...answers.faults, ...pairFaults(options));
  if (!start.ok || errors.length > 0) throw notStarted(errors);
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

function modelFaults(model: string | undefined): string[] {
  if (model === undefined || MODEL_ID.test(model)) return [];
  return [`The model "${model}" is not written as endpoint/model, such as openai/gpt-5-mini.`];
}

/** Faults of an id, and of options that do not go together. */
function pairFaults({ id, session, after, systemMessage }: StartOptions): string[] {
  const faults: string[] = [];
  const unnamed = id === undefined ? null : nameFault(id, hintOf('--id', 'id'));
  if (unnamed !== null) faults.push(unnamed);
  if (session !== undefined && id !== undefined)
    faults.push(
      `${hintOf('--session and --id', 'session and id')}: give one of the two, for runs of a conversation have its id and a number.`,
    );
  if (after !== undefined && systemMessage !== undefined)
    faults.push('What the earlier run leaves takes the place of systemMessage: give one of the two.');
  return faults;
}

function notStarted(errors: readonly string[]): SteersmanError {
  const faults = errors.length === 1 ? ` ${errors[0]}` : errors.map(error => `\n- ${error}`).join('');
  return new SteersmanError(
    `The run can not start:${faults}`,
    `See ${hintOf(verbCall('start --help'), 'StartOptions')}.`,
    'usage',
  );
}

/** On another server's workers a folder may exist that is not here: there the worker has the word. */
async function realWorkspace(path: string, project: Project | null): Promise<string> {
  if (project) return project.checkWorkspace(path);
  return realpath(path).catch(() => path);
}

export interface StartedRun {
  id: string;
  runId: string;
  taskQueue: string;
  workspace: string | null;
  /** It was open already: the goal is its next one. */
  joined?: boolean;
}

/** Starts the workflow. Throws a SteersmanError when the id is in use or was used. */
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
        // An id names one run for ever: `show` and `result` of it never change their meaning.
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
    throw isServerAway(error) ? notTold(id, error) : error;
  }
}

/** The run of this id, if this request began it. */
async function startedBy(temporal: Temporal, id: string, token: string): Promise<StartedRun | null> {
  const { runId, taskQueue, memo } = await describeRun(temporal, id);
  return memo?.startedBy === token ? { id, runId, taskQueue, workspace: workspaceOf(memo) } : null;
}

/** What lists and the Web UI show of a run before its worker says anything. */
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

/** The server may have taken the start all the same: started again under another id, everything happens twice. */
export function notTold(id: string, error: unknown): SteersmanError {
  const why = explainError(error)?.message ?? String(error);
  return new SteersmanError(
    `It is not known whether the run ${id} was started. ${why}`,
    `See whether it is there: ${hintOf(verbCall(`show ${id}`), '`client.attach(id)`')}. If not, start it with ${hintOf('--id', 'the id')} ${id}: there is never a second one of that id.`,
    'uncertain',
  );
}
