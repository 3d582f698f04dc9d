/** Which tools are ours: those of `steersman tools` by its entry, whatever other servers copy of them. */
import { expect, test } from 'vitest';
import { toolsOf, workspaceTools } from '../../../packages/workspace-tools/index.js';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import { parseMcpConfig } from '../../../src/mcp/connection/config.js';
import { McpPool } from '../../../src/mcp/connection/pool.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import { approvalOf } from '../../../src/rules/gates/gate-text.js';

test('FC6 tools of the workspace and exact copies of them, at gates → ours are named by their act, copies are not', async () => {
  const workspace = process.cwd();
  const own = { command: 'steersman', args: ['tools', workspace] };
  const text = JSON.stringify({ mcpServers: { files: own } });
  const config = { file: '.mcp.json', dir: workspace, ...parseMcpConfig(text, '.mcp.json') };
  const codeTools = workspaceTools({ workspace });
  const pool = new McpPool({ config, lookup: () => undefined, toolsHere: toolsOf(), codeTools });
  try {
    const { tools } = await listRunTools(pool, workspace);
    const call = { callId: 'c1', input: {}, thought: '', concerns: [] };
    const named = tools.map(tool => approvalOf(BUILT_IN_WORDS.en, tool, call).subject);
    const acts = Object.fromEntries(named.map(({ tool, workspaceTool }) => [tool, workspaceTool]));
    expect(acts).toMatchObject({ files__edit: 'edit', files__write: 'write', files__run: 'run' });
    const copied = ['edit', 'write', 'run', 'delete', 'move', 'read_result'];
    expect(copied.map(name => [name, acts[name]])).toEqual(copied.map(name => [name, undefined]));
  } finally {
    await pool.close();
  }
});
