/** Which tools are ours: those of `steersman tools` by its entry, whatever other servers copy of them. */
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolsOf, workspaceTools } from '../../../packages/workspace-tools/index.js';
import { BUILT_IN_WORDS } from '../../../src/base/words/words.js';
import { parseMcpConfig } from '../../../src/mcp/connection/config.js';
import { McpPool } from '../../../src/mcp/connection/pool.js';
import { isOwnTools } from '../../../src/mcp/connection/resolve-server.js';
import { listRunTools } from '../../../src/mcp/tools.js';
import { approvalOf } from '../../../src/rules/gates/gate-text.js';
import { serverOf, workspaceToolOf } from '../../../src/run/tools/tool.js';
import { builtScript } from '../../../src/shared/process/package.js';

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

const dir = mkdtempSync(join(tmpdir(), 'steersman-own-'));
const CLI = builtScript('cli.js');
symlinkSync(CLI, join(dir, 'steersman'));
writeFileSync(join(dir, 'cli.js'), '');

test.each([
  ['steersman', ['tools', '.'], {}, true],
  ['npx', ['steersman', 'tools', '.'], {}, true],
  ['npx', ['-y', 'steersman', 'tools', '.', '--without', 'run'], {}, true],
  ['node', [CLI, 'tools', '.'], {}, true],
  ['node', ['./steersman', 'tools', '.'], {}, true],
  ['./steersman', ['tools', '.'], {}, true],
  // Another package, or another version.
  ['node', ['cli.js', 'tools', '.'], {}, false],
  ['node', ['nowhere/cli.js', 'tools', '.'], {}, false],
  ['npx', ['steersman@0.0.1', 'tools', '.'], {}, false],
  ['npx', ['-p', 'other', 'steersman', 'tools', '.'], {}, false],
  ['cli.js', ['tools', '.'], {}, false],
  // Another program runs first, in another place, or with other variables.
  ['node', ['--import', './hook.mjs', CLI, 'tools', '.'], {}, false],
  ['node', [CLI, 'mcp', 'tools'], {}, false],
  ['node', [CLI, 'tools', '.'], { cwd: '..' }, false],
  ['node', [CLI, 'tools', '.'], { env: { NODE_OPTIONS: '--import ./hook.mjs' } }, false],
] as const)('FC6 the entry %j %j %j is ours: %s', (command, args, rest, isOurs) => {
  const text = JSON.stringify({ mcpServers: { default: { command, args, ...rest } } });
  const { servers } = parseMcpConfig(text, '.mcp.json');
  expect(servers.map(server => isOwnTools(server, dir))).toEqual([isOurs]);
});

test('FC6 our tools by `npx` and by the path of our command → the worker serves them itself, with their arguments', async () => {
  const mcpServers = {
    a: { command: 'npx', args: ['steersman', 'tools', '.', '--without', 'run'] },
    b: { command: 'node', args: [CLI, 'tools', '.'] },
  };
  const config = { file: '.mcp.json', dir, ...parseMcpConfig(JSON.stringify({ mcpServers }), '.mcp.json') };
  const pool = new McpPool({ config, lookup: () => undefined, toolsHere: toolsOf() });
  const strangers = new McpPool({ config, lookup: () => undefined });
  try {
    const { tools } = await listRunTools(pool, dir);
    const ours = tools.map(tool => `${serverOf(tool)} ${workspaceToolOf(tool)}`);
    expect(ours).toEqual(expect.arrayContaining(['a edit', 'b edit', 'b run']));
    expect(ours).not.toContain('a run');
    expect(pool.status().map(({ pid }) => pid)).toEqual([undefined, undefined]);
    expect([pool.servesOwn, strangers.servesOwn]).toEqual([true, false]);
  } finally {
    await Promise.all([pool.close(), strangers.close()]);
  }
});
