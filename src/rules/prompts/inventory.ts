/** The list of a workspace's files in the opening of all roles, and the tools that make it worth its place. */

import { delimit } from '../../base/words/prompt.js';
import type { Words } from '../../base/words/words.js';
import type { ToolDefinition } from '../../run/tools/tool.js';
import { argumentNames, isCommandName, isPathName } from '../../run/tools/tool-paths.js';

/** Returns the list as roles read it. */
export function inventoryText(list: string, words: Words): string {
  return `${words.workspaceFiles}\n${delimit('workspace_files', list)}`;
}

/** True if a tool reads files: it is read-only, and an argument names a path. */
export function readsFiles(tool: ToolDefinition): boolean {
  return (
    tool.policy.readOnly &&
    tool.origin.type === 'mcp' &&
    argumentNames(tool).some(name => /path|file/i.test(name) && isPathName(name))
  );
}

/** True if a tool may change files on a worker: it names a path, or runs commands. */
export function mayChangeFiles({ policy, origin, inputSchema }: ToolDefinition): boolean {
  const isOfWorker = origin.type === 'mcp' || origin.type === 'activity';
  const names = argumentNames({ inputSchema });
  return isOfWorker && !policy.readOnly && names.some(name => isPathName(name) || isCommandName(name));
}
