/** Calls of the fake tool server's tools over the activity that runs make, outside of a run. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { toolsOf } from '../../packages/workspace-tools/index.js';
import type { CallToolDeps } from '../../src/activities/tools/call-tool.js';
import { createCallTool } from '../../src/activities/tools/call-tool.js';
import type { CallToolInput, CallToolResult } from '../../src/activities/types.js';
import { parseMcpConfig } from '../../src/mcp/connection/config.js';
import { McpPool } from '../../src/mcp/connection/pool.js';
import { McpSessions } from '../../src/mcp/connection/sessions.js';

/** A pool whose only server is `fake`, with this entry of `.mcp.json`. */
export function poolOf(entry: object): McpPool {
  const text = JSON.stringify({ mcpServers: { fake: entry } });
  const config = { file: '.mcp.json', dir: process.cwd(), ...parseMcpConfig(text, '.mcp.json') };
  return new McpPool({ config, lookup: () => undefined, toolsHere: toolsOf() });
}

export function activityEnvironment(
  info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {},
): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

/** Makes calls of a tool of `fake`, each in an environment of its own where none is given. */
export function toolCaller(
  pool: McpPool,
  tool: string,
  deps: Partial<CallToolDeps>,
): (input?: Partial<CallToolInput>, environment?: MockActivityEnvironment) => Promise<CallToolResult> {
  const unused = () => Promise.reject(new Error('not asked for'));
  const activity = createCallTool({
    pool,
    sessions: new McpSessions(pool),
    blobs: { put: unused, read: unused },
    readArguments: unused,
    openWorkspace: async path => path,
    deniedTools: async () => [],
    ...deps,
  });
  return (input = {}, environment = activityEnvironment()) =>
    environment.run<[CallToolInput], CallToolResult, typeof activity>(activity, {
      ...{ callId: 'c1', toolUseId: 't1', tool, serverToolName: tool, server: 'fake', arguments: {} },
      ...{ timeoutMs: 20_000, idempotent: true, workspace: '/w' },
      ...{ idempotencyKey: 'chain-1-t1', goal: 1, taskId: null, context: {} },
      ...input,
    });
}
