/** Lists the files of a workspace that a message can name. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { terminalText } from 'steersman/shared';

const MOST_FILES = 10_000;
const LEFT_OUT = new Set(['node_modules', '.git']);

/**
 * Returns files and folders (with a `/` at the end) below `folder`, relative to it, nearest first: at most 10,000,
 * without `node_modules` and `.git`. Links are not followed, and unreadable folders are left out. Empty if the folder
 * is not here: the run's worker may be on another machine.
 */
export async function workspaceFiles(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (let level = ['']; level.length > 0 && files.length < MOST_FILES; ) {
    const below: string[] = [];
    for (const at of level) {
      const entries = await readdir(join(folder, at), { withFileTypes: true }).catch(() => []);
      for (const entry of entries) {
        // A name that can't be displayed unchanged can't be typed either.
        if (LEFT_OUT.has(entry.name) || terminalText(entry.name) !== entry.name) continue;
        const path = at + entry.name;
        files.push(entry.isDirectory() ? `${path}/` : path);
        if (entry.isDirectory()) below.push(`${path}/`);
      }
      if (files.length >= MOST_FILES) break;
    }
    level = below;
  }
  return files.slice(0, MOST_FILES);
}
