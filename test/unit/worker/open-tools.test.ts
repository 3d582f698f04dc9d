import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../src/mcp/tools/code-tools.js';
import { type OpenToolsOptions, openTools, type Tools } from '../../../src/worker/open-tools.js';

const WORKSPACE_TOOLS = { command: 'steersman', args: ['tools', process.cwd()] };

let workspace: string;
let opened: Tools[];

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), 'steersman-tools-')));
  await writeFile(join(workspace, 'a.txt'), 'tea');
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map(tools => tools.close()));
});

async function open(options: OpenToolsOptions = {}): Promise<Tools> {
  const own = { command: 'steersman', args: ['tools', workspace] };
  const tools = await openTools({ workspace, mcpServers: { workspace: own }, ...options });
  opened.push(tools);
  return tools;
}

test('tools outside a run: list → names with policies, and the state of each server (T24)', async () => {
  const missing = { command: '/nowhere/server' };
  const tools = await open({
    mcpServers: { workspace: WORKSPACE_TOOLS, missing },
    settings: { tools: { write: { attempts: 3 } } },
    tools: [defineTool({ name: 'now', description: 'd', readOnly: true, run: () => '12:00' })],
  });
  const listed = await tools.list();
  const names = listed.tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['read', 'write', 'now']));
  expect(listed.tools.find(({ name }) => name === 'write')?.policy.attempts).toBe(3);
  expect(listed.servers).toEqual([
    { server: 'workspace', status: 'connected' },
    { server: 'missing', status: 'failed', error: expect.stringContaining('missing') },
    { server: 'in-code', status: 'connected' },
  ]);
});

test('tools outside a run: a call that reads → runs, whole and with its value (T24)', async () => {
  const tools = await open({
    tools: [
      defineTool({
        name: 'find_order',
        description: 'd',
        input: z.object({ id: z.string() }),
        readOnly: true,
        run: ({ id }, { workspace: at, values }) => ({ id, at, by: values.user ?? '' }),
      }),
    ],
  });
  expect(await tools.call('read', { path: 'a.txt' })).toMatchObject({ ending: 'executed', isError: false });
  const found = await tools.call('find_order', { id: 'A1' }, { context: { user: 'mia' } });
  expect(found.ending).toBe('executed');
  expect(JSON.parse(found.text)).toEqual({ id: 'A1', at: workspace, by: 'mia' });
});

test('tools outside a run: permissions → deny holds, what asks asks `approve`, without one it is denied (T24)', async () => {
  const write = { path: 'b.txt', content: 'mint' };
  const tools = await open({ settings: { permissions: { deny: ['write(secret/**)'] } } });
  expect(await tools.call('write', write)).toMatchObject({ ending: 'denied', isError: true });
  const asked: string[] = [];
  const approve = ({ tool }: { tool: string }) => asked.push(tool) > 0;
  expect(await tools.call('write', write, { approve })).toMatchObject({ ending: 'executed' });
  expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('mint');
  const secret = await tools.call('write', { path: 'secret/b.txt', content: '' }, { approve });
  expect([secret.ending, secret.note]).toEqual(['denied', 'permissions.deny forbids this call of write.']);
  expect(asked).toEqual(['write']);
});

test('tools outside a run: wrong arguments, an unknown name, a folder that is not allowed → said, nothing runs (T24)', async () => {
  const tools = await open();
  expect((await tools.call('read', { path: 7 })).ending).toBe('invalid');
  await expect(tools.call('raed')).rejects.toThrow('There is no tool "raed".');
  await expect(open({ settings: { workspaces: ['/nowhere/else'] } })).rejects.toThrow();
});
