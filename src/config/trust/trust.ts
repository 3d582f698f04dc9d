/**
 * Whose configuration is used unasked. A folder's `.mcp.json` starts programs, its `steersman.yaml` and `.env` say where
 * conversations and keys go: what a clone brings is trusted when a person said so, once a folder, and again when its
 * `.mcp.json` or its `tools/` have changed, in its `steersman.yaml` what sends something elsewhere (models, hooks, store),
 * says who pays (credits) or runs in the console's page, with the scripts of that, or what its `.env` sets but keys of models.
 * What else is there is edited often, and sends nothing elsewhere.
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
import { SETTINGS_FILE, TRUSTED_SECTIONS } from '../settings.js';
import { namedVariables } from './settings.js';

/** By real path: the mark of what was trusted. */
const fileSchema = z.record(z.string(), z.string());

/** Folders that this process may use, whatever is in them: they were named by whoever called it. */
const named = new Set<string>();

/** True for the package's own folder, for one that a person trusted as it is now, and for one that was named. */
export function isTrusted(dir: string): boolean {
  const folder = realpathSync(dir);
  return isAlwaysTrusted(folder) || isMarked(folder, markOrFault(folder));
}

/**
 * The scripts of its console by name, with the very texts that were compared with what a person trusted; null where that
 * was something else (WB1). Throws where one of the package's own can not be read.
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

/** Takes the folder for trusted as long as this process lives. */
export function trustForNow(dir: string): void {
  named.add(realpathSync(dir));
}

/** What a trusted folder's `.env` sets, and the names that it may not. */
export interface FolderVariables {
  set: Record<string, string>;
  passedOver: string[];
}

/**
 * Programs read hundreds of variables, and some run code (`NODE_OPTIONS`, `LD_PRELOAD`) or take part in every connection
 * (proxies, certificates). A folder sets what is meant for Steersman, and what its own configuration asks for by name.
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
/** Programs that would be started, faults of tests, and what Node, the loader and every connection heed. */
const NEVER_SET =
  /^(TEMPORAL_CLI_PATH|TEMPORAL_TEST_SERVER_PATH|STEERSMAN_FAILPOINTS.*|PATH|HOME|NODE_.*|LD_.*|DYLD_.*|XDG_.*|SSL_.*|GRPC_.*|.*_PROXY)$/i;

/** Loads the `.env` of a folder that is trusted; names that it may not set, and that nobody has set. */
export function loadVariables(dir: string): string[] {
  const { set, passedOver } = variablesOf(dir);
  setVariables(set);
  return passedOver.filter(name => env.lookup(name) === undefined);
}

/** Remembers the folder for this user: as it is now, or as it was when `mark` was taken. */
export function trustFrom(dir: string, mark: string = markOf(dir)): void {
  const folder = realpathSync(dir);
  const file = trustFile();
  makeFolder(dirname(file));
  writeJson(file, { ...readJson(file, fileSchema), [folder]: mark });
}

/** Says why the folder's configuration is not used, and how it is. */
export function notTrusted(dir: string): SteersmanError {
  const fault = markOrFault(dir);
  if (fault instanceof SteersmanError) return fault;
  return new SteersmanError(
    `The configuration in ${oneLine(dir)} is not used: it can start programs and choose where keys are sent, and nobody has said yet that it is trusted, or its .mcp.json, its tools/, scripts of its console, ${TRUSTED_SECTIONS.join(', ')} of its ${SETTINGS_FILE} or what its .env sets (but keys of models) have changed since.`,
    `Look at it first. To trust it from now on, call there, in a terminal: ${verbCall('doctor')}. For one call, name it: --config ${shellWord(oneLine(dir))} (in programs: configDir).`,
  );
}

/**
 * What is trusted of a folder, as it is now.
 * @throws SteersmanError where a file of it can not be read, or is another user's: then it can't be trusted.
 */
export function markOf(folder: string, scripts?: Scripts): string {
  try {
    checkOwners(folder);
    const mcp = readText(join(folder, '.mcp.json')) ?? '';
    const tools = marksBelow(join(folder, TOOL_FILES));
    const parts = [
      mcp,
      sentElsewhereIn(folder),
      lastingVariables(folder),
      tools,
      ...(scripts ?? readScripts(folder)).values(),
    ];
    const marked = JSON.stringify(parts);
    return createHash('sha256').update(marked).digest('hex');
  } catch (error) {
    if (!(error instanceof SteersmanError)) throw error;
    const message = `The configuration in ${oneLine(folder)} is not trusted: ${error.message}`;
    throw new SteersmanError(message, error.remedy);
  }
}

/** The module of components and the scripts beside it, which the console serves to its page. */
function scriptsOf(folder: string): string[] {
  const module = moduleIn(folder);
  const beside = module === null ? null : dirname(join(folder, module));
  if (beside === null || !existsSync(beside)) return [];
  const names = readdirSync(beside).filter(name => /\.m?js$/.test(name));
  return names.sort().map(name => join(beside, name));
}

/** Texts by name; null for one that is gone. */
export type Scripts = ReadonlyMap<string, string | null>;

/** @throws SteersmanError where one can not be read. */
function readScripts(folder: string): Scripts {
  return new Map(scriptsOf(folder).map(path => [basename(path), readText(path)]));
}

/** As the folder's configuration names it; null: there is none. */
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

/** Where others may write too, such as in /tmp, they can put a file beside yours. */
function checkOwners(folder: string): void {
  const paths = [SETTINGS_FILE, '.mcp.json', '.env', TOOL_FILES, 'prompts'].map(name => join(folder, name));
  const foreign = [...paths, ...scriptsOf(folder)].find(path => !isOwn(path));
  if (foreign === undefined) return;
  throw new SteersmanError(
    `${displayPath(foreign)} belongs to another user.`,
    'Look at it, then make it your own, or remove it.',
  );
}

/** Sections that say where conversations and keys go, and who pays. @throws SteersmanError where they can't be read. */
export function trustedSections(folder: string): Record<string, unknown> {
  const file = join(folder, SETTINGS_FILE);
  const { value } = parseYaml(readText(file) ?? '', file);
  return Object.fromEntries(TRUSTED_SECTIONS.map(name => [name, value[name] ?? null]));
}

/** As values, so that comments and the order of keys may change; as text where it can't be read. */
function sentElsewhereIn(folder: string): string {
  try {
    return canonicalJson(trustedSections(folder));
  } catch {
    return readText(join(folder, SETTINGS_FILE)) ?? '';
  }
}

/** What `.env` sets but keys of models, which go to their endpoints and nowhere else: these may change. */
function lastingVariables(folder: string): [string, string][] {
  const known = Object.values(KNOWN_ENDPOINTS).map(({ keyVariable }) => keyVariable);
  const named = [...sentElsewhereIn(folder).matchAll(/"keyVariable":"(\w+)"/g)].map(([, name = '']) => name);
  const keys = new Set([...known, ...named.filter(isKeyName)]);
  return Object.entries(variablesOf(folder).set)
    .filter(([name]) => !keys.has(name))
    .sort();
}
