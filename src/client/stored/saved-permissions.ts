/**
 * A person's permanent permissions: tools, by the workspace of the runs that asked, and their server. They are stored
 * for this user, never in the workspace, because its writers could then allow anything.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { LONGEST_ALLOWED_TOOL, MAX_ALLOWED_TOOLS } from '../../rules/agents/run-input.js';
import { allowedTool } from '../../run/tools/permission.js';
import { makeFolder, permissionsFolder } from '../../shared/local/home.js';
import { readJson, removeFile, writeJson } from '../../shared/local/json-file.js';
import type { Place } from '../connection/connect.js';

export interface SavedPermission extends Place {
  /** Names of tools in runs. */
  tools: string[];
}

/** Each permission is a separate file, so that concurrent processes do not overwrite each other's. */
const savedSchema = z.object({
  server: z.string().nullable(),
  workspace: z.string(),
  tool: z.string(),
  /** Hash of the tool's definition when it was allowed. */
  digest: z.string(),
});
type Saved = z.output<typeof savedSchema>;

/** Returns the permissions of all workspaces; unreadable files are skipped. */
export function savedPermissions(): SavedPermission[] {
  return byPlace(read());
}

/** Returns tools that are allowed there, as entries of `allowTools`, up to the limit of a start: the others ask. */
export function allowedTools({ server, workspace }: Place): string[] {
  return read()
    .filter(saved => saved.server === server && saved.workspace === workspace)
    .map(({ tool, digest }) => allowedTool(tool, digest))
    .filter(({ length }) => length <= LONGEST_ALLOWED_TOOL)
    .sort()
    .slice(0, MAX_ALLOWED_TOOLS);
}

/** Allows the tool there, as long as its definition has this digest. */
export function keepPermission(place: Place, tool: string, digest: string): void {
  makeFolder(permissionsFolder());
  const saved: Saved = { server: place.server, workspace: place.workspace, tool, digest };
  writeJson(fileOf(saved), saved);
}

/** Removes permissions for a workspace on any server: for one tool, or all. Returns the removed ones. */
export function forgetPermissions(workspace: string, tool?: string): SavedPermission[] {
  const gone = read().filter(
    saved => saved.workspace === workspace && (tool === undefined || saved.tool === tool),
  );
  for (const saved of gone) removeFile(fileOf(saved));
  return byPlace(gone);
}

function fileOf({ server, workspace, tool }: Saved): string {
  const name = createHash('sha256')
    .update(JSON.stringify([server, workspace, tool]))
    .digest('hex');
  return join(permissionsFolder(), `${name}.json`);
}

function byPlace(all: readonly Saved[]): SavedPermission[] {
  const places = new Map<string, SavedPermission>();
  for (const { server, workspace, tool } of all) {
    const key = JSON.stringify([workspace, server ?? '']);
    const { tools = [] } = places.get(key) ?? {};
    places.set(key, { server, workspace, tools: [...tools, tool].sort() });
  }
  return [...places].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, place]) => place);
}

function read(): Saved[] {
  try {
    const files = readdirSync(permissionsFolder()).filter(name => name.endsWith('.json'));
    return files
      .map(name => readJson(join(permissionsFolder(), name), savedSchema))
      .filter(saved => saved !== undefined);
  } catch {
    return [];
  }
}
