/** `mcp`: offers runs as tools to any MCP client. */

import { portNumber, userPath } from '@steersman/print';
import type { Command } from 'commander';
import { connect } from 'steersman/client';
import { CONFIG_OPTION, checkConfigDir } from 'steersman/config';
import { env, errorLine, quietVerbCall } from 'steersman/shared';

const DEFAULT_PORT = 7_417;

interface McpOptions {
  http?: number | true;
  host: string;
  workspace?: string[];
  config?: string;
}

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('Serve the runs as tools to an MCP client: Claude Code, Cursor, VS Code and others.')
    .option(
      '--http [port]',
      `over streamable HTTP instead of stdin and stdout (default port: ${DEFAULT_PORT})`,
      portNumber,
    )
    .option(
      '--host <address>',
      'address of --http; another than this machine’s own needs STEERSMAN_MCP_TOKEN',
      '127.0.0.1',
    )
    .option(
      '--workspace <dir>',
      'folder that runs may work in or below, repeatable; the first is the default (default: the current folder)',
      (dir: string, dirs: string[] = []) => [...dirs, userPath(dir)],
    )
    .option('--config <dir>', CONFIG_OPTION)
    .addHelpText('after', EXAMPLES)
    .action(serve);
}

const EXAMPLES = `
It connects to Temporal, or starts the local stack, when the first tool is called. Runs go on when it ends.
STEERSMAN_MCP_TOKEN is the bearer token that clients of --http have to send, where it is set.

Examples:
  ${quietVerbCall('mcp')}
  ${quietVerbCall('mcp --workspace ~/site --workspace ~/notes')}
  ${quietVerbCall('mcp --http 7417')}`;

async function serve({ http, host, workspace = [userPath('.')], config }: McpOptions): Promise<void> {
  const configDir = config === undefined ? null : userPath(config);
  if (configDir !== null) await checkConfigDir(configDir);
  // The import is lazy, so that other verbs do not load the protocol's SDK.
  const { SharedClient } = await import('@steersman/mcp-server');
  const client = new SharedClient(() => connect({ report: errorLine }));
  const context = { client, workspaces: workspace, ...(configDir === null ? {} : { configDir }) };
  if (http === undefined) return (await import('@steersman/mcp-server')).serveStdio(context);
  const { serveHttp } = await import('@steersman/mcp-server');
  const served = await serveHttp(context, {
    host,
    port: http === true ? DEFAULT_PORT : http,
    token: env.mcpToken() ?? null,
  });
  errorLine(`MCP server at ${served.url}`);
  await served.closed;
}
