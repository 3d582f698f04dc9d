/** Reading `steersman.yaml`, and what follows from it: limits, models, tool policies. */
import { join, resolve } from 'node:path';
import type { Limits } from '../core/limits.js';
import { DEFAULT_LIMITS } from '../core/limits.js';
import type { PinnedRole } from '../core/role.js';
import { matchesAny } from '../core/tools/glob.js';
import type { ToolDefinition, ToolPolicy } from '../core/tools/tool.js';
import { SteersmanError } from '../shared/errors.js';
import { checkConfigDir, displayPath, readTextIfPresent } from './files.js';
import { type ConfigInCode, withSettingsInCode } from './in-code.js';
import { listRoles, promptRoots } from './prompts.js';
import type { LimitOverrides, Settings, ToolOverride } from './settings-schema.js';
import { modelChainSchema, settingsSchema } from './settings-schema.js';
import type { YamlSource } from './yaml-source.js';
import { checkYaml, parseYaml, unknownKeyText } from './yaml-source.js';

export type { LimitOverrides, Settings, ToolOverride } from './settings-schema.js';

export const SETTINGS_FILE = 'steersman.yaml';
const DOCS = 'docs/configuration.md';

/**
 * Reads `steersman.yaml` of a folder of configuration, with what code says over it; a missing file, or no folder
 * (null), means defaults. Paths in `workspaces` come out absolute.
 * @throws SteersmanError with `file:line` for bad YAML, unknown keys, bad values and roles that do not exist.
 */
export async function loadSettings(configDir: string | null, inCode: ConfigInCode = {}): Promise<Settings> {
  const source = withSettingsInCode(await readSettings(configDir), inCode.settings);
  const settings = checkYaml(settingsSchema, source, DOCS);
  const inFiles = await listRoles(promptRoots(configDir), settings.language);
  checkRoles(settings, [...inFiles, ...(inCode.roles ?? []).map(({ name }) => name)], source);
  const folderOf = (path: string) => resolve(configDir ?? '.', path);
  return { ...settings, workspaces: settings.workspaces.map(folderOf) };
}

async function readSettings(configDir: string | null): Promise<YamlSource> {
  if (configDir === null) return parseYaml('', SETTINGS_FILE);
  await checkConfigDir(configDir);
  const file = join(configDir, SETTINGS_FILE);
  return parseYaml((await readTextIfPresent(file)) ?? '', file);
}

function checkRoles(settings: Settings, roleNames: readonly string[], source: YamlSource): void {
  for (const role of Object.keys(settings.models.roles).filter(name => !roleNames.includes(name))) {
    const path = ['models', 'roles', role];
    throw new SteersmanError(
      unknownKeyText(source.at(path), path, roleNames),
      'A role is a file prompts/core/<role>.md: name one that exists.',
    );
  }
}

/** Defaults, then `steersman.yaml`, then the run's own: key by key the later one wins. */
export function mergeLimits(file: LimitOverrides, run: LimitOverrides): Limits {
  return { ...DEFAULT_LIMITS, ...file, ...run };
}

export interface ModelChoice {
  /** Chain for roles whose own list is empty. */
  models: string[];
  roles: PinnedRole[];
}

/**
 * Which models answer: the run's own, else the role's in `steersman.yaml`, else the role's front matter,
 * else the default of `steersman.yaml`. A model named for the run stands alone: nothing replaces it unasked.
 * @throws SteersmanError when a role is left without a model, or the run's is not `provider/model`.
 */
export function chooseModels(
  roles: readonly PinnedRole[],
  models: Settings['models'],
  options: { runModel?: string | undefined; file?: string } = {},
): ModelChoice {
  if (options.runModel !== undefined) {
    const chain = modelChainSchema.safeParse(options.runModel);
    if (!chain.success) {
      throw new SteersmanError(
        `The model "${options.runModel}" is not written as provider/model.`,
        'Name it in full, such as openai/gpt-5-mini.',
      );
    }
    return { models: chain.data, roles: roles.map(role => ({ ...role, models: [] })) };
  }
  const chosen = roles.map(role => ({ ...role, models: models.roles[role.name] ?? role.models }));
  const bare = chosen.find(role => role.models.length === 0);
  if (bare && models.default === undefined) {
    throw new SteersmanError(
      `No model is configured for the role ${bare.name}.`,
      `Set models.default in ${displayPath(options.file ?? SETTINGS_FILE)}, such as "default: openai/gpt-5-mini" under "models:", or name a model when you start the run.`,
    );
  }
  return { models: models.default ?? [], roles: chosen };
}

/**
 * Applies the tool overrides of `steersman.yaml` over what servers declare. A glob that matches
 * no tool gives a warning: it is often a misspelt name.
 */
export function applyToolOverrides(
  tools: readonly ToolDefinition[],
  overrides: Readonly<Record<string, ToolOverride>>,
): { tools: ToolDefinition[]; warnings: string[] } {
  const rules = Object.entries(overrides).map(([glob, override]) => ({
    glob,
    override,
    matches: (name: string) => matchesAny(name, [glob]),
  }));
  const changed = tools.map(tool => {
    const merged: ToolOverride = {};
    for (const rule of rules) if (rule.matches(tool.name)) Object.assign(merged, rule.override);
    return { ...tool, policy: overridePolicy(tool.policy, merged) };
  });
  const warnings = rules
    .filter(rule => !tools.some(tool => rule.matches(tool.name)))
    .map(rule => `${SETTINGS_FILE}: tools."${rule.glob}" matches no tool of this run.`);
  return { tools: changed, warnings };
}

function overridePolicy(policy: ToolPolicy, override: ToolOverride): ToolPolicy {
  const readOnly = override.readOnly ?? policy.readOnly;
  // A server's claim "read-only" carries "idempotent" with it: who denies the first denies the second.
  const claimed = override.readOnly === false ? false : policy.idempotent;
  return {
    readOnly,
    idempotent: readOnly || (override.idempotent ?? claimed),
    destructive: readOnly ? false : override.readOnly === false ? true : policy.destructive,
    attempts: override.attempts ?? policy.attempts,
    timeoutMs: override.timeoutMs ?? policy.timeoutMs,
    cache: override.cache ?? policy.cache,
  };
}
