/**
 * Whose configuration is used unasked. A folder's `.mcp.json` starts programs, its `steersman.yaml` and `.env` say where
 * conversations and keys go: what a clone brings is trusted when a person said so, once a folder, and again when its
 * `.mcp.json` has changed.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { verbCall } from '../shared/called-as.js';
import { SteersmanError } from '../shared/errors.js';
import { projectRoot } from '../shared/package.js';
import { makeFolder, trustFile } from './home.js';
import { readJson, writeJson } from './json-file.js';

/** By real path: the mark of the `.mcp.json` that was trusted. */
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
  trustForNow(folder);
  const file = trustFile();
  makeFolder(dirname(file));
  writeJson(file, { ...readJson(file, fileSchema), [folder]: markOf(folder) });
}

/** Says why the folder's configuration is not used, and how it is. */
export function notTrusted(dir: string): SteersmanError {
  return new SteersmanError(
    `The configuration in ${dir} is not used: it can start programs and choose where keys are sent, and nobody has said yet that it is trusted, or its .mcp.json has changed since.`,
    `Look at it first. To trust it from now on, call there, in a terminal: ${verbCall('doctor')}. For one call, name it: --config ${dir} (in programs: configDir).`,
  );
}

function markOf(folder: string): string {
  return createHash('sha256').update(programsIn(folder)).digest('hex');
}

function programsIn(folder: string): string {
  try {
    return readFileSync(join(folder, '.mcp.json'), 'utf8');
  } catch {
    // Without the file it starts no programs of its own.
    return '';
  }
}
