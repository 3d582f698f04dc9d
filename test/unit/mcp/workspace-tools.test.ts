/** The workspace tools as a client of the protocol sees them. */
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { expect, test } from 'vitest';
import { serveCodeTools } from '../../../src/mcp/code-tools.js';
import { workspaceTools } from '../../../src/mcp/workspace/tools.js';

const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'workspace-')));

async function connected(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(await serveCodeTools(workspaceTools({ workspace }), workspace));
  return client;
}

test('write and read: over the protocol → what was written is read', async () => {
  const client = await connected();
  const written = await client.callTool({ name: 'write', arguments: { path: 'a/b.txt', content: 'one\n' } });
  expect(written.content).toEqual([{ type: 'text', text: 'a/b.txt: 4 bytes, 1 lines (new).' }]);
  const { content } = await client.callTool({ name: 'read', arguments: { path: 'a/b.txt' } });
  expect(content).toEqual([{ type: 'text', text: 'one\n' }]);
});
