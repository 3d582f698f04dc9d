/**
 * What a person has allowed for good: tools, by the workspace of the runs that asked, and the server that they were
 * on. It is kept for this user, never in the workspace: whoever may write there could allow anything.
 */
import { dirname } from 'node:path';
import { z } from 'zod';
import { LONGEST_ALLOWED_TOOL, MAX_ALLOWED_TOOLS } from '../core/agents/run-input.js';
import { keptTool } from '../core/tools/permission.js';
import { makeFolder, permissionsFile } from './home.js';
import { readJson, writeJson } from './json-file.js';
import { withLock } from './lock.js';

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
  z.object({
    server: z.string().nullable(),
    workspace: z.string(),
    /** By name: the digest of what it was when it was allowed. */
    tools: z.record(z.string(), z.string()),
  }),
);

type Kept = z.output<typeof fileSchema>[number];

/** Of all workspaces; none where the file can't be read. */
export function keptPermissions(): KeptPermission[] {
  return read().map(shown);
}

/** Tools that are allowed there, as entries of `allowTools`, as many as a start takes: the others ask. */
export function allowedTools(place: Place): string[] {
  const { tools = {} } = read().find(kept => isAt(kept, place)) ?? {};
  const entries = Object.entries(tools).map(([name, digest]) => keptTool(name, digest));
  const taken = entries.filter(({ length }) => length <= LONGEST_ALLOWED_TOOL);
  return taken.sort().slice(0, MAX_ALLOWED_TOOLS);
}

/** Allows the tool there from now on, as long as it is the one that has this digest. */
export function keepPermission(place: Place, tool: string, digest: string): Promise<void> {
  return change(before => {
    const others = before.filter(kept => !isAt(kept, place));
    const { tools = {} } = before.find(kept => isAt(kept, place)) ?? {};
    return { after: [...others, { ...place, tools: { ...tools, [tool]: digest } }], result: undefined };
  });
}

/** Takes back what is allowed for a workspace, on any server: one tool, or all. Returns what that was. */
export function forgetPermissions(workspace: string, tool?: string): Promise<KeptPermission[]> {
  const goes = (kept: Kept, name: string) =>
    kept.workspace === workspace && (tool === undefined || name === tool);
  return change(before => {
    const split = (forgotten: boolean) =>
      before
        .map(kept => ({ ...kept, tools: pick(kept.tools, name => goes(kept, name) === forgotten) }))
        .filter(({ tools }) => Object.keys(tools).length > 0);
    const gone = split(true).map(shown);
    return { after: gone.length > 0 ? split(false) : null, result: gone };
  });
}

function pick(tools: Kept['tools'], isWanted: (name: string) => boolean): Kept['tools'] {
  return Object.fromEntries(Object.entries(tools).filter(([name]) => isWanted(name)));
}

function shown({ tools, ...place }: Kept): KeptPermission {
  return { ...place, tools: Object.keys(tools).sort() };
}

function read(): Kept[] {
  return readJson(permissionsFile(), fileSchema) ?? [];
}

/** One process at a time: what another allows meanwhile would be lost. */
function change<T>(make: (before: Kept[]) => { after: Kept[] | null; result: T }): Promise<T> {
  const file = permissionsFile();
  makeFolder(dirname(file));
  return withLock(
    `${file}.lock`,
    async () => {
      const { after, result } = make(read());
      if (after) writeJson(file, after);
      return result;
    },
    { timeoutMs: LOCK_MS },
  );
}

/** A person waits, and a change takes no time. */
const LOCK_MS = 10_000;

function isAt({ server, workspace }: Place, place: Place): boolean {
  return server === place.server && workspace === place.workspace;
}
