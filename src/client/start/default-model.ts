/** Which model answers where nobody named one and nothing to answer with is there. */
import { resolve } from 'node:path';
import { defaultConfigDir } from '../../config/config-dir.js';
import { modelChainSchema } from '../../config/models-schema.js';
import { loadSettings } from '../../config/settings.js';
import { NO_ENDPOINT } from '../../models/endpoint.js';
import { endpointFault, endpointNames, presentEndpoints } from '../../models/endpoints.js';
import { env } from '../../shared/env.js';
import { isTrusted } from '../../stack/trust/trust.js';

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
  const settings = await loadSettings(resolve(configDir ?? defaultConfigDir())).catch(() => null);
  const chain = modelChainSchema.safeParse(model);
  // What is wrong with the file, its worker says.
  if (settings === null || !chain.success) return [];
  const names = endpointNames(settings.models.endpoints);
  const faults = chain.data.map(id => endpointFault(id, names)).filter(fault => fault !== null);
  return faults.map(fault => fault.charAt(0).toUpperCase() + fault.slice(1));
}

/** Whether a folder of configuration, or the environment with `.env`, says where a model is. */
async function hasEndpoint(configDir: string): Promise<boolean> {
  // What is wrong with the file, its worker says.
  const settings = await loadSettings(configDir).catch(() => null);
  return settings === null || presentEndpoints(settings.models.endpoints, env.lookup).length > 0;
}
