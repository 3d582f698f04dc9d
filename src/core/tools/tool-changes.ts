/** What becomes of the tools that a run has pinned when they are listed anew. */
import { canonicalJson } from '../json.js';
import type { ToolDefinition } from './tool.js';

/** Names, as models know them. */
export interface ToolChanges {
  added: string[];
  removed: string[];
  /** Otherwise described, or with other arguments or another policy. */
  changed: string[];
}

/** The new list; a server of which none are listed now may only be down, so it keeps those it had. */
export function relisted(
  before: readonly ToolDefinition[],
  listed: readonly ToolDefinition[],
): ToolDefinition[] {
  const servers = new Set(listed.map(serverOf));
  const names = new Set(listed.map(({ name }) => name));
  const kept = before.filter(tool => {
    const server = serverOf(tool);
    return server !== null && !servers.has(server) && !names.has(tool.name);
  });
  return [...listed, ...kept];
}

/** Null where nothing differs. */
export function toolChanges(
  before: readonly ToolDefinition[],
  after: readonly ToolDefinition[],
): ToolChanges | null {
  const known = new Map(before.map(tool => [tool.name, tool]));
  const names = new Set(after.map(({ name }) => name));
  const added = after.filter(({ name }) => !known.has(name));
  const removed = before.filter(({ name }) => !names.has(name));
  const changed = after.filter(tool => {
    const old = known.get(tool.name);
    return old !== undefined && canonicalJson(old) !== canonicalJson(tool);
  });
  if (added.length + removed.length + changed.length === 0) return null;
  const namesOf = (tools: readonly ToolDefinition[]) => tools.map(({ name }) => name);
  return { added: namesOf(added), removed: namesOf(removed), changed: namesOf(changed) };
}

function serverOf({ origin }: ToolDefinition): string | null {
  return origin.type === 'mcp' ? origin.server : null;
}
