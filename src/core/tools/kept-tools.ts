/** Tools that a person allowed for good: each by its name and by what it was when they did. */
import type { ToolDefinition } from './tool.js';

/** Not in any name of a tool. */
const MARK = '#';

/** As a start names it: an entry of `allowTools`. `digest`: of its definition; empty for a tool that nobody lists. */
export function keptTool(name: string, digest: string): string {
  return `${name}${MARK}${digest}`;
}

/** Names of those that hold, and of those that are another tool now. A name alone holds whatever its tool is. */
export function allowedAtStart(
  entries: readonly string[],
  tools: readonly Pick<ToolDefinition, 'name' | 'digest'>[],
): { allowed: string[]; changed: string[] } {
  const allowed: string[] = [];
  const changed: string[] = [];
  for (const entry of entries) {
    const [name = '', digest] = entry.split(MARK);
    const tool = tools.find(candidate => candidate.name === name);
    if (digest === undefined || digest === (tool?.digest ?? '')) allowed.push(name);
    else if (tool) changed.push(name);
  }
  return { allowed, changed };
}
