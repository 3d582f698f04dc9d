/** Checks the configuration folder: can `steersman.yaml`, the prompts and `.mcp.json` be used? */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plural } from 'steersman/base';
import {
  callableModels,
  checkWorkspace,
  chooseModels,
  configurationDigest,
  displayPath,
  loadPrefix,
  loadRoles,
  loadWords,
  localToolsDir,
  mergeLimits,
  missingAgents,
  promptRoots,
  type RoleTemplate,
  renderPrefix,
  renderRole,
  requireRoles,
  SETTINGS_FILE,
  type Settings,
  settingsOfAny,
  workspaceRoots,
} from 'steersman/config';
import { loadMcpConfig, type McpConfig } from 'steersman/mcp';
import { DEMO } from 'steersman/models';
import { type Finding, failed, failedBy, ok, skipped, warning } from './finding.js';

export interface Configuration {
  /** Null if the file is invalid. */
  settings: Settings | null;
  /** Null if the file is invalid. */
  mcp: McpConfig | null;
  /** Every model that a run may call, `endpoint/model`; null if settings or prompts are invalid. */
  models: string[] | null;
  /** All roles; empty if settings or prompts are invalid. */
  roles: RoleTemplate[];
  findings: Finding[];
}

/** The additions that a start on this machine makes to the files. */
export interface Surroundings {
  /** Runs use workers of the local stack, which have the package's tool servers if the folder names no servers. */
  localStack: boolean;
  /** A program's worker may serve the runs: it may have endpoints and roles that the files lack. */
  ownWorker: boolean;
  /** The model for roles without a configured model. */
  standIn: string | undefined;
}

export async function checkConfiguration(
  configDir: string,
  { localStack, ownWorker, standIn }: Surroundings,
): Promise<Configuration> {
  const settings = await attempt(SETTINGS_FILE, async () => {
    const { settings: value, strangers } = await settingsOfAny(configDir);
    const found = describeSettings(join(configDir, SETTINGS_FILE), value, standIn);
    const told = [found, ...strangers].join('\n');
    const finding =
      strangers.length === 0
        ? ok(SETTINGS_FILE, found)
        : ownWorker
          ? warning(SETTINGS_FILE, told, OF_A_PROGRAM)
          : failed(SETTINGS_FILE, told, 'Correct the file: no run starts with it.');
    return { value, finding };
  });
  const prompts = settings.value
    ? await checkPrompts(configDir, settings.value, standIn)
    : { value: null, finding: skipped('prompts', `this check needs a valid ${SETTINGS_FILE}`) };
  const mcp = await attempt('.mcp.json', () => checkMcpConfig(configDir, localStack));
  return {
    settings: settings.value,
    mcp: mcp.value,
    models: prompts.value?.models ?? null,
    roles: prompts.value?.roles ?? [],
    findings: [settings.finding, prompts.finding, mcp.finding],
  };
}

/** Workers print their own digest when they start. */
export function digestFinding(configDir: string): Finding {
  return ok(
    'configuration',
    `${configurationDigest(configDir)}, the same on every host that serves this queue`,
  );
}

const OF_A_PROGRAM =
  "This is right if your own worker's program defines them in code. Otherwise correct the file: Steersman's own workers refuse it.";

function describeSettings(
  file: string,
  { models, modes, workspaces }: Settings,
  standIn: string | undefined,
): string {
  const path = existsSync(file) ? displayPath(file) : 'no such file, defaults hold';
  const usual = models.default ?? (standIn === undefined ? [] : [standIn]);
  const model = usual.length === 0 ? '' : `; default model ${usual.join(', then ')}`;
  const own = Object.entries(modes).map(([name, { steps }]) => `${name} (${steps.join(', then ')})`);
  const declared = own.length === 0 ? '' : `; modes ${own.join(', ')}`;
  const below = workspaces.length === 0 ? '' : `; workspaces below ${workspaces.join(', ')}`;
  return `${path}${model}${declared}${below}`;
}

interface Checked<T> {
  value: T | null;
  finding: Finding;
}

async function attempt<T>(check: string, work: () => Checked<T> | Promise<Checked<T>>): Promise<Checked<T>> {
  try {
    return await work();
  } catch (error) {
    return { value: null, finding: failedBy(check, error) };
  }
}

function checkPrompts(
  configDir: string,
  settings: Settings,
  standIn: string | undefined,
): Promise<Checked<{ models: string[]; roles: RoleTemplate[] }>> {
  return attempt('prompts', async () => {
    const roots = promptRoots(configDir);
    const templates = await loadRoles(roots, settings.language);
    const limits = mergeLimits(settings.limits, {});
    const values = { limits, tools: [], today: '', workspace: '' };
    renderPrefix(await loadPrefix(roots, settings.language), values);
    await loadWords(roots, settings.language);
    const roles = templates.map(template => renderRole(template, values));
    const choice = chooseModels(roles, settings.models, {
      file: join(configDir, SETTINGS_FILE),
      // If no model is configured, the model check reports it.
      runModel: settings.models.default === undefined ? (standIn ?? DEMO) : undefined,
    });
    const files = templates.map(({ profile }) => profile);
    // A role that a program defines has no file here.
    const isHere = (step: string) => files.some(({ name }) => name === step);
    for (const [mode, { steps }] of Object.entries(settings.modes))
      if (steps.every(isHere)) requireRoles({ mode, roles: steps }, settings, { templates });
    const usual = standIn === undefined && settings.models.default === undefined ? [] : choice.models;
    const named = [...usual, ...callableModels(settings.models, files)];
    const names = roles.map(role => role.name).join(', ');
    const warnings = templates.flatMap(role => [...role.warnings, ...missingAgents(role, files)]);
    const todo = 'Correct the files, or leave them as they are: their other parts apply.';
    return {
      value: { models: [...new Set(named)], roles: templates },
      finding:
        warnings.length > 0
          ? warning('prompts', warnings.join('\n'), todo)
          : ok('prompts', `${plural(roles.length, 'role')} in ${settings.language}: ${names}`),
    };
  });
}

function checkMcpConfig(configDir: string, localStack: boolean): Checked<McpConfig> {
  const config = loadMcpConfig(localStack ? localToolsDir(configDir) : configDir);
  const { servers, warnings } = config;
  const names = servers.map(server => server.name).join(', ');
  const finding =
    warnings.length > 0
      ? warning('.mcp.json', warnings.join('\n'), 'Correct the spelling, or remove the keys.')
      : servers.length === 0
        ? warning('.mcp.json', 'no tool servers', 'Without tools agents only talk: add a server.')
        : ok('.mcp.json', `${plural(servers.length, 'tool server')}: ${names}`);
  return { value: config, finding };
}

/**
 * Checks that runs may work in this folder. Workers on another host may not need this folder, so there a refusal is
 * only a warning.
 */
export async function checkWorkspaceFolder(
  workspace: string,
  settings: Settings,
  localStack: boolean,
): Promise<Finding> {
  try {
    const real = await checkWorkspace(workspace, workspaceRoots(settings.workspaces, localStack));
    return ok('workspace', real);
  } catch (error) {
    const finding = failedBy('workspace', error);
    return localStack ? finding : { ...finding, status: 'warning' };
  }
}
