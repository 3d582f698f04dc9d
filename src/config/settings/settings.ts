/** Reads `steersman.yaml`, and derives limits and tool policies from it. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as featureKeys from '../../features/keys.js';
import { endpointFault, endpointNames } from '../../models/provider/endpoints.js';
import type { Limits } from '../../run/limits/limits.js';
import { DEFAULT_LIMITS } from '../../run/limits/limits.js';
import { MODES, mayBeDeclared } from '../../run/position/modes.js';
import { decidePermission } from '../../run/tools/permission.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition, type ToolPolicy } from '../../run/tools/tool.js';
import { isNamed, namesOwnTool } from '../../run/tools/workflow-tools.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { checkConfigDir, displayPath, readTextIfPresent } from '../files/files.js';
import { listRoles, promptRoots } from '../files/prompt-files.js';
import type { YamlSource } from '../files/yaml-source.js';
import { checkYaml, parseYaml, unknownKeyText } from '../files/yaml-source.js';
import { checkTransforms } from './context-rules.js';
import { type ConfigInCode, withSettingsInCode } from './in-code.js';
import { type ModelSettings, namedModels } from './models-schema.js';
import type { LimitOverrides, Settings, ToolOverride } from './settings-schema.js';
import { settingsSchema } from './settings-schema.js';

export type { LimitOverrides, Settings, ToolOverride } from './settings-schema.js';

export const SETTINGS_FILE = 'steersman.yaml';
/**
 * Sections that an untrusted folder can't set: they choose where conversations and keys go, who pays, and which code
 * runs in the console or unasked on this machine.
 */
export const TRUSTED_SECTIONS = [
  ...(['models', 'store'] as const),
  ...(Object.keys(featureKeys) as (keyof typeof featureKeys)[]),
  ...(['console', 'permissions', 'checks', 'tools'] as const),
];
const DOCS = 'docs/configuration.md';

/**
 * Reads `steersman.yaml` of a configuration folder, overridden by code; without a file or folder (null), it has
 * defaults. Paths in `workspaces` become absolute.
 * @throws SteersmanError with `file:line` for bad YAML, unknown keys, bad values and roles that do not exist.
 */
export function loadSettings(configDir: string | null, inCode: ConfigInCode = {}): Promise<Settings> {
  return readAndCheck(configDir, inCode, error => {
    throw error;
  });
}

/**
 * Like `loadSettings`, for programs other than the folder's worker: unknown endpoints and roles may be defined in that
 * worker's code (CF4). `strangers`: a line for each unknown endpoint or role.
 */
export async function settingsOfAny(
  configDir: string | null,
): Promise<{ settings: Settings; strangers: string[] }> {
  const strangers: string[] = [];
  const settings = await readAndCheck(configDir, {}, error => void strangers.push(error.message));
  return { settings, strangers };
}

/** Gets the error about an unknown endpoint or role. */
type OnStranger = (error: SteersmanError) => void;

async function readAndCheck(
  configDir: string | null,
  inCode: ConfigInCode,
  onStranger: OnStranger,
): Promise<Settings> {
  const source = withSettingsInCode(await readSettings(configDir), inCode.settings);
  const settings = checkYaml(settingsSchema, source, DOCS);
  const inFiles = await listRoles(promptRoots(configDir), settings.language);
  const roleNames = [...inFiles, ...namesOf(inCode.roles)];
  const names: Names = { source, roleNames, onStranger };
  checkRoles(settings, names);
  checkModes(settings.modes, names);
  checkResolver(settings, names);
  checkTransforms(settings.context, inCode.transforms, (path, fault, remedy) =>
    faultAt(source, path, fault, remedy),
  );
  checkEndpoints(settings.models, endpointNames(settings.models.endpoints, namesOf(inCode.providers)), names);
  const folderOf = (path: string) => resolve(configDir ?? '.', path);
  return { ...settings, workspaces: settings.workspaces.map(folderOf) };
}

async function readSettings(configDir: string | null): Promise<YamlSource> {
  if (configDir === null) return parseYaml('', SETTINGS_FILE);
  await checkConfigDir(configDir);
  refuseOtherEnding(configDir);
  const file = join(configDir, SETTINGS_FILE);
  return parseYaml((await readTextIfPresent(file)) ?? '', file);
}

/** @throws SteersmanError if the folder has the file under a name that nothing reads: its rules would not hold (TR8). */
export function refuseOtherEnding(configDir: string): void {
  const other = join(configDir, 'steersman.yml');
  if (!existsSync(other) || existsSync(join(configDir, SETTINGS_FILE))) return;
  throw new SteersmanError(`${displayPath(other)} is not read.`, `Name it ${SETTINGS_FILE}.`);
}

function namesOf(given: readonly { name: string }[] = []): string[] {
  return given.map(({ name }) => name);
}

interface Names {
  source: YamlSource;
  roleNames: readonly string[];
  onStranger: OnStranger;
}

function checkRoles(settings: Settings, { source, roleNames, onStranger }: Names): void {
  const { roles, configurations } = settings.models;
  const paths = [
    ...Object.keys(roles).map(role => ['models', 'roles', role]),
    ...Object.entries(configurations).flatMap(([name, choice]) =>
      Object.keys(choice.roles).map(role => ['models', 'configurations', name, 'roles', role]),
    ),
  ];
  for (const path of paths.filter(path => !roleNames.includes(path.at(-1) ?? '')))
    onStranger(new SteersmanError(unknownKeyText(source.at(path), path, roleNames), NAME_A_ROLE));
}

function checkModes(modes: Settings['modes'], names: Names): void {
  for (const [name, { steps }] of Object.entries(modes)) {
    if (!mayBeDeclared(name))
      throw faultAt(names.source, ['modes', name], 'a mode of your own cannot have this name.', NAME_A_MODE);
    for (const [index, role] of steps.entries()) checkRole(names, ['modes', name, 'steps', index], role);
  }
}

function checkResolver(
  { models: { resolver }, modes }: Pick<Settings, 'models' | 'modes'>,
  names: Names,
): void {
  const modeNames = [...MODES, ...Object.keys(modes)];
  for (const [index, { when }] of resolver.entries()) {
    const path = ['models', 'resolver', index, 'when'];
    if (when.mode !== undefined && !modeNames.includes(when.mode)) {
      const fault = `there is no mode "${when.mode}". Modes here: ${modeNames.join(', ')}.`;
      throw faultAt(names.source, [...path, 'mode'], fault, 'Name one of them, or declare it under modes.');
    }
    if (when.role !== undefined) checkRole(names, [...path, 'role'], when.role);
  }
}

function checkRole({ source, roleNames, onStranger }: Names, path: Path, role: string): void {
  if (roleNames.includes(role)) return;
  const fault = `there is no role "${role}". Roles here: ${roleNames.join(', ')}.`;
  onStranger(faultAt(source, path, fault, NAME_A_ROLE));
}

type Path = readonly (string | number)[];

function faultAt(source: YamlSource, path: Path, fault: string, remedy: string): SteersmanError {
  return new SteersmanError(`${source.at(path)}: ${path.join('.')}: ${fault}`, remedy);
}

function checkEndpoints(
  models: ModelSettings,
  endpoints: readonly string[],
  { source, onStranger }: Names,
): void {
  for (const { path, id } of namedModels(models)) {
    const fault = endpointFault(id, endpoints);
    if (fault !== null) onStranger(faultAt(source, path, fault, NAME_AN_ENDPOINT));
  }
}

const NAME_A_MODE = `A name begins with a small letter, goes on with at most 39 small letters, digits, - and _, and is none of ${MODES.join(', ')} and steps.`;
const NAME_A_ROLE = 'A role is a file prompts/core/<role>.md: name one that exists.';
const NAME_AN_ENDPOINT =
  'A model id begins with the name of an endpoint: write that under models.endpoints, or name one that exists.';

/** Merges defaults, `steersman.yaml` and the run's own limits: key by key the later one wins. */
export function mergeLimits(file: LimitOverrides, run: LimitOverrides): Limits {
  return { ...DEFAULT_LIMITS, ...file, ...run };
}

/**
 * Applies the tool overrides of `steersman.yaml` to the servers' declarations. A glob that matches no tool gives a
 * warning, because it is often misspelt.
 */
export function applyToolOverrides(
  tools: readonly ToolDefinition[],
  overrides: Readonly<Record<string, ToolOverride>>,
  own?: readonly ToolDefinition[],
): { tools: ToolDefinition[]; warnings: string[] } {
  const rules = Object.entries(overrides).map(([glob, override]) => ({
    glob,
    override,
    // The bare `*` means tools of servers, client and program, not the run's own.
    matches: (tool: ToolDefinition) => isNamed(tool, [glob]),
  }));
  const changed = tools.map(tool => {
    const merged: ToolOverride = {};
    for (const rule of rules) if (rule.matches(tool)) Object.assign(merged, rule.override);
    return { ...tool, policy: overridePolicy(tool.policy, merged) };
  });
  const warnings = rules
    .filter(({ glob, matches }) => !tools.some(matches) && !namesOwnTool(glob, own))
    .map(rule => `${SETTINGS_FILE}: tools."${rule.glob}" matches no tool of this run.`);
  return { tools: changed, warnings };
}

/** Copies key by key: an omitted key has no effect, and the compiler does not report that. */
function overridePolicy(policy: ToolPolicy, override: ToolOverride): ToolPolicy {
  const readOnly = override.readOnly ?? policy.readOnly;
  // A server's claim "read-only" implies "idempotent", so denying the first denies the second.
  const claimed = override.readOnly === false ? false : policy.idempotent;
  const { callsPerTurn, cacheTtlMs, corrections, stoppable } = override;
  return {
    ...policy,
    ...(callsPerTurn === undefined ? {} : { callsPerTurn }),
    ...(cacheTtlMs === undefined ? {} : { cacheTtlMs }),
    ...(corrections === undefined ? {} : { corrections }),
    ...(stoppable === undefined ? {} : { stoppable }),
    readOnly,
    idempotent: readOnly || (override.idempotent ?? claimed),
    destructive: readOnly ? false : override.readOnly === false ? true : policy.destructive,
    attempts: override.attempts ?? policy.attempts,
    timeoutMs: override.timeoutMs ?? policy.timeoutMs,
    cache: override.cache ?? policy.cache,
    concurrent: override.concurrent ?? override.readOnly ?? policy.concurrent,
  };
}

/**
 * Returns why a command may not run as a check; null if it may: any on the local stack, elsewhere those of the
 * configuration's own `checks` and those that `permissions.auto` allows, such as `run(npm test)`.
 */
export function commandFault(
  command: string,
  given: { workspace: string; localStack: boolean; settings: Pick<Settings, 'checks' | 'permissions'> },
): string | null {
  const { workspace, localStack, settings } = given;
  const tool = { name: COMMAND_TOOL, serverToolName: COMMAND_TOOL, policy: DEFAULT_TOOL_POLICY };
  const called = { input: { command }, workspace };
  const { permissions, checks } = settings;
  const permission = decidePermission(tool, called, permissions, { alwaysThisRun: [], autoApprove: false });
  if (permission === 'deny' || permission === 'too_much') return 'permissions.deny forbids this command';
  const isOwn = checks.some(check => 'run' in check && check.run === command);
  if (localStack || isOwn || permission === 'run') return null;
  return 'this worker runs no such command: its steersman.yaml names it neither under checks nor under permissions.auto';
}

/** The tool that runs commands: its permissions apply to checks too. */
const COMMAND_TOOL = 'run';
