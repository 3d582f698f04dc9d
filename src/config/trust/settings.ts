import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import { env } from '../../shared/process/env.js';
import { projectRoot } from '../../shared/process/package.js';
import { TOOL_FILES } from '../files/config-dir.js';
import { marksBelow, readText } from '../files/files.js';

interface FingerprintInput {
  /** Relevant files; a missing one counts as missing. */
  files: string[];
  /** Folders whose files all matter, except packages: their relative names and content. */
  folders: string[];
  /** Relevant values, such as keys; only their hash is used. */
  values: Record<string, string | undefined>;
}

/**
 * Returns a SHA-256, in hex, of everything that a worker's behaviour depends on. Two commands with equal fingerprints
 * can share a worker. It reveals nothing of the input.
 */
export function settingsFingerprint(input: FingerprintInput): string {
  const hash = createHash('sha256');
  for (const [name, value] of Object.entries(input.values).sort(byName)) add(hash, 'value', name, value);
  for (const file of input.files) add(hash, 'file', file, readText(file));
  for (const folder of input.folders) {
    for (const [name, mark] of marksBelow(folder)) add(hash, 'file', name, mark);
  }
  return hash.digest('hex');
}

/** Environment variables that a worker's models depend on; those that the configuration names are added. */
const PROVIDER_VARIABLE =
  /^(OPENAI|ANTHROPIC|AZURE|GEMINI|GOOGLE|MISTRAL|DEEPSEEK|OLLAMA)_|^STEERSMAN_(?!HOME$|TASK_QUEUE$)|^DATABASE_URL$/;
/** Matches `${VAR}`, `keyVariable: VAR` of an endpoint, and `urlVariable: VAR` of the store. */
const NAMED_VARIABLE = /\$\{(\w+)|\b(?:key|secret|url)Variable\W+(\w+)/g;
const CONFIG_FILES = ['steersman.yaml', '.mcp.json'];

/**
 * Returns the fingerprint of a project's settings: its configuration files and prompts, the environment of models, the
 * variables that the configuration names, the code, and `extra` (further input to the worker).
 */
export function projectFingerprint(configDir: string, extra: Record<string, string> = {}): string {
  const files = [...CONFIG_FILES, '.env'].map(name => join(configDir, name));
  const provider = Object.keys(env.all()).filter(name => PROVIDER_VARIABLE.test(name));
  const names = [...new Set([...provider, ...namedVariables(configDir)])];
  const values = Object.fromEntries(names.map(name => [name, env.lookup(name)]));
  return settingsFingerprint({
    files: [...files, join(projectRoot, 'package.json'), join(projectRoot, 'package-lock.json')],
    folders: [
      join(configDir, 'prompts'),
      join(configDir, TOOL_FILES),
      join(projectRoot, 'prompts'),
      join(projectRoot, 'dist'),
    ],
    values: { ...values, ...extra, configDir, node: process.version },
  });
}

/** Returns the variables that a folder's configuration names. */
export function namedVariables(configDir: string): string[] {
  const texts = CONFIG_FILES.map(name => readText(join(configDir, name)) ?? '');
  return texts
    .flatMap(text => [...text.matchAll(NAMED_VARIABLE)].map(([, filledIn, key]) => filledIn ?? key))
    .filter(name => name !== undefined);
}

function add(hash: Hash, kind: string, name: string, content: string | null | undefined): void {
  hash.update(`${JSON.stringify([kind, name, content ?? null])}\n`);
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
