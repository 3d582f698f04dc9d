/** The activity that loads a run: configuration, prompts, tools and limits, once, to be pinned in its state. */

import { hostname } from 'node:os';
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure, CancelledFailure, ensureApplicationFailure } from '@temporalio/common';
import { isRecord, isText, jsonBytes } from '../../base/json/json.js';
import { PINNED_BYTES, WORKER_TRIES } from '../../base/sizes/bounds.js';
import { errorText } from '../../base/text/error-text.js';
import { checkWorkspace, MissingWorkspaceError, workspaceRoots } from '../../config/files/workspace.js';
import { NO_NOTES, readProjectNotes } from '../../config/prompts/project-notes.js';
import type { PromptValues } from '../../config/prompts/render-prompts.js';
import {
  aloneAmong,
  dayOf,
  renderAlone,
  renderPrefix,
  renderRole,
} from '../../config/prompts/render-prompts.js';
import { modesFor } from '../../config/prompts/required-roles.js';
import { asksTransforms, contextRules } from '../../config/settings/context-rules.js';
import { commandFault, mergeLimits } from '../../config/settings/settings.js';
import { isRecall } from '../../conversation/tool-result.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import { mayChangeFiles, readsFiles } from '../../rules/prompts/inventory.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { BEHAVIOUR, type PinnedRun, type RunSettings } from '../../run/agents/run-config.js';
import { checkLine } from '../../run/checks/check.js';
import { FAILURE } from '../../run/limits/failure.js';
import { ceilingFault, type Limits, underCeilings } from '../../run/limits/limits.js';
import { isVerified } from '../../run/position/modes.js';
import { RECALL, type ToolDefinition } from '../../run/tools/tool.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { failpoint } from '../../shared/process/failpoints.js';
import { raceStop, within } from '../../shared/waits.js';
import type { Beside } from '../feature.js';
import type { Keeping } from '../keep.js';
import { pack } from '../pack.js';
import { stopReason } from '../stop-signal.js';
import type { LookFinds, SteersmanActivities } from '../types.js';
import { type ListedTools, offerTools, withBeginning } from './offer-tools.js';
import { namesModels, type PinModelsDeps, pinModels } from './pin-models.js';
import { type RunFiles, type RunFilesDeps, readRunFiles } from './read-run-files.js';

export interface LoadRunDeps extends RunFilesDeps, PinModelsDeps {
  /** On the local stack any workspace is allowed if `workspaces` is not set. */
  localStack: boolean;
  /** The worker stores runs in a store of sessions. Default false. */
  keeps?: boolean;
  /** Lists the run in that store: see `Keeping`. */
  readListing?: Keeping['readListing'];
  /** Looks at a workspace before a goal: see `LoadedRun`. Default: the run looks by itself. */
  lookAtStart?(workspace: string): Promise<LookFinds['start']>;
  /** Features of this worker, with the parts that they may use. Default: no features. */
  beside?: Beside;
  /** The worker's program chooses models. Default false. */
  asksProgram?: boolean;
  /** Returns tools of the connected servers and the built-in ones, with the policies their servers declare. */
  listTools(workspace: string): Promise<ListedTools>;
  /** Returns a short list of a workspace's files. */
  listFiles(workspace: string): Promise<string>;
  /** Returns the search attributes of Steersman that the namespace has. */
  searchAttributes(): Promise<string[]>;
}

const HEARTBEAT_MS = 1_000;

/**
 * Makes `steersmanLoadRun`. It reads the files anew for each run, so that an edit affects new runs only. Faults that a
 * person must fix end it without a retry: `run.bad_input` for the start request, `run.bad_config` for files of the
 * worker. The message names the fault, its place, and the remedy.
 */
export function createLoadRun(deps: LoadRunDeps): SteersmanActivities['steersmanLoadRun'] {
  return async function steersmanLoadRun({ settings, lists }) {
    const timer = setInterval(() => heartbeat(), HEARTBEAT_MS);
    try {
      const list =
        lists === true && deps.keeps === true && beginsSession(settings) ? deps.readListing?.() : undefined;
      const loaded = withinBound(await unlessCancelled(loadRun(deps, settings)));
      const start = lists === true ? await unlessCancelled(startOf(deps, settings, loaded)) : undefined;
      const listed = await list?.();
      return pack({ ...loaded, ...(listed && { listed }), ...(start && { start }) });
    } catch (error) {
      throw withDetails(error, deps);
    } finally {
      clearInterval(timer);
      await failpoint('run.loaded');
    }
  };
}

const LOOK_MS = 20_000;
const UNSEEN: LookFinds['start'] = { ref: null };

/** Looks at the workspace of a run whose first goal is judged by what it changes. That saves the run an activity. */
async function startOf(
  { lookAtStart }: LoadRunDeps,
  { mode, workspace }: RunSettings,
  { listsStart, checks = [] }: PinnedRun,
): Promise<LookFinds['start'] | undefined> {
  if (!lookAtStart || listsStart !== true || !(isVerified(mode) || checks.length > 0)) return undefined;
  return within(LOOK_MS, lookAtStart(workspace), UNSEEN).catch(() => UNSEEN);
}

/** Ends at once when cancelled, because a tool server may take long to start. A worker that shuts down lets it finish. */
function unlessCancelled<T>(work: Promise<T>): Promise<T> {
  const signal = cancellationSignal();
  return raceStop(signal, work, async () => {
    if (stopReason(signal) === 'cancelled') throw signal.reason;
    return work;
  });
}

/** A run that can't begin pins no values, so its failure has the features' details of this worker. */
function withDetails(error: unknown, { beside }: LoadRunDeps): unknown {
  const all = beside?.features.map(feature => feature.refusal?.(beside.parts)) ?? [];
  const details: Record<string, unknown> = Object.assign({}, ...all);
  if (Object.keys(details).length === 0 || error instanceof CancelledFailure) return error;
  const { message, type, nonRetryable, nextRetryDelay, cause } = ensureApplicationFailure(error);
  return ApplicationFailure.create({
    message,
    ...(isText(type) && { type }),
    ...(nonRetryable === true && { nonRetryable }),
    ...(nextRetryDelay && { nextRetryDelay }),
    ...(cause && { cause }),
    details: [details],
  });
}

/** A run carries its pinned data through every continue-as-new, so too much of it is a configuration error. */
function withinBound(pinned: PinnedRun): PinnedRun {
  const bytes = jsonBytes(pinned);
  if (bytes <= PINNED_BYTES - SPARE_BYTES) return pinned;
  const tools = jsonBytes(pinned.tools);
  const message =
    `Prompts and tools of the run have ${bytes} bytes, and at most ${PINNED_BYTES - SPARE_BYTES} are taken: ` +
    `the tools (${pinned.tools.length}) have ${tools}, the prompts ${jsonBytes(pinned.roles)}. ` +
    'Disable tool servers that are not needed, or shorten the prompts.';
  throw ApplicationFailure.nonRetryable(message, FAILURE.run.badConfig);
}

/** Room for limits and models that change during the run. */
const SPARE_BYTES = 5_000;

async function loadRun(deps: LoadRunDeps, run: RunSettings): Promise<PinnedRun> {
  const { badInput, badConfig } = FAILURE.run;
  const read = await failAs(badConfig, () => readRunFiles(deps, run));
  const { settings, words } = read;
  const workspace = await failAs(badInput, () =>
    checkWorkspace(run.workspace, workspaceRoots(settings.workspaces, deps.localStack)).catch(
      elsewhere(deps),
    ),
  );
  const limits = limitsFor(settings, run);
  const listed = await failAs(badConfig, () => deps.listTools(workspace));
  const { files, offers, tools, allowed, ...offered } = await offerTools(deps.beside, { listed, read, run });
  const values = { limits, tools: allowed, today: dayOf(new Date()), workspace };
  const ofFeatures = await failAs(badInput, () => pinsOf(deps, settings, run));
  const rendered = await failAs(badConfig, () => renderAll(files, values, run.systemMessage));
  const { roles, prefix } = withBeginning(rendered, offers);
  const needsPrices = limits.costUsd !== null || wantPrices(deps, settings, run);
  const { choice, modelInfo, resolver } = await failAs(namesModels(run) ? badInput : badConfig, () =>
    pinModels(deps, roles, { settings, run, needsPrices }),
  );
  const seen = await readWorkspace(deps, { read, run, workspace, allowed });
  const attributes = await searchAttributes(deps);
  const warnings = [
    ...unmadeChecks(deps, { settings, run, workspace }),
    ...[offered, seen, choice, attributes].flatMap(part => part.warnings),
  ];
  const keeps = deps.keeps === true;
  return {
    behaviour: BEHAVIOUR,
    ...pinnedSettings(deps, settings, run),
    roles: Object.fromEntries(
      choice.roles.map(role => [role.name, mayRecall(mayLook(asStarted(role, run), limits), allowed)]),
    ),
    agents: files.agents,
    prefix,
    ...seen.pinned,
    ...(words && { words }),
    tools,
    fallbackServer: listed.fallbackServer ?? null,
    limits,
    models: choice.models,
    modelInfo,
    resolver,
    ...((keeps || asksTransforms(settings)) && { context: contextRules(settings, modelInfo, needsPrices) }),
    ...Object.assign({}, ofFeatures, ...offers.map(offer => offer.pinned)),
    searchAttributes: attributes.names,
    warnings: !keeps && continuesSession(run) ? [...warnings, NOTHING_KEPT] : warnings,
  };
}

/** Warns at the start of checks that can't be made here, because the finished work would then stay unverified. */
function unmadeChecks(
  { localStack }: LoadRunDeps,
  { settings, run, workspace }: { settings: RunFiles['settings']; run: RunSettings; workspace: string },
): string[] {
  return (run.checks ?? []).flatMap(check => {
    const fault = 'run' in check ? commandFault(check.run, { workspace, localStack, settings }) : null;
    return fault === null ? [] : [`The check ${checkLine(check)} will not be made: ${fault}.`];
  });
}

/** Returns what a run learns about its workspace: the project's notes, and its files if a tool reads them. */
async function readWorkspace(
  deps: LoadRunDeps,
  {
    read,
    run,
    workspace,
    allowed,
  }: { read: RunFiles; run: RunSettings; workspace: string; allowed: readonly ToolDefinition[] },
) {
  const wantsNotes = run.projectNotes ?? read.settings.projectNotes;
  const project = wantsNotes ? await readProjectNotes(workspace) : NO_NOTES;
  const { files, warnings = [] } = allowed.some(readsFiles) ? await listingOf(deps, workspace) : {};
  const listsStart = !isSubagent(run) && allowed.some(mayChangeFiles);
  return {
    pinned: {
      projectNotes: project.notes,
      ...(files !== undefined && { files }),
      ...(listsStart && { listsStart: true as const }),
    },
    warnings: [...project.warnings, ...warnings],
  };
}

/** Returns the run's own limits, within the worker's ceilings. */
function limitsFor({ limits, ceilings }: RunFiles['settings'], run: RunSettings): Limits {
  const over = ceilingFault(run.limits ?? {}, ceilings);
  if (over !== null)
    throw ApplicationFailure.nonRetryable(`The run cannot start: ${over}`, FAILURE.run.badInput);
  return underCeilings(mergeLimits(limits, run.limits ?? {}), ceilings);
}

/** Returns values pinned directly from configuration, start request and worker. */
function pinnedSettings(deps: LoadRunDeps, settings: RunFiles['settings'], run: RunSettings) {
  const checks = isSubagent(run) ? [] : [...settings.checks, ...(run.checks ?? [])];
  return {
    modes: modesFor(run, settings),
    language: settings.language,
    ceilings: settings.ceilings,
    // A model named for the run is not replaced by the program's choice.
    asksProgram: deps.asksProgram === true && run.model === undefined,
    dedupe: settings.dedupe,
    permissions: settings.permissions,
    review: settings.review,
    orchestrate: settings.orchestrate,
    ...(Object.keys(settings.resources).length > 0 && { resources: settings.resources }),
    ...(checks.length > 0 && { checks }),
    ...(deps.keeps === true && { keeps: true as const }),
    ...(deps.keeps === true && continuesSession(run) && { continues: true as const }),
    onBudget: settings.gates.onBudget,
    onStepFailure: run.onStepFailure ?? settings.onStepFailure,
    gateTimeoutMs: settings.gates.timeoutMs,
    modelTimeoutMs: settings.models.timeoutMs,
  };
}

/** True if the run begins a conversation. A run that continues one is stored there only after it could read it. */
function beginsSession(run: RunSettings): boolean {
  return run.session === undefined && !isSubagent(run);
}

/** Sub-agents get their knowledge from their caller. */
function continuesSession(run: RunSettings): boolean {
  return run.session !== undefined && !isSubagent(run);
}

const NOTHING_KEPT =
  'This worker has no store (store.kind is none in its steersman.yaml): the run does not know what was said before in its conversation.';

async function pinsOf(
  { beside }: LoadRunDeps,
  settings: RunFiles['settings'],
  run: RunSettings,
): Promise<Partial<PinnedRun>> {
  if (!beside) return {};
  const { features, parts } = beside;
  const pins = await Promise.all(features.map(feature => feature.pins?.(parts, settings, run)));
  return Object.assign({}, ...pins);
}

function wantPrices({ beside }: LoadRunDeps, settings: RunFiles['settings'], run: RunSettings): boolean {
  return beside?.features.some(feature => feature.needsPrices?.(settings, run) === true) === true;
}

/** Another worker's host may have the folder. If no attempt finds it, the error names the hosts without it. */
function elsewhere({ localStack }: Pick<LoadRunDeps, 'localStack'>): (error: unknown) => never {
  return error => {
    const { attempt, heartbeatDetails } = activityInfo();
    if (!(error instanceof MissingWorkspaceError) || localStack) throw error;
    const before =
      isRecord(heartbeatDetails) && Array.isArray(heartbeatDetails.without) ? heartbeatDetails.without : [];
    const without = [...new Set([...before, hostname()])];
    if (attempt >= WORKER_TRIES)
      throw new SteersmanError(
        `${error.message} No worker that was asked has it: ${without.join(', ')}.`,
        'Give every worker of the task queue the same folder at the same path, or each host a task queue of its own.',
      );
    heartbeat({ without });
    throw ApplicationFailure.create({
      message: `${error.message} Another worker may have it.`,
      type: FAILURE.tool.noWorkspace,
      nextRetryDelay: '500ms',
    });
  };
}

function renderAll(
  files: RunFiles,
  values: PromptValues,
  systemMessage: string | undefined,
): Pick<PinnedRun, 'prefix'> & { roles: PinnedRole[] } {
  const opening = renderAlone(files.prefix, values);
  const alone = aloneAmong(files.roles);
  return {
    prefix: alone === null ? renderPrefix(files.prefix, values, systemMessage) : { system: '' },
    roles: files.roles.map(role =>
      renderRole(role, values, { systemMessage, opening, isAlone: role === alone }),
    ),
  };
}

/** The start's sampling holds for every role (M15). */
function asStarted(role: PinnedRole, { temperature, maxOutputTokens }: RunSettings): PinnedRole {
  return {
    ...role,
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}

/** A verifier has no tools of its own: if the limits allow looks, it gets the read-only ones. */
function mayLook(role: PinnedRole, { looks }: Limits): PinnedRole {
  if (role.output !== 'verdict' || looks === 0) return role;
  return { ...role, ...(role.tools.length === 0 && { tools: ['*'] }), readOnly: true };
}

/** Roles that write the end of the work may read parts that their conversation no longer shows. */
function mayRecall(role: PinnedRole, tools: readonly ToolDefinition[]): PinnedRole {
  const judges = role.output === 'verdict' || role.name === WRITES_THE_END;
  return judges && role.tools.length === 0 && role.prefix === 'shared' && tools.some(isRecall)
    ? { ...role, tools: [RECALL] }
    : role;
}

const WRITES_THE_END = 'summary';

/** Without the listing, the run only gets a warning. */
async function listingOf(
  deps: LoadRunDeps,
  workspace: string,
): Promise<{ files?: string; warnings?: string[] }> {
  try {
    return { files: await deps.listFiles(workspace) };
  } catch (error) {
    return { warnings: [`The files of the workspace could not be listed (${errorText(error)}).`] };
  }
}

/** A run goes without search attributes if the namespace can't be asked for them. */
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

/** Faults that a person must fix are not retried. Temporal retries all others. */
async function failAs<T>(type: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    throw ApplicationFailure.nonRetryable(`${error.message} ${error.remedy}`, type);
  }
}
