/** The activity that loads a run: configuration, prompts, tools and limits, once, to be pinned in its state. */

import { join } from 'node:path';
import { cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { isCallable, missingAgents, missingTools } from '../config/callable-roles.js';
import { chooseModels } from '../config/choose-models.js';
import type { ConfigInCode } from '../config/in-code.js';
import { namedModels } from '../config/models-schema.js';
import { NO_NOTES, readProjectNotes } from '../config/project-notes.js';
import type { PromptTemplate, PromptValues, RoleTemplate } from '../config/prompts.js';
import { loadOpening, loadRoles, promptRoots, renderOpening, renderRole } from '../config/prompts.js';
import { modesFor, requireRoles, wayOfStart } from '../config/required-roles.js';
import type { Settings } from '../config/settings.js';
import { applyToolOverrides, mergeLimits, SETTINGS_FILE } from '../config/settings.js';
import { loadWords } from '../config/words.js';
import { checkWorkspace, workspaceRoots } from '../config/workspace.js';
import { MOST_AGENT_DEPTH } from '../core/agent-card.js';
import { PINNED_BYTES } from '../core/bounds.js';
import { errorText } from '../core/error-text.js';
import { FAILURE } from '../core/failure.js';
import { jsonBytes } from '../core/json.js';
import { ceilingFault, underCeilings } from '../core/limits.js';
import type { ModeName } from '../core/modes.js';
import { mayPlan } from '../core/modes.js';
import { pricedChains, pricedRows } from '../core/prices.js';
import type { PinnedRole, RoleProfile } from '../core/role.js';
import type { PinnedModel, PinnedRun, RunSettings } from '../core/run-config.js';
import { mergeClientTools } from '../core/tools/client-tools.js';
import { idlePermissions, isDenied } from '../core/tools/permission.js';
import type { ToolDefinition } from '../core/tools/tool.js';
import { addWorkflowTools } from '../core/tools/workflow-tools.js';
import type { OwnWords } from '../core/words.js';
import { toolNamer } from '../mcp/tool-names.js';
import { SteersmanError } from '../shared/errors.js';
import { failpoint } from '../shared/failpoints.js';
import { pack } from './pack.js';
import { raceStop, stopReason } from './stop-signal.js';
import type { SteersmanActivities } from './types.js';

export interface ListedTools {
  tools: ToolDefinition[];
  warnings: string[];
  /** Server that takes calls of tools nobody offers. Default: none. */
  fallbackServer?: string | null;
}

export interface LoadRunDeps {
  /** Folder of `steersman.yaml` and `prompts`: the project's, never the workspace. Null: there is none. */
  configDir: string | null;
  /** What the worker's program gives beside its files. Default: nothing. */
  inCode?: ConfigInCode;
  /** On the local stack any workspace is served where `workspaces` is not set. */
  localStack: boolean;
  /** @throws SteersmanError where they can not be read. */
  loadSettings(): Promise<Settings>;
  /** The worker's program chooses models. Default false. */
  asksProgram?: boolean;
  /** Tools of the connected servers and the built-in ones, with the policies their servers declare. */
  listTools(workspace: string): Promise<ListedTools>;
  /** @throws SteersmanError for a provider that does not exist. */
  modelInfo(modelId: string, models: Settings['models']): PinnedModel;
  /** Those of Steersman's search attributes that the namespace has. */
  searchAttributes(): Promise<string[]>;
}

const HEARTBEAT_MS = 1_000;

/**
 * Makes `steersmanLoadRun`. It reads the files anew for each run, so that an edit changes new runs only.
 * Faults that a person must mend end it without a retry: `run.bad_input` for what the start request says,
 * `run.bad_config` for files of the worker. The message says what is wrong, where, and what to do.
 */
export function createLoadRun(deps: LoadRunDeps): SteersmanActivities['steersmanLoadRun'] {
  return async function steersmanLoadRun({ settings }) {
    const timer = setInterval(() => heartbeat(), HEARTBEAT_MS);
    try {
      const loaded = loadRun(deps, settings);
      return pack(withinBound(await unlessCancelled(loaded)));
    } finally {
      clearInterval(timer);
      await failpoint('run.loaded');
    }
  };
}

/** Ends with a cancellation at once: a tool server may take long to start. A worker that ends lets it finish. */
function unlessCancelled<T>(work: Promise<T>): Promise<T> {
  const signal = cancellationSignal();
  return raceStop(signal, work, async () => {
    if (stopReason(signal) === 'cancelled') throw signal.reason;
    return work;
  });
}

/** A run carries what it pins through every part: too much of it is a fault of the configuration. */
function withinBound(pinned: PinnedRun): PinnedRun {
  const bytes = jsonBytes(pinned);
  if (bytes <= PINNED_BYTES - SPARE_BYTES) return pinned;
  const tools = jsonBytes(pinned.tools);
  const message =
    `Prompts and tools of the run have ${bytes} bytes, and at most ${PINNED_BYTES - SPARE_BYTES} are taken: ` +
    `${pinned.tools.length} tools have ${tools}, the prompts ${jsonBytes(pinned.roles)}. ` +
    'Disable tool servers that are not needed, or shorten the prompts.';
  throw ApplicationFailure.nonRetryable(message, FAILURE.run.badConfig);
}

/** For limits and models that change while it runs. */
const SPARE_BYTES = 5_000;

async function loadRun(deps: LoadRunDeps, run: RunSettings): Promise<PinnedRun> {
  const { badInput, badConfig } = FAILURE.run;
  const files = await failAs(badConfig, () => readFiles(deps, run));
  const { settings, words } = files;
  const workspace = await failAs(badInput, () =>
    checkWorkspace(run.workspace, workspaceRoots(settings.workspaces, deps.localStack)),
  );
  const { ceilings } = settings;
  const over = ceilingFault(run.limits ?? {}, ceilings);
  if (over !== null) throw ApplicationFailure.nonRetryable(`The run can not start: ${over}`, badInput);
  const limits = underCeilings(mergeLimits(settings.limits, run.limits ?? {}), ceilings);
  const listed = await failAs(badConfig, () => deps.listTools(workspace));
  const withClient = mergeClientTools(listed.tools, run.clientTools ?? [], namerFor(listed.tools));
  const own = addWorkflowTools(
    withClient.tools,
    files.roles.map(({ profile }) => profile),
  );
  const { tools, warnings } = applyToolOverrides(own.tools, settings.tools);
  const allowed = tools.filter(tool => !isDenied(tool, settings.permissions));
  const idle = idlePermissions(settings.permissions, tools);
  const values = { limits, tools: allowed, today: today(), workspace };
  const { roles, opening } = await failAs(badConfig, () => renderAll(files, values, run.systemMessage));
  const { choice, modelInfo, resolver } = await failAs(namesModels(run) ? badInput : badConfig, () =>
    pinModels(deps, roles, { settings, run, costUsd: limits.costUsd }),
  );
  const wantsNotes = run.projectNotes ?? settings.projectNotes;
  const project = wantsNotes ? await readProjectNotes(workspace) : NO_NOTES;
  const attributes = await searchAttributes(deps);
  return {
    roles: Object.fromEntries(choice.roles.map(role => [role.name, role])),
    agents: files.callable.map(({ profile: { name, description, requires } }) => ({
      name,
      description,
      requires,
    })),
    modes: modesFor(run, settings),
    opening,
    projectNotes: project.notes,
    language: settings.language,
    ...(words && { words }),
    tools,
    fallbackServer: listed.fallbackServer ?? null,
    limits,
    ceilings,
    models: choice.models,
    modelInfo,
    resolver,
    // A model named for the run stands alone.
    asksProgram: deps.asksProgram === true && run.model === undefined,
    dedupe: settings.dedupe,
    permissions: settings.permissions,
    review: settings.review,
    orchestrate: settings.orchestrate,
    onBudget: settings.gates.onBudget,
    onStepFailure: run.onStepFailure ?? settings.onStepFailure,
    gateTimeoutMs: settings.gates.timeoutMs,
    modelTimeoutMs: settings.models.timeoutMs,
    searchAttributes: attributes.names,
    warnings: [
      ...listed.warnings,
      ...withClient.warnings,
      ...warnings,
      ...own.warnings,
      ...roleWarnings([...files.roles, ...files.callable], tools),
      ...files.agentWarnings,
      ...idle,
      ...project.warnings,
      ...choice.warnings,
      ...attributes.warnings,
    ],
  };
}

/** What of the roles' files counts for nothing, also of those that are called: said once, where they are known. */
function roleWarnings(roles: readonly RoleTemplate[], tools: readonly ToolDefinition[]): string[] {
  const profiles = roles.map(({ profile }) => profile);
  const offered = addWorkflowTools(tools, profiles).tools;
  return roles.flatMap(role => [...role.warnings, ...missingTools(role, offered)]);
}

/** Names of the client's own tools, as providers allow them. */
function namerFor(tools: readonly ToolDefinition[]): (name: string) => string {
  const nameOf = toolNamer(
    ['client'],
    tools.map(tool => tool.name),
  );
  return name => nameOf('client', name);
}

/** Roles that the settings want asked in a run of this mode, besides its own. */
function rolesAsked({ steering, review, orchestrate }: Settings, mode: ModeName): string[] {
  const plans = mayPlan(mode);
  const reviews = review.actions || (plans && (review.plans || review.results));
  return [
    ...(steering === 'note' ? [] : ['understanding', 'router']),
    ...(reviews ? ['reviewer'] : []),
    ...(plans && orchestrate ? ['orchestrator'] : []),
  ];
}

/** Besides the executor: for tasks that need what it says it has. */
function carriesOut({ output, capabilities = [] }: RoleProfile): boolean {
  return output === 'execution' && capabilities.length > 0;
}

interface Files {
  settings: Settings;
  /** Roles that those of the run may call; none where it is too deep in a tree of them. */
  callable: RoleTemplate[];
  /** Of agents that roles name and do not have. */
  agentWarnings: string[];
  opening: PromptTemplate;
  roles: RoleTemplate[];
  words: OwnWords | undefined;
}

async function readFiles(
  { configDir, inCode, loadSettings }: Pick<LoadRunDeps, 'configDir' | 'inCode' | 'loadSettings'>,
  run: Pick<RunSettings, 'mode' | 'role' | 'agentDepth'>,
): Promise<Files> {
  const settings = await loadSettings();
  const roots = promptRoots(configDir);
  const opening = await loadOpening(roots, settings.language, inCode);
  const all = await loadRoles(roots, settings.language, inCode);
  const words = await loadWords(roots, settings.language);
  const way = wayOfStart(run, settings);
  const required = requireRoles(way, settings, { templates: all, named: run.role });
  // Others would only cost state: nobody asks them.
  const wanted = new Set([...required, ...rolesAsked(settings, run.mode)]);
  const roles = all.filter(
    ({ profile }) => wanted.has(profile.name) || (mayPlan(run.mode) && carriesOut(profile)),
  );
  const globs = roles.flatMap(({ profile }) => profile.agents);
  const isDeepest = (run.agentDepth ?? 0) >= MOST_AGENT_DEPTH;
  const callable = isDeepest ? [] : all.filter(({ profile }) => isCallable(profile, globs));
  const profiles = all.map(({ profile }) => profile);
  const agentWarnings = [...new Set([...roles, ...callable])].flatMap(role => missingAgents(role, profiles));
  return { settings, callable, agentWarnings, opening, roles, words };
}

function renderAll(
  { opening, roles }: Files,
  values: PromptValues,
  systemMessage: string | undefined,
): Pick<PinnedRun, 'opening'> & { roles: PinnedRole[] } {
  return {
    opening: renderOpening(opening, values, systemMessage),
    roles: roles.map(role => renderRole(role, values, systemMessage)),
  };
}

/** Of the worker's clock and zone; in history from here on. */
function today(): string {
  const now = new Date();
  const two = (number: number) => String(number).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function namesModels({ model, configuration }: RunSettings): boolean {
  return model !== undefined || configuration !== undefined;
}

function pinModels(
  deps: LoadRunDeps,
  roles: PinnedRole[],
  { settings, run, costUsd }: { settings: Settings; run: RunSettings; costUsd: number | null },
) {
  const file = join(deps.configDir ?? '', SETTINGS_FILE);
  const choice = chooseModels(roles, settings.models, {
    runModel: run.model,
    configuration: run.configuration,
    file,
  });
  const inChains = [...choice.models, ...choice.roles.flatMap(role => role.models)];
  // Those that the configuration names a person may choose while it runs.
  const ids = [...new Set([...inChains, ...namedModels(settings.models).map(({ id }) => id)])];
  const modelInfo = Object.fromEntries(ids.map(id => [id, deps.modelInfo(id, settings.models)]));
  // A model named for the run stands alone.
  const resolver = run.model === undefined ? settings.models.resolver : [];
  if (costUsd === null) return { choice: { ...choice, warnings: [] }, modelInfo, resolver };
  const priced = pricedChains(choice, modelInfo);
  const { rows, warnings } = pricedRows(resolver, modelInfo);
  if (priced.fault === null) {
    return {
      choice: { ...priced, warnings: [...priced.warnings, ...warnings] },
      modelInfo,
      resolver: rows,
    };
  }
  throw new SteersmanError(
    priced.fault,
    'Use a model whose price is known, say its prices under models.info in steersman.yaml, or set no limit: costUsd: null there, or costUsd=none for a run.',
  );
}

/** A run does without search attributes where the namespace may not be asked for them. */
async function searchAttributes(deps: LoadRunDeps): Promise<{ names: string[]; warnings: string[] }> {
  try {
    return { names: await deps.searchAttributes(), warnings: [] };
  } catch (error) {
    const reason = errorText(error);
    return {
      names: [],
      warnings: [`Search attributes are not set: the namespace could not be asked (${reason}).`],
    };
  }
}

/** Faults that a person must mend are not retried; all others are Temporal's to retry. */
async function failAs<T>(type: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    throw ApplicationFailure.nonRetryable(`${error.message} ${error.remedy}`, type);
  }
}
