/** The sources of prompts: folders in order of precedence, languages, and the package's files for anything missing. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SteersmanError } from '../../shared/process/errors.js';
import { listFolder, readTextIfPresent } from './files.js';

/** The language of the files directly in `prompts/core`; other languages have a folder of their name there. */
const BASE_LANGUAGE = 'en';

/** The files next to the roles, in `core` and its language folders: the beginning of requests. */
export const OPENING = {
  /** The part for every role whose prompt is not its complete system text. */
  shared: 'shared-prefix',
  /** The part before it, if several roles speak in one conversation. */
  team: 'team-prefix',
} as const;

/**
 * Returns the folders of prompts; the first that has a file wins: `prompts` of the configuration folder, then
 * Steersman's own, so that a folder only needs its changes. Null: only Steersman's own.
 */
export function promptRoots(configDir: string | null): string[] {
  const shipped = shippedPrompts();
  if (configDir === null) return shipped === null ? [] : [shipped];
  const own = join(configDir, 'prompts');
  return shipped === null || shipped === own ? [own] : [own, shipped];
}

/** Returns the names of all roles, sorted: the files in `core` and in its language folders. */
export async function listRoles(roots: readonly string[], language: string): Promise<string[]> {
  const folders = roots.flatMap(root => coreFolders(root, language));
  const listings = await Promise.all(folders.map(listFolder));
  const files = listings.flatMap(listing => listing ?? []).filter(name => name.endsWith('.md'));
  const openings: readonly string[] = Object.values(OPENING);
  const names = files.map(name => name.slice(0, -'.md'.length)).filter(name => !openings.includes(name));
  return [...new Set(names)].sort();
}

/** Returns a root's folders of core templates for a language, preferred first. */
export function coreFolders(root: string, language: string): string[] {
  const base = join(root, 'core');
  return language === BASE_LANGUAGE ? [base] : [join(base, language), base];
}

export async function firstFile(files: readonly string[]): Promise<{ file: string; text: string } | null> {
  for (const file of files) {
    const text = await readTextIfPresent(file);
    if (text !== null) return { file, text };
  }
  return null;
}

/** @throws SteersmanError for a language without a folder. */
export async function checkLanguage(roots: readonly string[], language: string): Promise<void> {
  if (language === BASE_LANGUAGE) return;
  const folders = await namesIn(roots, 'core', '/');
  const languages = [...new Set([BASE_LANGUAGE, ...folders, ...(await namesIn(roots, 'words', '.yaml'))])];
  if (languages.includes(language)) return;
  throw new SteersmanError(
    `steersman.yaml: language: there are no prompts in "${language}".`,
    `Use one of ${languages.join(', ')}, or add a folder prompts/core/${language}.`,
  );
}

/** Returns the names in a folder of each root with this ending, without it. */
async function namesIn(roots: readonly string[], folder: string, ending: string): Promise<string[]> {
  const listings = await Promise.all(roots.map(root => listFolder(join(root, folder))));
  const names = listings.flatMap(listing => listing ?? []).filter(name => name.endsWith(ending));
  return names.map(name => name.slice(0, -ending.length));
}

/** Searches upwards, because built code may lie elsewhere than sources. */
export function shippedPrompts(): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const prompts = join(folder, 'prompts');
    if (existsSync(join(prompts, 'core', 'planner.md'))) return prompts;
    if (dirname(folder) === folder) return null;
  }
}
