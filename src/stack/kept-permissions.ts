/**
 * What a person has allowed for good: tools, by the workspace of the runs that asked, and the server that they were
 * on. It is kept for this user, never in the workspace: whoever may write there could allow anything.
 */
import { dirname } from 'node:path';
import { z } from 'zod';
import { MAX_ALLOWED_TOOLS } from '../core/run-input.js';
import { makeFolder, permissionsFile } from './home.js';
import { readJson, writeJson } from './json-file.js';

/** Where a run works. */
export interface Place {
  /** Address and namespace; null for the local stack. */
  server: string | null;
  /** As the run has it: on the local stack its real path. */
  workspace: string;
}

export interface KeptPermission extends Place {
  /** Names of tools, as runs have them. */
  tools: string[];
}

const fileSchema = z.array(
  z.object({ server: z.string().nullable(), workspace: z.string(), tools: z.array(z.string()) }),
);

/** Of all workspaces; none where the file can't be read. */
export function keptPermissions(): KeptPermission[] {
  return readJson(permissionsFile(), fileSchema) ?? [];
}

/** Tools that are allowed there, as many as a start takes: the others ask. */
export function allowedTools(place: Place): string[] {
  return toolsAt(place).slice(0, MAX_ALLOWED_TOOLS);
}

function toolsAt(place: Place): string[] {
  return keptPermissions().find(kept => isAt(kept, place))?.tools ?? [];
}

/** Allows the tool there from now on. */
export function keepPermission(place: Place, tool: string): void {
  const others = keptPermissions().filter(kept => !isAt(kept, place));
  const tools = [...new Set([...toolsAt(place), tool])].sort();
  write([...others, { ...place, tools }]);
}

/** Takes back what is allowed for a workspace, on any server: one tool, or all. Returns what that was. */
export function forgetPermissions(workspace: string, tool?: string): KeptPermission[] {
  const goes = (kept: KeptPermission, name: string) =>
    kept.workspace === workspace && (tool === undefined || name === tool);
  const before = keptPermissions();
  const split = (forgotten: boolean) =>
    before
      .map(kept => ({ ...kept, tools: kept.tools.filter(name => goes(kept, name) === forgotten) }))
      .filter(({ tools }) => tools.length > 0);
  const gone = split(true);
  if (gone.length > 0) write(split(false));
  return gone;
}

function write(kept: readonly KeptPermission[]): void {
  const file = permissionsFile();
  makeFolder(dirname(file));
  writeJson(file, kept);
}

function isAt({ server, workspace }: Place, place: Place): boolean {
  return server === place.server && workspace === place.workspace;
}
