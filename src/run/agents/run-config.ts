/** What a run is started with, and what it pins at its start. */

import { without } from '../../base/json/json.js';
import { preview } from '../../base/text/preview.js';
import type { OwnWords } from '../../base/words/words.js';
import type { Check } from '../checks/check.js';
import type { ContextRules } from '../limits/decide.js';
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

/** A start request as clients write it. Everything but `goal` may be left out. */
export interface RunSettings {
  /** A built-in one, or one that `steersman.yaml` declares. */
  mode: ModeName;
  /** Name of the role that works on the goals, in a mode of one role. Default: the mode's own. */
  role?: string;
  /** Folder that tools are confined to: absolute, on the worker's host. */
  workspace: string;
  /** `endpoint/model` for every role, before profiles and `steersman.yaml`. */
  model?: string;
  /** Name of one of `models.configurations` of `steersman.yaml`. Not together with `model`. */
  configuration?: string;
  /** Extra system text put before every role's prompt. */
  systemMessage?: string;
  /** Tools that are not read-only run without asking. Default false: they are denied. */
  autoApprove: boolean;
  /** Tools that run without asking, by name, or as `name#digest` that tool alone; `permissions.deny` stands. Default: none. */
  allowTools?: string[];
  /** Overrides of `steersman.yaml` for this run. */
  limits?: Partial<Limits>;
  /** Given to every tool call, not shown to models. */
  context?: Record<string, string>;
  /** A person can be asked: gates wait for an answer. Default false: they take the safe answer at once. */
  attended?: boolean;
  /** The plan waits for a person before it runs. Default: in the mode plan, where somebody attends. */
  approvePlan?: boolean;
  /** In the mode plan: what a failed task does to the rest. Default: as `steersman.yaml` says, which is `skip`. */
  onStepFailure?: StepFailurePolicy;
  /** What each goal must pass before it is `completed`, after the checks of `steersman.yaml`. */
  checks?: Check[];
  /** How long the run stays open for follow-ups after an answer. Default 0. */
  keepOpenSeconds?: number;
  /** The workspace's `AGENTS.md` is told to the roles, as data about the project. Default: as `steersman.yaml` says, which is false. */
  projectNotes?: boolean;
  /** Tools that the client runs: their calls wait for \`submitToolResult\`. */
  clientTools?: ClientTool[];
  /** Id of the conversation that it is a part of; the run begins with what was said there. Default: its own workflow id. */
  session?: string;
  /** Word of the client that started it, by which that knows its run. */
  startedBy?: string;
  /** Its id, such as `search/1`, in the run that called it as a sub-agent. Set by that run. */
  calledAs?: string;
  /** What is known of models where it was called. Set by the run that called it. */
  knownModels?: KnownModels;
  /** How many runs are above it, each the sub-agent of the next. Default 0. Set by the run that called it. */
  agentDepth?: number;
  /** When the run continues as new. Default `suggested`: when the server says so. The other is for tests. */
  continueAsNew?: 'suggested' | 'every-safe-point';
}

/** Of a run that another starts for a task of its own: nobody attends it (TR11), unless its plan waits for a person. */
export function settingsOfNewTask(settings: RunSettings): RunSettings {
  const gone = [
    'session',
    'startedBy',
    'clientTools',
    'keepOpenSeconds',
    'calledAs',
    'knownModels',
    'agentDepth',
  ] as const;
  return { ...without(settings, ...gone), attended: asksForPlan(settings) };
}

/** Whether a run of these settings waits at its plan, so that its person must be told. */
export function asksForPlan(settings: RunSettings): boolean {
  return settings.attended === true && wantsApproval(settings) && !settings.autoApprove;
}

/** Whether plans of goals of this mode are a person's to approve: where nothing was said, those of the mode plan. */
export function wantsApproval(
  { attended, approvePlan, mode: started }: RunSettings,
  mode: ModeName = started,
): boolean {
  return approvePlan ?? (mode === 'plan' && attended === true);
}

/** Whether a planner may give the first calls of its plan with it: nobody looks at the plan, and who carries it out reads on. */
export function beginsAtOnce(
  { roles: { planner, executor }, review }: Pick<PinnedRun, 'roles' | 'review'>,
  settings: RunSettings,
  mode: ModeName,
): boolean {
  const isShared = planner?.memory === 'shared' && executor?.memory === 'shared';
  return isShared && !review.plans && !wantsApproval(settings, mode);
}

export interface PinnedModel {
  /** Tokens that fit the model: threads are trimmed below it. */
  contextTokens: number;
  /** Tokens that a reply may have; null where that is not known. */
  maxOutputTokens: number | null;
  costKnown: boolean;
}

export const HOOKS = ['onTurnEnd', 'onMessage', 'onError', 'onRunEnd'] as const;
export type HookName = (typeof HOOKS)[number];

/** What a run pins when it starts: editing files changes new runs, never one in flight. */
/**
 * Which behaviour new runs have. A run goes on with the one that it began with, so that its history replays:
 * 2: an answer does not count as a reply with tool calls; reads that were asked for run before a message is
 * read, and the router is asked only where the table leaves a choice.
 */
export const BEHAVIOUR = 2;

export interface PinnedRun {
  /** See `BEHAVIOUR`; absent for 1. */
  behaviour?: number;
  roles: Record<string, PinnedRole>;
  /** Roles that those of the run may call as sub-agents, by name: each is pinned by its own run. */
  agents: AgentCard[];
  /** Modes of the configuration that the run may be in: its own, or those that are chosen among. */
  modes: DeclaredModes;
  /** What requests of all roles with the shared prefix begin with. */
  prefix: { system: string };
  /** What the workspace's own file says of the project; null where none was wanted or found. */
  projectNotes: ProjectNotes | null;
  /** What lay in the workspace at the start: names and sizes. Absent where no tool of the run reads files. */
  files?: string;
  /** Goals that are judged have the workspace listed as they begin: a tool of the run may change files. */
  listsStart?: true;
  /** Of the prompts: what the run itself says is in it too, where there are words for it. */
  language: string;
  /** What the run says otherwise than the built-in words of the language; absent where nothing differs. */
  words?: OwnWords;
  /** In the order of servers; names unique. */
  tools: ToolDefinition[];
  /** Server that gets calls of tools nobody offers: one named `default`, if there is one. */
  fallbackServer: string | null;
  limits: Limits;
  /** What nobody may set a limit above: the worker's word. */
  ceilings: Ceilings;
  /** Default chain of models for roles that name none. */
  models: string[];
  modelInfo: Record<string, PinnedModel>;
  /** Rows that choose a model before each call, in place of chains; none where the start named one. */
  resolver: ResolverRow[];
  /** The worker's program is asked before each call, by an activity. */
  asksProgram: boolean;
  dedupe: 'enforce' | 'advise' | 'off';
  permissions: Permissions;
  /** What the reviewer role looks at before it goes on. */
  review: { plans: boolean; results: boolean; actions: boolean };
  /** The orchestrator role is asked when a task has failed. */
  orchestrate: boolean;
  /** What each goal must pass; absent where there is nothing. */
  checks?: Check[];
  /** The run is kept in the store of sessions; absent where there is none. */
  keeps?: true;
  /** When old results are left out; absent: never before the model's own limit. */
  context?: ContextRules;
  /** The run begins with what its conversation has said so far. */
  continues?: true;
  /** Hooks that the worker has; absent for none: then nothing is called. */
  hooks?: HookName[];
  /** What calls cost has to be known, also where no limit of cost is held. */
  needsPrices?: true;
  /** At the end of a budget: a gate, where a person can be asked, or the wrap-up at once. */
  onBudget: 'ask' | 'wrap_up';
  /** In the mode plan: what a failed task does to the rest of its plan. */
  onStepFailure: StepFailurePolicy;
  /** How long a gate waits for a person before the safe answer. Default 24 h. */
  gateTimeoutMs: number;
  /** Largest model call, milliseconds. Default 600,000. */
  modelTimeoutMs: number;
  /** Search attributes that the namespace has: setting another blocks a run for ever. */
  searchAttributes: string[];
  /** What did not work while loading and does not stop the run, such as a tool server that will not start. */
  warnings: string[];
}

/** Models of the run's chains and rows: what it may be given unasked, or offered where one of them failed. */
export function modelsInUse({
  models,
  roles,
  resolver,
}: Pick<PinnedRun, 'models' | 'roles' | 'resolver'>): string[] {
  const ofRoles = Object.values(roles).flatMap(role => role.models);
  return [...new Set([...models, ...ofRoles, ...resolver.flatMap(({ use }) => use)])];
}

/** The tools that any of these roles is offered, in the run's order (L9). Not what never runs, or is for apps alone. */
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

/** What the server tells of a run without its worker; `workspace` says whose run it is, where that is asked. */
export function memoOf(goal: string, { mode, workspace }: Pick<RunSettings, 'mode' | 'workspace'>) {
  return { goal: preview(goal, GOAL_CHARS), mode, workspace };
}

export const WORKFLOW_TYPE = 'steersmanRun';
