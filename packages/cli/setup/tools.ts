/** `tools`: serves the workspace tools to any MCP client. A worker whose `.mcp.json` names this verb serves them itself. */

import { realpathSync } from 'node:fs';
import { userPath } from '@steersman/print';
import type { ToolChoice } from '@steersman/workspace-tools';
import type { Command } from 'commander';
import { SteersmanError } from 'steersman/client';
import { quietVerbCall } from 'steersman/shared';

export function addTools(program: Command): void {
  const list = (text: string, all: string[] = []) => [...all, text];
  program
    .command('tools')
    .description('Serve tools for the files of a folder to an MCP client, over stdin and stdout.')
    .argument('[folder]', 'what they read and change; nothing outside of it', '.')
    .option('--with <names>', 'tools that are off by default: fetch', list)
    .option('--without <names>', 'tools that are to be off, such as run,delete', list)
    .addHelpText('after', EXAMPLES)
    .action(serve);
}

const EXAMPLES = `
They are read, list, find, grep, edit, write, move, delete, compute, run and fetch.

Examples:
  ${quietVerbCall('tools')}
  ${quietVerbCall('tools ~/site --without run,delete')}`;

async function serve(folder: string, choice: ToolChoice): Promise<void> {
  const workspace = realOf(userPath(folder));
  // The import is lazy, so that other verbs do not load the protocol's SDK.
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { codeToolServer } = await import('steersman/mcp');
  const { workspaceTools } = await import('@steersman/workspace-tools');
  const server = codeToolServer(workspaceTools({ workspace }, choice), workspace, 'steersman');
  const gone = new Promise<void>(resolve => {
    process.stdin.once('end', resolve).once('close', resolve);
    // A write error means that the client has gone.
    process.stdout.once('error', () => resolve());
  });
  await server.connect(new StdioServerTransport());
  await gone;
  await server.close();
}

/** @throws SteersmanError if the path is not a folder. */
function realOf(path: string): string {
  try {
    return realpathSync(`${path}/.`);
  } catch {
    throw new SteersmanError(`${path} is not a folder.`, 'Name the folder that the tools are for.', 'usage');
  }
}
