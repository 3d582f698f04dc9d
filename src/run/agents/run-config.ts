/** The settings that start a run, and the configuration that it pins at its start. */

import { type JsonSchema, without } from '../../base/json/json.js';
import { preview } from '../../base/text/preview.js';
import type { OwnWords } from '../../base/words/words.js';
import type { Check } from '../checks/check.js';
import type { ContextRules } from '../limits/context-rules.js';
import type { Ceilings, Limits } from '../limits/limits.js';
import type { KnownModels } from '../models/model-use.js';
import type { ResolverRow } from '../models/resolver.js';
import type { StepFailurePolicy } from '../plan/plan.js';
import type { DeclaredModes, ModeName } from '../position/modes.js';
import { isDenied, type Permissions } from '../tools/permission.js';
import type { ClientTool, ToolDefinition } from '../tools/tool.js';
import { isOffered, type ToolChoice } from '../tools/workflow-tools.js';
import type { ProjectNotes } from './project-notes.js';
import type { AgentCard, PinnedRole } from './role.js';

/** The types that every endpoint takes. */
export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

/** A picture that comes with a start. */
export interface StartPicture {
  /** Stands for it in words, such as the name of its file. At most 100 characters. */
  name: string;
  mimeType: (typeof PICTURE_TYPES)[number];
  base64: string;
}

/** A start request as clients write it. Only `goal` is required. */
export interface RunSettings {
  /** A built-in mode, or one that `steersman.yaml` declares. */
  mode: ModeName;
  /** The role that works on the goals, in a mode of one role. Default: the mode's own. */
  role?: string;
  /** The folder that tools are confined to: an absolute path on the worker's host. */
  workspace: string;
  /** `endpoint/model` for every role; it overrides profiles and `steersman.yaml`. */
  model?: string;
  /** The name of an entry in `models.configurations` of `steersman.yaml`. It excludes `model`. */
  configuration?: string;
  /** 0 to 2, for each call of each role. Default: the role's, else the endpoint's own. */
  temperature?: number;
  /** Tokens of one reply, reasoning included, for each role. Default: the role's, which has one by its output. */
  maxOutputTokens?: number;
  /** Extra system text put before every role's prompt. */
  systemMessage?: string;
  /** Tools that are not read-only run without asking. Default false: they are denied. */
  autoApprove: boolean;
  /** Tools that run without asking: `name`, or `name#digest` for exactly that tool; `permissions.deny` wins. Default: []. */
  allowTools?: string[];
  /** Overrides of `steersman.yaml` for this run. */
  limits?: Partial<Limits>;
  /** Values passed to every tool call and never shown to models. */
  context?: Record<string, string>;
  /** True if a person can answer: gates then wait. Default false: they take the safe answer at once. */
  attended?: boolean;
  /** The plan waits for a person's approval before it runs. Default: true in attended runs of the mode plan. */
  approvePlan?: boolean;
  /** In the mode plan: how a failed task affects the others. Default: the value in `steersman.yaml`, by default `skip`. */
  onStepFailure?: StepFailurePolicy;
  /** Checks that each goal must pass to be `completed`, after the checks of `steersman.yaml`. */
  checks?: Check[];
  /** A JSON Schema: each goal must end with a value that fits it, which the result has as `value`. At most 16,000 bytes. */
  answer?: JsonSchema;
  /** Seconds that the run stays open for follow-ups after an answer. Default 0. */
  keepOpenSeconds?: number;
  /** Roles get the workspace's `AGENTS.md` as data about the project. Default: as in `steersman.yaml`, by default false. */
  projectNotes?: boolean;
  /** Pictures that belong to the first goal, for models that see them: at most 10, and 1,000,000 characters of base64. */
  pictures?: StartPicture[];
  /** Tools that the client runs: their calls wait for \`submitToolResult\`. */
  clientTools?: ClientTool[];
  /** The conversation that the run continues: it begins with that conversation's messages. Default: its own workflow id. */
  session?: string;
  /** A token by which the client that started the run recognises it. */
  startedBy?: string;
  /** The run's agent id, such as `search/1`, in the run that called it as a sub-agent. Set by that run. */
  calledAs?: string;
  /** The calling run's knowledge of models. Set by that run. */
  knownModels?: KnownModels;
  /** The number of runs above it, each the sub-agent of the next. Default 0. Set by the run that called it. */
  agentDepth?: number;
  /** The time at which the run continues as new. Default `suggested`: when the server suggests it. Only tests use the other. */
  continueAsNew?: 'suggested' | 'every-safe-point';
}

/** The settings for a run that another starts for a separate task: unattended (TR11), unless its plan waits for approval. */
export function settingsOfNewTask(settings: RunSettings): RunSettings {
  const gone = [
    'session',
    'startedBy',
    'clientTools',
    'answer',
    'keepOpenSeconds',
    'calledAs',
    'knownModels',
    'agentDepth',
  ] as const;
  return { ...without(settings, ...gone), attended: asksForPlan(settings) };
}

/** True if a run with these settings waits at its plan, so that its person must be notified. */
export function asksForPlan(settings: RunSettings): boolean {
  return settings.attended === true && wantsApproval(settings) && !settings.autoApprove;
}

/** True if a person approves the plans of this mode. Default: true in attended runs of the mode plan. */
export function wantsApproval(
  { attended, approvePlan, mode: started }: RunSettings,
  mode: ModeName = started,
): boolean {
  return approvePlan ?? (mode === 'plan' && attended === true);
}

/** True if a planner may include first calls: its plan needs no approval or review, and the executor shares its thread. */
export function beginsAtOnce(
  { roles: { planner, executor }, review }: Pick<PinnedRun, 'roles' | 'review'>,
  settings: RunSettings,
  mode: ModeName,
): boolean {
  const isShared = planner?.memory === 'shared' && executor?.memory === 'shared';
  return isShared && !review.plans && !wantsApproval(settings, mode);
}

export interface PinnedModel {
  /** Tokens that fit the model; threads are trimmed to fewer. */
  contextTokens: number;
  /** Tokens that a reply may have; null if unknown. */
  maxOutputTokens: number | null;
  costKnown: boolean;
}

export const HOOKS = ['onTurnEnd', 'onMessage', 'onError', 'onRunEnd'] as const;
export type HookName = (typeof HOOKS)[number];

/**
 * The behaviour of new runs. Each run keeps the version that it began with, so that its history replays. Version 2: an
 * answer does not count as a reply with tool calls; requested reads run before a message is read, and the router is
 * asked only if the table leaves a choice. Version 3: roles are found by ids such as `search_agent`. Version 4: one
 * gate asks about all edits of a reply; checks are made before the first change; results are left out by worth. Version
 * 5: the memo has only ends that no search attribute tells, and lists tell how the last goal of an open run ended; a
 * small change of which the understanding role is sure needs no router, and no new plan if the plan is one task; our
 * own tools are known by the entry of their server, and only their writes are compared with the file; a person's choice
 * among proposed meanings of a message is obeyed; a verdict that cites only failed calls is sent back once;
 * a check that a planner proposes is left out if it can't show anything.
 */
export const BEHAVIOUR = 5;

/** True if a run began with this behaviour, or a later one. */
export function behavesAs(pinned: { behaviour?: number } | null, version: number): boolean {
  return (pinned?.behaviour ?? 1) >= version;
}

/** The configuration that a run pins at its start: edited files affect new runs only. */
export interface PinnedRun {
  /** See `BEHAVIOUR`; absent for 1. */
  behaviour?: number;
  roles: Record<string, PinnedRole>;
  /** Roles that the run's roles may call as sub-agents, by name: each sub-agent's own run pins its role. */
  agents: AgentCard[];
  /** Declared modes that the run may be in: its own, or the choices of `auto`. */
  modes: DeclaredModes;
  /** The beginning of requests of all roles with the shared prefix. */
  prefix: { system: string };
  /** The workspace's file about the project; null if not wanted or not found. */
  projectNotes: ProjectNotes | null;
  /** Names and sizes of the workspace's files at the start. Absent if no tool of the run reads files. */
  files?: string;
  /** The workspace is listed when a judged goal begins, because a tool of the run may change files. */
  listsStart?: true;
  /** The language of the prompts; the run's own texts use it too, if they are translated. */
  language: string;
  /** The run's texts that differ from the language's built-in words; absent if no text differs. */
  words?: OwnWords;
  /** Tools in the order of their servers; names are unique. */
  tools: ToolDefinition[];
  /** The server that gets calls of unknown tools: the one named `default`; null if there is no such server. */
  fallbackServer: string | null;
  limits: Limits;
  /** The worker's upper bounds for limits. */
  ceilings: Ceilings;
  /** Default chain of models for roles that name no models. */
  models: string[];
  modelInfo: Record<string, PinnedModel>;
  /** Rows that choose a model before each call, instead of chains; empty if the start named a model. */
  resolver: ResolverRow[];
  /** An activity asks the worker's program before each call. */
  asksProgram: boolean;
  dedupe: 'enforce' | 'advise' | 'off';
  permissions: Permissions;
  /** How many tasks at work may hold a capability, by its name; absent if none is counted. */
  resources?: Record<string, number>;
  /** The outputs that the reviewer role checks before the run goes on. */
  review: { plans: boolean; results: boolean; actions: boolean };
  /** The orchestrator role is asked when a task has failed. */
  orchestrate: boolean;
  /** Checks that each goal must pass; absent if the list is empty. */
  checks?: Check[];
  /** The store of sessions records the run; absent without a store. */
  keeps?: true;
  /** Rules for leaving out old results; absent: only at the model's own limit. */
  context?: ContextRules;
  /** The run begins with the earlier messages of its conversation. */
  continues?: true;
  /** Hooks that the worker has; absent if it has none, and then no activity is called. */
  hooks?: HookName[];
  /** Each call's cost must be known, even without a cost limit. */
  needsPrices?: true;
  /** At the end of a budget: `ask` opens a gate if a person can answer; `wrap_up` sums up at once. */
  onBudget: 'ask' | 'wrap_up';
  /** In the mode plan: how a failed task affects its plan. */
  onStepFailure: StepFailurePolicy;
  /** Milliseconds that a gate waits for a person before it takes the safe answer. Default 24 h. */
  gateTimeoutMs: number;
  /** Time limit of a model call, milliseconds. Default 600,000. */
  modelTimeoutMs: number;
  /** Search attributes that the namespace has: setting an unknown one blocks a run permanently. */
  searchAttributes: string[];
  /** Problems while loading that do not stop the run, such as a tool server that does not start. */
  warnings: string[];
}

/** Returns the models of the run's chains and rows: a call may use them unasked, and a failure gate offers them. */
export function modelsInUse({
  models,
  roles,
  resolver,
}: Pick<PinnedRun, 'models' | 'roles' | 'resolver'>): string[] {
  const ofRoles = Object.values(roles).flatMap(role => role.models);
  return [...new Set([...models, ...ofRoles, ...resolver.flatMap(({ use }) => use)])];
}

/** Returns the tools offered to any of these roles, in the run's order (L9), without denied tools and tools for apps only. */
export function offeredTools(
  pinned: Pick<PinnedRun, 'tools' | 'permissions'>,
  ...roles: readonly ToolChoice[]
): ToolDefinition[] {
  return pinned.tools.filter(
    tool =>
      tool.appOnly !== true &&
      roles.some(role => isOffered(tool, role)) &&
      !isDenied(tool, pinned.permissions),
  );
}

const GOAL_CHARS = 500;

/** The memo, which the server shows without a worker; `workspace` tells whose run it is. */
export function memoOf(goal: string, { mode, workspace }: Pick<RunSettings, 'mode' | 'workspace'>) {
  return { goal: preview(goal, GOAL_CHARS), mode, workspace };
}

export const WORKFLOW_TYPE = 'steersmanRun';
/** The workflow that asks a worker for its folders, and its activity. */
export const FOLDERS_TYPE = 'steersmanFolders';
