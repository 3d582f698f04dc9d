/** Which model answers where nobody named one and nothing to answer with is there. */
import { resolve } from 'node:path';
import { defaultConfigDir } from '../../config/config-dir.js';
import { loadSettings } from '../../config/settings.js';
import { NO_ENDPOINT } from '../../models/endpoint.js';
import { presentEndpoints } from '../../models/endpoints.js';
import { env } from '../../shared/env.js';

/** For whoever starts a run that the rehearsal model answers, unasked. */
export const REHEARSAL_NOTE = `The built-in rehearsal model answers (rules, not intelligence): ${NO_ENDPOINT}.`;

/** What a start says of models, and where the configuration is. */
interface Start {
  model?: string;
  configuration?: string;
  configDir?: string;
}

/**
 * The model to name for a new run: what the user named, else the rehearsal model on the local stack while there is no
 * endpoint, else none, so that `steersman.yaml` decides.
 */
export async function modelToName(
  { model, configuration, configDir }: Start,
  localStack: boolean,
): Promise<string | undefined> {
  if (model !== undefined || configuration !== undefined || !localStack) return model;
  return (await hasEndpoint(resolve(configDir ?? defaultConfigDir()))) ? undefined : 'rehearsal';
}

/** Whether a folder of configuration, or the environment with `.env`, says where a model is. */
async function hasEndpoint(configDir: string): Promise<boolean> {
  // What is wrong with the file, its worker says.
  const settings = await loadSettings(configDir).catch(() => null);
  return settings === null || presentEndpoints(settings.models.endpoints, env.lookup).length > 0;
}
