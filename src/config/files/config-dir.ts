/** Finds the configuration folder: the current folder, or one above it. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { byNpm } from '../../shared/process/called-as.js';
import { projectRoot } from '../../shared/process/package.js';

/**
 * Any of these makes a folder a configuration folder. The second name is a mistake, which is reported when the folder
 * is read.
 */
const FILES = ['steersman.yaml', 'steersman.yml', '.mcp.json'] as const;

/** The text in `--help`. */
export const CONFIG_OPTION = `folder of steersman.yaml, .mcp.json and prompts (default: ${
  byNpm ? 'the project' : 'the nearest from here upwards, else the defaults'
})`;

/**
 * Returns the configuration folder for `from`: the nearest at or above it with a `steersman.yaml` or an `.mcp.json`,
 * else the package's own, with its defaults. If npm runs it in a checkout: the checkout.
 */
export function defaultConfigDir(from: string = process.cwd()): string {
  return byNpm ? projectRoot : (nearestConfigDir(from) ?? projectRoot);
}

export function nearestConfigDir(from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    if (FILES.some(name => isOwnFile(join(folder, name)))) return folder;
    if (dirname(folder) === folder) return null;
  }
}

/**
 * Returns the folder of a local worker's tool servers: the configuration folder, else the package's own, so that a
 * `steersman.yaml` that only names a model removes no tools. An `.mcp.json` without servers does remove them.
 */
export function localToolsDir(configDir: string): string {
  return existsSync(join(configDir, '.mcp.json')) ? configDir : projectRoot;
}

/**
 * Returns the settings file that a person may write: the folder's own, but not the file of an installed package, which
 * the next installation replaces.
 */
export function settingsFileFor(
  configDir: string,
  from: string = process.cwd(),
  installed: string | null = byNpm ? null : projectRoot,
): string {
  return join(configDir === installed ? from : configDir, FILES[0]);
}

export const TOOL_FILES = 'tools';

/** Returns the names of the files to load: TypeScript only without its compiled file; subfolders are for shared code. */
export function toolFilesOf(configDir: string): string[] {
  try {
    const entries = readdirSync(join(configDir, TOOL_FILES), { withFileTypes: true });
    const names = entries.flatMap(entry => (entry.isFile() ? [entry.name] : []));
    const plain = names.filter(name => /\.m?js$/.test(name));
    const compiled = new Set(plain.map(stemOf));
    const typed = names.filter(name => /(?<!\.d)\.m?ts$/.test(name) && !compiled.has(stemOf(name)));
    return [...plain, ...typed].sort();
  } catch {
    return [];
  }
}

function stemOf(name: string): string {
  return name.replace(/\.\w+$/, '');
}

function isOwnFile(file: string): boolean {
  try {
    return statSync(file).isFile() && isOwn(file);
  } catch {
    return false;
  }
}

/**
 * Configuration starts programs, so another user's files, such as in /tmp, are not used unasked. For a link, both it
 * and its target count. A missing file counts as own.
 */
export function isOwn(path: string): boolean {
  const me = process.getuid?.();
  return [lstatSync, statSync].every(look => {
    try {
      const { uid } = look(path);
      return me === undefined || uid === me || uid === 0;
    } catch {
      return true;
    }
  });
}
