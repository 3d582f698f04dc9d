/** Tools of the client beside those of servers (T8, T10): servers go first. */
import type { ClientTool } from '../agents/run-config.js';
import { DEFAULT_TOOL_POLICY, type ToolDefinition } from './tool.js';

/**
 * Adds the client's tools. One whose name a server has already is left out with a warning: which of the two
 * is meant could not be told apart in a reply. `offeredName` gives a name that providers allow.
 */
export function mergeClientTools(
  tools: readonly ToolDefinition[],
  clientTools: readonly ClientTool[],
  offeredName: (name: string) => string = name => name,
): { tools: ToolDefinition[]; warnings: string[] } {
  const names = new Set(tools.map(tool => tool.name));
  const merged = [...tools];
  const warnings: string[] = [];
  for (const { name, description, inputSchema } of clientTools) {
    if (names.has(name)) {
      warnings.push(`The client's tool ${name} is left out: there is a tool of this name already.`);
      continue;
    }
    names.add(name);
    merged.push({
      name: offeredName(name),
      serverToolName: name,
      origin: { type: 'client' },
      description,
      inputSchema,
      validation: 'strict',
      // The client knows what its tools do and asks its own user: the run does not ask again.
      policy: { ...DEFAULT_TOOL_POLICY, cache: 'none' },
    });
  }
  return { tools: merged, warnings };
}
