/** Where the configuration is that holds for somebody: the folder where they stand, or one above it. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { byNpm } from '../../shared/process/called-as.js';
import { projectRoot } from '../../shared/process/package.js';

/** Either makes a folder one of configuration. */
const FILES = ['steersman.yaml', '.mcp.json'];

/** How `--help` says it. */
export const CONFIG_OPTION = `folder of steersman.yaml, .mcp.json and prompts (default: ${
  byNpm ? 'the project' : 'the nearest from here upwards, else the defaults'
})`;

/**
 * The folder of configuration that holds in `from`: the nearest at or above it with a `steersman.yaml` or an
 * `.mcp.json`, else the package's own, with its defaults. Called by npm in a checkout: the checkout.
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
 * Where the tool servers of a local worker are configured: beside its other configuration, else in the package's own
 * folder, so that a `steersman.yaml` that only names a model takes no tools away. A file without servers does.
 */
export function localToolsDir(configDir: string): string {
  return existsSync(join(configDir, '.mcp.json')) ? configDir : projectRoot;
}

export const TOOL_FILES = 'tools';

/** Names of the files that are loaded, TypeScript where it has no compiled file beside it; a folder below is for what they share. */
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
 * Configuration starts programs: another user's, such as in /tmp, is not taken unasked. Of a link both count, it and
 * what it leads to. What is not there is nobody's.
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
