/** Which files prompts are read from: folders in the order of their say, languages, what a configuration leaves to the package. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SteersmanError } from '../../shared/process/errors.js';
import { listFolder, readTextIfPresent } from '../files/files.js';

/** The language of the files directly in `prompts/core`; others have a folder of their name there. */
const BASE_LANGUAGE = 'en';

/** Beside the roles, in `core` and its language folders: what requests begin with. */
export const OPENING = {
  /** What holds for every role whose prompt is not all of its system text. */
  shared: 'shared-prefix',
  /** In front of it where several roles speak in one conversation. */
  team: 'team-prefix',
} as const;

/**
 * Folders that prompts are read from, the first that has a file wins: `prompts` of the configuration
 * folder, then those that come with Steersman, so that a folder need hold only what it changes. Null: these alone.
 */
export function promptRoots(configDir: string | null): string[] {
  const shipped = shippedPrompts();
  if (configDir === null) return shipped === null ? [] : [shipped];
  const own = join(configDir, 'prompts');
  return shipped === null || shipped === own ? [own] : [own, shipped];
}

/** Names of all roles, sorted: the files in `core` and in its language folders. */
export async function listRoles(roots: readonly string[], language: string): Promise<string[]> {
  const folders = roots.flatMap(root => coreFolders(root, language));
  const listings = await Promise.all(folders.map(listFolder));
  const files = listings.flatMap(listing => listing ?? []).filter(name => name.endsWith('.md'));
  const openings: readonly string[] = Object.values(OPENING);
  const names = files.map(name => name.slice(0, -'.md'.length)).filter(name => !openings.includes(name));
  return [...new Set(names)].sort();
}

/** Where a root keeps core templates for a language, preferred first. */
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

/** Names in a folder of each root that end so, without the ending. */
async function namesIn(roots: readonly string[], folder: string, ending: string): Promise<string[]> {
  const listings = await Promise.all(roots.map(root => listFolder(join(root, folder))));
  const names = listings.flatMap(listing => listing ?? []).filter(name => name.endsWith(ending));
  return names.map(name => name.slice(0, -ending.length));
}

/** Built code may lie elsewhere than sources: the folder is looked for upwards. */
export function shippedPrompts(): string | null {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const prompts = join(folder, 'prompts');
    if (existsSync(join(prompts, 'core', 'planner.md'))) return prompts;
    if (dirname(folder) === folder) return null;
  }
}
