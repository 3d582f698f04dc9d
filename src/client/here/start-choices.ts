/**
 * The choices that a form for starts offers: the modes, models and folders of the configuration in force. Other values
 * are allowed.
 */
import { resolve } from 'node:path';
import { defaultConfigDir } from '../../config/files/config-dir.js';
import { callableModels } from '../../config/settings/models-schema.js';
import { loadSettings } from '../../config/settings/settings.js';
import { isTrusted } from '../../config/trust/trust.js';
import { candidates, listedModels } from '../../models/default-model.js';
import { DEFAULT_LIMITS, type Limits } from '../../run/limits/limits.js';
import { MODES } from '../../run/position/modes.js';
import { lookupIn } from './default-model.js';
import { Sessions } from './sessions.js';

export interface StartChoices {
  modes: string[];
  /** `endpoint/model` of each configured model, and the usual one of each endpoint that can be called. */
  models: string[];
  /** Folders that workers serve (`workspaces`), and those of recent conversations, newest first. */
  workspaces: string[];
  /** The limits of a run that does not set its own. */
  limits: Limits;
}

const MOST_LOOKED_AT = 100;
const MOST_FOLDERS = 30;

/** Returns the models that endpoints of this machine tell when they are asked, which takes up to three seconds. */
export async function servedModels(): Promise<string[]> {
  const { folder, settings } = await settingsHere();
  return settings === null ? [] : listedModels(settings.models.endpoints, lookupIn(folder));
}

/** `settings`: null if the configuration is untrusted, which is then not read, or wrong. */
async function settingsHere() {
  const folder = resolve(defaultConfigDir());
  const settings = isTrusted(folder) ? await loadSettings(folder).catch(() => null) : null;
  return { folder, settings };
}

/** Returns the choices of this machine. An untrusted configuration is not read. `home`: default as for `connect`. */
export async function startChoices(home?: string): Promise<StartChoices> {
  const { folder, settings } = await settingsHere();
  const recent = await new Sessions(home).list({ limit: MOST_LOOKED_AT }).catch(() => []);
  const workspaces = [...(settings?.workspaces ?? []), ...recent.map(({ workspace }) => workspace)];
  return {
    modes: [...MODES, ...Object.keys(settings?.modes ?? {})],
    models: settings === null ? [] : modelsOf(settings.models, folder),
    workspaces: [...new Set(workspaces)].slice(0, MOST_FOLDERS),
    limits: { ...DEFAULT_LIMITS, ...settings?.limits },
  };
}

function modelsOf(models: Awaited<ReturnType<typeof loadSettings>>['models'], folder: string): string[] {
  const usual = candidates(models.endpoints, lookupIn(folder)).flatMap(({ endpoint, model }) =>
    model === null ? [] : [`${endpoint}/${model}`],
  );
  return [...new Set([...callableModels(models, []), ...usual])];
}
