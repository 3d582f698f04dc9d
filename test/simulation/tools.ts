/** The tools of simulated runs. */
import type { ClientTool, ToolDefinition, ToolPolicy } from '../../src/run/tools/tool.js';
import { DEFAULT_TOOL_POLICY } from '../../src/run/tools/tool.js';

export const CLIENT_TOOLS: ClientTool[] = [
  { name: 'ask_shop', description: 'Asks the shop.', inputSchema: { type: 'object' } },
];

function tool(name: string, policy: Partial<ToolPolicy>): ToolDefinition {
  return {
    name,
    serverToolName: name,
    origin: name === 'read_result' ? { type: 'builtin' } : { type: 'mcp', server: 'files' },
    description: '',
    inputSchema: { type: 'object' },
    validation: name === 'list' ? 'delegate' : 'strict',
    policy: { ...DEFAULT_TOOL_POLICY, ...policy },
  };
}

const READS = { readOnly: true, idempotent: true, destructive: false, concurrent: true };

/** One of each sort that policies tell apart. */
export const TOOLS: readonly ToolDefinition[] & ToolDefinition[] = [
  tool('read', READS),
  tool('read_result', READS),
  tool('list', { ...READS, cache: 'none' }),
  { ...tool('put', { idempotent: true }), origin: { type: 'mcp', server: 'files', own: true } },
  tool('edit', { attempts: 5 }),
];

/** A workflow of the application. */
export const ORDER: ToolDefinition = {
  ...tool('order', {}),
  origin: { type: 'child_workflow', workflow: 'order' },
};
