/**
 * Decides whose configuration is used unasked. A folder's `.mcp.json` starts programs; its `steersman.yaml` and `.env`
 * choose where conversations and keys go. So a person must trust a cloned folder once. They must do so again after
 * changes of its `.mcp.json`, `tools/` and skills, `TRUSTED_SECTIONS` of its `steersman.yaml`, the scripts of its
 * console, and variables of its `.env` except keys of models. Its other files are edited often, and send nothing
 * elsewhere.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { canonicalJson, isRecord, isText } from '../../base/json/json.js';
import { KNOWN_ENDPOINTS } from '../../models/provider/endpoint.js';
import { makeFolder, trustFile } from '../../shared/local/home.js';
import { readJson, writeJson } from '../../shared/local/json-file.js';
import { shellWord, verbCall } from '../../shared/process/called-as.js';
import { env, setVariables } from '../../shared/process/env.js';
import { SteersmanError } from '../../shared/process/errors.js';
import { projectRoot } from '../../shared/process/package.js';
import { oneLine } from '../../shared/process/terminal-text.js';
import { isKeyName } from '../../shared/secrets.js';
import { isOwn, TOOL_FILES } from '../files/config-dir.js';
import { displayPath, marksBelow, readDotEnv, readText } from '../files/files.js';
import { parseYaml } from '../files/yaml-source.js';
import { refuseOtherEnding, SETTINGS_FILE, TRUSTED_SECTIONS } from '../settings/settings.js';
import { SKILL_FOLDERS, skillMarks } from '../skills/skill-folders.js';
import { namedVariables } from './settings.js';

/** The digest of the trusted state, by the folder's real path. */
const fileSchema = z.record(z.string(), z.string());

/** Folders that this process may use regardless of content, because its caller named them. */
const named = new Set<string>();

/** True for the package's own folder, for a folder that a person trusted in its present state, and for a named one. */
export function isTrusted(dir: string): boolean {
  const folder = realpathSync(dir);
  return isAlwaysTrusted(folder) || isMarked(folder, markOrFault(folder));
}

/**
 * Returns the console's scripts by name, with the texts that were compared with the trusted ones; null if they differ
 * (WB1). Throws if one of the package's own can't be read.
 */
export function trustedScripts(dir: string): Scripts | null {
  const folder = realpathSync(dir);
  if (isAlwaysTrusted(folder)) return readScripts(folder);
  try {
    const scripts = readScripts(folder);
    return isMarked(folder, markOf(folder, scripts)) ? scripts : null;
  } catch (error) {
    if (error instanceof SteersmanError) return null;
    throw error;
  }
}

function isAlwaysTrusted(folder: string): boolean {
  return folder === realpathSync(projectRoot) || named.has(folder);
}

function isMarked(folder: string, mark: string | SteersmanError): boolean {
  return readJson(trustFile(), fileSchema)?.[folder] === mark;
}

/** Trusts the folder for the life of this process. */
export function trustForNow(dir: string): void {
  named.add(realpathSync(dir));
}

/** The variables that a trusted folder's `.env` sets, and the names that it may not set. */
export interface FolderVariables {
  set: Record<string, string>;
  passedOver: string[];
}

/**
 * Programs read hundreds of variables, and some run code (`NODE_OPTIONS`, `LD_PRELOAD`) or affect every connection
 * (proxies, certificates). A folder may set Steersman's own variables, and those that its configuration names.
 */
export function variablesOf(dir: string): FolderVariables {
  const named = new Set(namedVariables(dir));
  const all = Object.entries(readDotEnv(dir));
  const isSet = (given: string) => {
    // NAME_FILE stands for NAME.
    const name = given.replace(/_FILE$/, '');
    return (MAY_SET.test(name) || named.has(given) || named.has(name)) && !NEVER_SET.test(name);
  };
  return {
    set: Object.fromEntries(all.filter(([name]) => isSet(name))),
    passedOver: all.map(([name]) => name).filter(name => !isSet(name)),
  };
}

const MAY_SET = /^(OPENAI|ANTHROPIC|TEMPORAL|STEERSMAN)_|^NO_COLOR$/;
/** Programs that would be started, failpoints of tests, and variables that affect Node, the loader and every connection. */
const NEVER_SET =
  /^(TEMPORAL_CLI_PATH|TEMPORAL_TEST_SERVER_PATH|STEERSMAN_FAILPOINTS.*|PATH|HOME|NODE_.*|LD_.*|DYLD_.*|XDG_.*|SSL_.*|GRPC_.*|.*_PROXY)$/i;

/** Loads a trusted folder's `.env`; returns the names that it may not set and that are not set otherwise. */
export function loadVariables(dir: string): string[] {
  const { set, passedOver } = variablesOf(dir);
  setVariables(set);
  return passedOver.filter(name => env.lookup(name) === undefined);
}

/** Stores that this user trusts the folder: in its present state, or in the state that `mark` describes. */
export function trustFrom(dir: string, mark: string = markOf(dir)): void {
  const folder = realpathSync(dir);
  const file = trustFile();
  makeFolder(dirname(file));
  writeJson(file, { ...readJson(file, fileSchema), [folder]: mark });
}

/** Explains why the folder's configuration is not used, and how to trust it. `forOnce`: how to use it once, untrusted. */
export function notTrusted(
  dir: string,
  forOnce = `For one call, name it: --config ${shellWord(oneLine(dir))} (in programs: configDir).`,
): SteersmanError {
  const fault = markOrFault(dir);
  if (fault instanceof SteersmanError) return fault;
  return new SteersmanError(
    `The configuration in ${oneLine(dir)} is not used: it is not trusted yet, or was changed since, and it can start programs and choose where keys are sent. These changes count: .mcp.json, tools/, skills, scripts of the console, ${TRUSTED_SECTIONS.join(', ')} of ${SETTINGS_FILE}, and what .env sets (but keys of models).`,
    `Look at it first. To trust it from now on, call there, in a terminal: ${verbCall('doctor')}. ${forOnce}`.trimEnd(),
  );
}

/**
 * Returns the digest of a folder's present state, for trust.
 * @throws SteersmanError if one of its files can't be read, or is another user's: then it can't be trusted.
 */
export function markOf(folder: string, scripts?: Scripts): string {
  try {
    checkOwners(folder);
    refuseOtherEnding(folder);
    const mcp = readText(join(folder, '.mcp.json')) ?? '';
    const tools = marksBelow(join(folder, TOOL_FILES));
    const skills = skillMarks(folder);
    const parts = [
      mcp,
      sentElsewhereIn(folder),
      lastingVariables(folder),
      tools,
      ...(scripts ?? readScripts(folder)).values(),
      // A folder without skills keeps the mark that it was trusted by.
      ...(skills.length > 0 ? [{ skills }] : []),
    ];
    const marked = JSON.stringify(parts);
    return createHash('sha256').update(marked).digest('hex');
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    const message = `The configuration in ${oneLine(folder)} is not trusted: ${error.message}`;
    throw new SteersmanError(message, error.remedy);
  }
}

/** Returns the module of components and the scripts next to it, which the console serves to its page. */
function scriptsOf(folder: string): string[] {
  const module = moduleIn(folder);
  const beside = module === null ? null : dirname(join(folder, module));
  if (beside === null || !existsSync(beside)) return [];
  const names = readdirSync(beside).filter(name => /\.m?js$/.test(name));
  return names.sort().map(name => join(beside, name));
}

/** Texts by name; null for a missing one. */
export type Scripts = ReadonlyMap<string, string | null>;

/** @throws SteersmanError if one can't be read. */
function readScripts(folder: string): Scripts {
  return new Map(scriptsOf(folder).map(path => [basename(path), readText(path)]));
}

/** Returns the module that the folder's configuration names; null without one. */
export function moduleIn(folder: string): string | null {
  try {
    const { console } = trustedSections(folder);
    return isRecord(console) && isText(console.components) ? console.components : null;
  } catch {
    return null;
  }
}

function markOrFault(folder: string): string | SteersmanError {
  try {
    return markOf(folder);
  } catch (error) {
    if (error instanceof SteersmanError) return error;
    throw error;
  }
}

/** In a folder that others may write to, such as /tmp, they can add files. */
function checkOwners(folder: string): void {
  const paths = [SETTINGS_FILE, '.mcp.json', '.env', TOOL_FILES, 'prompts', ...SKILL_FOLDERS].map(name =>
    join(folder, name),
  );
  const foreign = [...paths, ...scriptsOf(folder)].find(path => !isOwn(path));
  if (foreign === undefined) return;
  throw new SteersmanError(
    `${displayPath(foreign)} belongs to another user.`,
    'Look at it, then make it your own, or remove it.',
  );
}

/** Returns `TRUSTED_SECTIONS` of `steersman.yaml`, absent ones as null. @throws SteersmanError if it is unreadable. */
export function trustedSections(folder: string): Record<string, unknown> {
  const file = join(folder, SETTINGS_FILE);
  const { value } = parseYaml(readText(file) ?? '', file);
  return Object.fromEntries(TRUSTED_SECTIONS.map(name => [name, value[name] ?? null]));
}

/** Returns the trusted sections as values, so that comments and the order of keys may change; an unreadable file as text. */
function sentElsewhereIn(folder: string): string {
  try {
    return canonicalJson(trustedSections(folder));
  } catch {
    return readText(join(folder, SETTINGS_FILE)) ?? '';
  }
}

/** Returns the `.env` variables except keys of models, which may change because they go only to their endpoints. */
function lastingVariables(folder: string): [string, string][] {
  const known = Object.values(KNOWN_ENDPOINTS).map(({ keyVariable }) => keyVariable);
  const named = [...sentElsewhereIn(folder).matchAll(/"keyVariable":"(\w+)"/g)].map(([, name = '']) => name);
  const keys = new Set([...known, ...named.filter(isKeyName)]);
  return Object.entries(variablesOf(folder).set)
    .filter(([name]) => !keys.has(name))
    .sort();
}
