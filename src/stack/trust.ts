/**
 * Whose configuration is used unasked. A folder's `.mcp.json` starts programs, its `steersman.yaml` and `.env` say where
 * conversations and keys go: what a clone brings is trusted when a person said so, once a folder, and again when its
 * `.mcp.json` or its `tools/` have changed, `models` in its `steersman.yaml`, or the addresses of endpoints in its `.env`. What else is
 * there is edited often, and sends nothing elsewhere.
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
import { SteersmanError } from '../shared/errors.js';
import { projectRoot } from '../shared/package.js';
import { makeFolder, trustFile } from './home.js';
import { readJson, writeJson } from './json-file.js';

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
    `The configuration in ${dir} is not used: it can start programs and choose where keys are sent, and nobody has said yet that it is trusted, or its .mcp.json, its tools/, the models of its ${SETTINGS_FILE} or the addresses of endpoints in its .env have changed since.`,
    `Look at it first. To trust it from now on, call there, in a terminal: ${verbCall('doctor')}. For one call, name it: --config ${dir} (in programs: configDir).`,
  );
}

function markOf(folder: string): string {
  const marked = JSON.stringify([
    textIn(folder, '.mcp.json'),
    modelsIn(folder),
    addressesIn(folder),
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

/** Where the variables of `.env` send conversations and keys; the keys themselves may change. */
function addressesIn(folder: string): (string | undefined)[] {
  const variables = parseEnv(textIn(folder, '.env'));
  return Object.values(KNOWN_ENDPOINTS).map(({ urlVariable }) => variables[urlVariable]);
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
