/** The workspace tools in a run, served by its worker, and over stdio to any client. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, expect, test } from 'vitest';
import {
  pauseSignal,
  resumeSignal,
  stateQuery,
  steerSignal,
  stopSignal,
} from '../../src/workflows/run/definitions.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { processesNaming } from '../support/processes.js';
import { projectRoot, shippedServers } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { toolSteps, toolTexts, transcriptOf } from '../support/run-views.js';
import { answer, calls, openGateOf, settingsYaml } from '../support/steering.js';
import { until, untilHeartbeat } from '../support/wait.js';

const fake = fakeMcp();
// After the rig's own end.
afterAll(() => fake.remove());

const { mcpServers } = JSON.parse(shippedServers()['.mcp.json'] ?? '');
const rig = rigOfFile({
  workspace: { 'a.txt': 'alpha\nbeta\n', 'src/b.ts': 'const beta = 1;\n' },
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { ...mcpServers, fake: fake.stdioEntry() } }),
    'steersman.yaml': settingsYaml('steering: note'),
  },
});

test('a run: edit at a gate with its difference, approved → done in the worker, then read and searched', async () => {
  const edits = [{ oldText: 'beta', newText: 'gamma' }];
  const script = rig.play([
    calls({ name: 'edit', arguments: { path: 'a.txt', edits } }),
    calls(
      { name: 'read', arguments: { path: 'a.txt', numbers: true } },
      { name: 'grep', arguments: { pattern: 'beta|gamma' } },
    ),
    { text: 'It says gamma.' },
  ]);
  const handle = await rig.start('Say gamma', { mode: 'react', attended: true });
  const gate = await openGateOf(handle, 'approval');
  expect(gate.title).toContain('edit');
  expect(gate.body).toContain('-beta\n+gamma');
  await answer(handle, 'approval', { decision: 'approve' });
  const { outcome, text } = await handle.result();
  expect({ outcome, text }).toEqual({ outcome: 'answered', text: 'It says gamma.' });
  expect(readFileSync(join(rig.project.workspace, 'a.txt'), 'utf8')).toBe('alpha\ngamma\n');
  const [edited, read, found] = toolTexts(script.requests.at(-1));
  expect(edited).toContain('a.txt: one replacement. It now reads:\n1: alpha\n2: gamma');
  expect(read).toContain('1: alpha\n2: gamma');
  expect(found).toContain('a.txt:2: gamma\nsrc/b.ts:1: const beta = 1;');
  const offered = script.requests[0]?.toolNames;
  expect(offered).toEqual(expect.arrayContaining(['read', 'list', 'find', 'grep', 'edit', 'write']));
  expect(offered).not.toContain('read_result');
});

test('a large result of another server → read by its reference, of this run (T17)', async () => {
  const script = rig.play((request, index) => {
    if (index === 0) return calls({ name: 'fake__big', arguments: { kilobytes: 100 } });
    const [, path, offset] = /Read on in (\S+) at offset (\d+)\./.exec(toolTexts(request)[0] ?? '') ?? [];
    if (index > 1) return { text: 'Read.' };
    return calls({ name: 'read', arguments: { path, offset: Number(offset), limit: 200 } });
  });
  await rig.run('Read it', { mode: 'react', autoApprove: true });
  expect(toolTexts(script.requests.at(-1)).at(-1)).toMatch(
    /line \d+[\s\S]*\[Bytes \d+ to \d+ of 102399\. Go on/,
  );
});

test('the verb over stdio → the tools for a folder, and the process ends with its client', async () => {
  const { workspace } = rig.project;
  const args = [join(projectRoot, 'dist', 'cli.js'), 'tools', workspace, '--without', 'delete'];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('grep');
  expect(tools.map(({ name }) => name)).not.toContain('delete');
  const { content } = await client.callTool({ name: 'find', arguments: { pattern: '*.ts' } });
  expect(content).toEqual([{ type: 'text', text: 'src/b.ts' }]);
  await client.close();
  expect(transport.pid).toBeNull();
});

/** What a person may do while a command runs; `seconds`: nobody else sleeps so long. */
const STOPS = [
  {
    how: 'a stop',
    seconds: 311,
    by: (handle: WorkflowHandle) => handle.signal(stopSignal, { reason: 'enough' }),
  },
  {
    how: 'a message that interrupts',
    seconds: 312,
    by: (handle: WorkflowHandle) => handle.signal(steerSignal, { text: 'Leave it.', when: 'interrupt' }),
  },
  {
    how: 'a pause that interrupts',
    seconds: 313,
    by: async (handle: WorkflowHandle) => {
      await handle.signal(pauseSignal, { interrupt: true });
      await until('it is paused', async () => (await handle.query(stateQuery)).paused);
      await handle.signal(resumeSignal);
    },
  },
];

test.each(STOPS)(
  '$how during a command → its processes end, the rest of it never runs, and its output so far is its result (WK1)',
  async ({ seconds, by }) => {
    const late = `late-${seconds}.txt`;
    const script = rig.play([
      calls({ name: 'run', arguments: { command: `echo begun; sleep ${seconds}; echo late > ${late}` } }),
      { text: 'It was stopped.' },
    ]);
    const handle = await rig.start('Run it', { mode: 'react', autoApprove: true });
    await untilHeartbeat(handle, '6 bytes of output');
    expect(processesNaming(`sleep ${seconds}`)).not.toEqual([]);
    await by(handle);
    const result = await handle.result();
    expect(toolSteps(result).map(({ ending }) => ending)).toEqual(['outcome_unknown']);
    expect(processesNaming(`sleep ${seconds}`)).toEqual([]);
    expect(existsSync(join(rig.project.workspace, late))).toBe(false);
    expect(JSON.stringify(await transcriptOf(handle))).toMatch(
      /It was stopped before its end[^}]*cancelled after[^}]*begun/,
    );
    for (const request of script.requests.slice(1)) expect(toolTexts(request)[0]).toContain('begun');
  },
);

test.each([
  { how: 'cancelled', seconds: 314, by: (handle: WorkflowHandle) => handle.cancel() },
  { how: 'terminated', seconds: 315, by: (handle: WorkflowHandle) => handle.terminate() },
])('a run that is $how by the means of Temporal → its command ends (WK1)', async ({ seconds, by }) => {
  rig.play([calls({ name: 'run', arguments: { command: `echo begun; sleep ${seconds}` } })]);
  const handle = await rig.start('Run it', { mode: 'react', autoApprove: true });
  await untilHeartbeat(handle, '6 bytes of output');
  await by(handle);
  await expect(handle.result()).rejects.toThrow();
  await until('its processes are gone', () => processesNaming(`sleep ${seconds}`).length === 0);
});
