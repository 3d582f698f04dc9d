/**
 * Whose configuration is used unasked. A folder's `.mcp.json` starts programs, its `steersman.yaml` and `.env` say where
 * conversations and keys go: what a clone brings is trusted when a person said so, once a folder, and again when its
 * `.mcp.json` or its `tools/` have changed, `models` in its `steersman.yaml`, or what its `.env` sets but keys of models.
 * What else is there is edited often, and sends nothing elsewhere.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { TOOL_FILES } from '../config/config-dir.js';
import { SETTINGS_FILE } from '../config/settings.js';
import { parseYaml } from '../config/yaml-source.js';
import { canonicalJson } from '../core/json.js';
import { KNOWN_ENDPOINTS } from '../models/endpoint.js';
import { verbCall } from '../shared/called-as.js';
import { env, setVariables } from '../shared/env.js';
import { SteersmanError } from '../shared/errors.js';
import { projectRoot } from '../shared/package.js';
import { isKeyName } from '../shared/secrets.js';
import { makeFolder, trustFile } from './home.js';
import { readJson, writeJson } from './json-file.js';
import { namedVariables } from './settings.js';

/** By real path: the mark of what was trusted. */
const fileSchema = z.record(z.string(), z.string());

/** Folders that this process may use, whatever is in them: they were named by whoever called it. */
const named = new Set<string>();

/** True for the package's own folder, for one that a person trusted as it is now, and for one that was named. */
export function isTrusted(dir: string): boolean {
  const folder = realpathSync(dir);
  if (folder === realpathSync(projectRoot) || named.has(folder)) return true;
  return readJson(trustFile(), fileSchema)?.[folder] === markOf(folder);
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
  const all = Object.entries(parseEnv(textIn(dir, '.env'))).map(
    ([name, value = '']) => [name, value] as const,
  );
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

/** Remembers the folder, as it is now, for this user. */
export function trustFrom(dir: string): void {
  const folder = realpathSync(dir);
  const file = trustFile();
  makeFolder(dirname(file));
  writeJson(file, { ...readJson(file, fileSchema), [folder]: markOf(folder) });
}

/** Says why the folder's configuration is not used, and how it is. */
export function notTrusted(dir: string): SteersmanError {
  return new SteersmanError(
    `The configuration in ${dir} is not used: it can start programs and choose where keys are sent, and nobody has said yet that it is trusted, or its .mcp.json, its tools/, the models of its ${SETTINGS_FILE} or what its .env sets (but keys of models) have changed since.`,
    `Look at it first. To trust it from now on, call there, in a terminal: ${verbCall('doctor')}. For one call, name it: --config ${dir} (in programs: configDir).`,
  );
}

function markOf(folder: string): string {
  const marked = JSON.stringify([
    textIn(folder, '.mcp.json'),
    modelsIn(folder),
    lastingVariables(folder),
    toolsIn(folder),
  ]);
  return createHash('sha256').update(marked).digest('hex');
}

/** As values, so that comments and the order of keys may change; as text where it can't be read. */
function modelsIn(folder: string): string {
  const text = textIn(folder, SETTINGS_FILE);
  try {
    return canonicalJson(parseYaml(text, join(folder, SETTINGS_FILE)).value.models ?? null);
  } catch {
    return text;
  }
}

/** What `.env` sets but keys of models, which go to their endpoints and nowhere else: these may change. */
function lastingVariables(folder: string): [string, string][] {
  const known = Object.values(KNOWN_ENDPOINTS).map(({ keyVariable }) => keyVariable);
  const named = [...modelsIn(folder).matchAll(/"keyVariable":"(\w+)"/g)].map(([, name = '']) => name);
  const keys = new Set([...known, ...named.filter(isKeyName)]);
  return Object.entries(variablesOf(folder).set)
    .filter(([name]) => !keys.has(name))
    .sort();
}

/** What a worker would run of the folder, with what it may load below; packages are not looked at. */
function toolsIn(folder: string): string[][] {
  const tools = join(folder, TOOL_FILES);
  if (!existsSync(tools)) return [];
  const names = readdirSync(tools, { recursive: true, encoding: 'utf8' });
  return names
    .filter(name => !/(^|[\\/])node_modules([\\/]|$)/.test(name))
    .sort()
    .map(name => [name, textIn(tools, name)]);
}

/** Empty where there is no such file: it starts nothing and sends nothing. */
function textIn(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8');
  } catch {
    return '';
  }
}
