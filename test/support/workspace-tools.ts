/** The workspace tools as a client of the protocol sees them, in a folder of their own. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import type { WorkspaceContext } from '../../packages/workspace-tools/files/context.js';
import { workspaceTools } from '../../packages/workspace-tools/tools.js';
import { serveCodeTools } from '../../src/mcp/tools/code-tools.js';

export interface Hands {
  workspace: string;
  client: Client;
  /** The text of a result; one that failed begins with `failed: `. */
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  put(path: string, content: string | Uint8Array): void;
  get(path: string): string;
}

export async function handsOn(given: Partial<WorkspaceContext> = {}): Promise<Hands> {
  const workspace = given.workspace ?? realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(await serveCodeTools(workspaceTools({ ...given, workspace }), workspace));
  return {
    workspace,
    client,
    async call(name, args = {}) {
      const answer = CallToolResultSchema.parse(await client.callTool({ name, arguments: args }));
      const text = answer.content
        .map(part => (part.type === 'text' ? part.text : `(${part.type})`))
        .join('\n');
      return answer.isError === true ? `failed: ${text}` : text;
    },
    put(path, content) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), content);
    },
    get: path => readFileSync(join(workspace, path), 'utf8'),
  };
}
