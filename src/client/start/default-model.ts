/** What the configuration of a local worker says of a start: which model answers, whether there is such a mode. */
import { resolve } from 'node:path';
import { defaultConfigDir } from '../../config/config-dir.js';
import { modelChainSchema } from '../../config/models-schema.js';
import { loadSettings } from '../../config/settings.js';
import { MODES } from '../../core/agents/modes.js';
import { FAILURE } from '../../core/limits/failure.js';
import { endpointOf, NO_ENDPOINT, splitModelId } from '../../models/endpoint.js';
import {
  DEMO,
  type EndpointEntries,
  endpointFault,
  endpointNames,
  endpointSettings,
  type Lookup,
  presentEndpoints,
} from '../../models/endpoints.js';
import { ModelCallError } from '../../models/model-call-error.js';
import { env } from '../../shared/env.js';

import { isTrusted, variablesOf } from '../../stack/trust/trust.js';

/** For whoever starts a run that the demo model answers, unasked. */
export const DEMO_NOTE = `The built-in demo model answers (rules, not intelligence): ${NO_ENDPOINT}.`;

/** What a start says of models, and where the configuration is. */
interface Start {
  model?: string;
  configuration?: string;
  configDir?: string;
}

/**
 * The model to name for a new run: what the user named, else the demo model on the local stack while there is no
 * endpoint, else none, so that `steersman.yaml` decides.
 */
export async function modelToName(
  { model, configuration, configDir }: Start,
  localStack: boolean,
): Promise<string | undefined> {
  if (model !== undefined || configuration !== undefined || !localStack) return model;
  const folder = resolve(configDir ?? defaultConfigDir());
  // Nothing is read of a folder that is not trusted: the start is refused.
  if (configDir === undefined && !isTrusted(folder)) return undefined;
  return (await hasEndpoint(folder)) ? undefined : 'demo';
}

/** Why a local worker with this configuration could not call the model; a worker elsewhere may have others. */
export async function modelFaults(model: string, configDir: string | undefined): Promise<string[]> {
  const folder = resolve(configDir ?? defaultConfigDir());
  const settings = await loadSettings(folder).catch(() => null);
  const chain = modelChainSchema.safeParse(model);
  // What is wrong with the file, its worker says.
  if (settings === null || !chain.success) return [];
  const { endpoints } = settings.models;
  const names = endpointNames(endpoints);
  const dotEnv = configDir !== undefined || isTrusted(folder) ? variablesOf(folder).set : {};
  const lookup = (name: string) => env.lookup(name) ?? dotEnv[name] ?? dotEnv[`${name}_FILE`];
  const faults = chain.data.map(id => endpointFault(id, names) ?? keyFault(id, endpoints, lookup));
  return faults.filter(fault => fault !== null).map(fault => fault.charAt(0).toUpperCase() + fault.slice(1));
}

/** What is to be set before the model's endpoint can be called; null where nothing is. */
function keyFault(modelId: string, endpoints: EndpointEntries, lookup: Lookup): string | null {
  const { provider } = splitModelId(modelId);
  if (provider === DEMO) return null;
  try {
    endpointOf(endpointSettings(provider, endpoints[provider], lookup));
    return null;
  } catch (error) {
    return error instanceof ModelCallError && error.type === FAILURE.model.auth ? error.message : null;
  }
}

/** Whether a folder of configuration, or the environment with `.env`, says where a model is. */
async function hasEndpoint(configDir: string): Promise<boolean> {
  // What is wrong with the file, its worker says.
  const settings = await loadSettings(configDir).catch(() => null);
  return settings === null || presentEndpoints(settings.models.endpoints, env.lookup).length > 0;
}

/** Why a local worker with this configuration does not know the mode; a worker elsewhere may have others. */
export async function modeFaults(mode: string, configDir: string | undefined): Promise<string[]> {
  if (MODES.some(name => name === mode)) return [];
  const settings = await loadSettings(resolve(configDir ?? defaultConfigDir())).catch(() => null);
  // What is wrong with the file, its worker says.
  if (settings === null || mode in settings.modes) return [];
  const known = [...MODES, ...Object.keys(settings.modes)].join(', ');
  return [
    `There is no mode "${mode}": there are ${known}. Others are declared under modes in steersman.yaml.`,
  ];
}
