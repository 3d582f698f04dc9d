/** Checks a start against a local worker's configuration: which model answers, and is the mode known? */
import { resolve } from 'node:path';
import { usualModels } from '../../config/choose-models.js';
import { defaultConfigDir, settingsFileFor } from '../../config/files/config-dir.js';
import { dotEnvHint } from '../../config/files/dot-env-hint.js';
import { displayPath } from '../../config/files/files.js';
import { promptRoots } from '../../config/files/prompt-files.js';
import { loadRoles } from '../../config/prompts/prompts.js';
import { modeOfStart, requireRoles } from '../../config/prompts/required-roles.js';
import { modelChainSchema } from '../../config/settings/models-schema.js';
import { loadSettings, type Settings } from '../../config/settings/settings.js';
import { isTrusted, variablesOf } from '../../config/trust/trust.js';
import { candidates, chooseDefaultModel, settingsFault } from '../../models/default-model.js';
import { NO_ENDPOINT, splitModelId } from '../../models/provider/endpoint.js';
import {
  DEMO,
  type EndpointEntries,
  endpointFault,
  endpointNames,
  type Lookup,
  presentEndpoints,
} from '../../models/provider/endpoints.js';
import { roleNamed } from '../../run/agents/role.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import { MODES, modeFor } from '../../run/position/modes.js';
import { hintOf } from '../../shared/process/called-as.js';
import { env } from '../../shared/process/env.js';
import { SteersmanError } from '../../shared/process/errors.js';
import type { Answering, Start } from '../connection/client-scope.js';

/** Shown if no model is named and the demo model answers. */
const DEMO_NOTE = `The built-in demo model answers (rules, not intelligence): ${NO_ENDPOINT}.`;

/**
 * Chooses the model by the configuration of a local worker: the named one, else `steersman.yaml`, else a usable
 * endpoint's, else the demo model. `ownQueue`: the caller's own worker serves the run and decides, unless a model is
 * named.
 */
export async function answering(start: Start, { ownQueue = false } = {}): Promise<Answering> {
  const { model, configDir } = start;
  const folder = resolve(configDir ?? defaultConfigDir());
  if (model !== undefined)
    return { model, note: `${model} answers, as was asked.`, faults: await modelFaults(model, configDir) };
  if (ownQueue) return { faults: [] };
  // An untrusted folder is not read: the start is refused.
  if (configDir === undefined && !isTrusted(folder)) return { faults: [] };
  // The worker reports faults of the file.
  const settings = await loadSettings(folder).catch(() => null);
  if (settings === null) return { faults: [] };
  const lookup = lookupIn(folder);
  const { endpoints } = settings.models;
  if (start.configuration === undefined && presentEndpoints(endpoints, lookup).length === 0)
    return { model: DEMO, note: `${DEMO_NOTE}${dotEnvHint(folder)}`, faults: [] };
  const chain = await usualOf(folder, settings, start);
  if (chain === null) return { faults: [] };
  const file = displayPath(settingsFileFor(folder));
  if (chain.length > 0) return { faults: unusable(chain, { endpoints, lookup, file }) };
  try {
    const { id, why } = await chooseDefaultModel(endpoints, { lookup, file });
    return {
      note: `${id} answers: ${why}, and no model was named. To choose another: ${hintOf('--model', '`model`')}, or models.default in ${file}.`,
      faults: [],
    };
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    return { faults: [`${error.message} ${error.remedy}`.trim()] };
  }
}

/** Returns a lookup of the folder worker's variables. */
export function lookupIn(folder: string): Lookup {
  const dotEnv = variablesOf(folder).set;
  // An empty value, as in `.env.example`, sets nothing.
  return name => env.lookup(name) ?? (dotEnv[name]?.trim() || dotEnv[`${name}_FILE`] || undefined);
}

/** Returns the result of `usualModels`; null also if roles or modes are wrong, which others report. */
async function usualOf(folder: string, settings: Settings, start: Start): Promise<string[] | null> {
  try {
    const { role, mode = modeFor(role), configuration } = start;
    const templates = await loadRoles(promptRoots(folder), settings.language);
    const way = modeOfStart({ mode, ...(role !== undefined && { role }) }, settings);
    const names = requireRoles(way, settings, { templates, named: role });
    const roles = templates.map(({ profile }) => profile).filter(({ name }) => names.includes(name));
    return usualModels(roles, settings.models, { configuration });
  } catch {
    return null;
  }
}

function modelFault(modelId: string, endpoints: EndpointEntries, lookup: Lookup): string | null {
  const { provider } = splitModelId(modelId);
  return provider === DEMO ? null : settingsFault(provider, endpoints, lookup);
}

interface Where {
  endpoints: EndpointEntries;
  lookup: Lookup;
  file: string;
}

/** Returns faults and a usable alternative if no model of the chain can be called; empty if one can. */
function unusable(chain: readonly string[], { endpoints, lookup, file }: Where): string[] {
  const faults = chain.map(id => modelFault(id, endpoints, lookup));
  if (faults.includes(null)) return [];
  const [other] = candidates(endpoints, lookup);
  const advice =
    other &&
    `Or, since ${other.why}, write into ${file}, under "models:": "default: ${other.endpoint}/${other.model ?? 'MODEL'}".`;
  return [[...faults, advice].filter(Boolean).join(' ')];
}

/** Returns why a local worker with this configuration can't call the model; a remote worker may differ. */
async function modelFaults(model: string, configDir: string | undefined): Promise<string[]> {
  const folder = resolve(configDir ?? defaultConfigDir());
  const settings = await loadSettings(folder).catch(() => null);
  const chain = modelChainSchema.safeParse(model);
  // The worker reports faults of the file.
  if (settings === null || !chain.success) return [];
  const { endpoints } = settings.models;
  const names = endpointNames(endpoints);
  const lookup = configDir !== undefined || isTrusted(folder) ? lookupIn(folder) : env.lookup;
  const faults = chain.data.map(id => endpointFault(id, names) ?? modelFault(id, endpoints, lookup));
  return faults.filter(fault => fault !== null).map(fault => fault.charAt(0).toUpperCase() + fault.slice(1));
}

/** Returns why a local worker with this configuration does not know the mode or the role; a remote worker may differ. */
export async function modeFaults(
  { mode, role }: Pick<RunSettings, 'mode' | 'role'>,
  configDir: string | undefined,
): Promise<string[]> {
  const folder = resolve(configDir ?? defaultConfigDir());
  if (role === undefined && MODES.some(name => name === mode)) return [];
  const settings = await loadSettings(folder).catch(() => null);
  // The worker reports faults of the file.
  if (settings === null) return [];
  const known = [...MODES, ...Object.keys(settings.modes)];
  if (!known.includes(mode))
    return [
      `There is no mode "${mode}": there are ${known.join(', ')}. Others are declared under modes in steersman.yaml.`,
    ];
  if (role === undefined) return [];
  const templates = await loadRoles(promptRoots(folder), settings.language).catch(() => null);
  if (templates === null) return [];
  const named = roleNamed(
    role,
    templates.map(({ profile }) => profile.name),
  );
  try {
    requireRoles(modeOfStart({ mode, role: named }, settings), settings, { templates, named });
    return [];
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    return [`${error.message} ${error.remedy}`];
  }
}
