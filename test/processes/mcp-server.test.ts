import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stopStack } from '../../packages/stack/local-stack.js';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import { type ScriptedModel, startScriptedModel } from '../support/endpoint/model.js';
import { isRunning } from '../support/processes.js';
import { makeProject, projectRoot, type TestProject } from '../support/project.js';
import { byRole, intent, roleOf, route } from '../support/steering.js';
import { until } from '../support/wait.js';

const STEER = 'Write it in capitals.';

let model: ScriptedModel;
let project: TestProject;
let home: string;
let release: () => void;
const clients: Client[] = [];

/** A client of the built command, as an editor starts it; `faults`: what it could not read. */
async function connect(cwd = project.workspace): Promise<{ client: Client; pid: number; faults: Error[] }> {
  const env = {
    PATH: process.env.PATH ?? '',
    TEMPORAL_CLI_PATH: process.env.TEMPORAL_CLI_PATH ?? '',
    STEERSMAN_HOME: home,
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'test-key',
  };
  const args = [join(projectRoot, 'dist', 'client.js'), 'mcp', '--config', project.configDir];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env,
    cwd,
    stderr: 'ignore',
  });
  const client = new Client({ name: 'test', version: '1' });
  const faults: Error[] = [];
  client.onerror = error => void faults.push(error);
  await client.connect(transport);
  clients.push(client);
  return { client, pid: transport.pid ?? 0, faults };
}

beforeAll(async () => {
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  const write = { name: 'write_file', arguments: { path: 'boats.txt', content: 'THREE BOATS' } };
  model = await startScriptedModel({
    reply: byRole({
      planner: [{ text: plan({ todos: ['Write boats.txt'] }) }],
      understanding: [intent('same_task_no_change')],
      router: [route('continue_execution')],
      executor: [
        {
          toolCalls: [{ name: 'list_directory', arguments: { path: '.' } }],
          hold: { until: held, atChunk: 'end' },
        },
        { toolCalls: [write] },
        { text: execution({ summary: 'boats.txt is written.', taskCompleted: true }) },
      ],
      verifier: [{ text: verdict({ summary: 'boats.txt says: THREE BOATS.' }) }],
    }),
  });
  project = makeProject();
  home = join(project.dir, 'home');
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await stopStack(home);
  await model.close();
  rmSync(project.dir, { recursive: true, force: true });
});

test('mcp: a run is started by one client, watched, steered, let write and read by another → as at a terminal', async () => {
  const first = await connect();
  // It starts the whole stack, which the client's own 60 s are not always enough for.
  const start = { name: 'start_run', arguments: { goal: 'A goal', id: 'boats' } };
  const started = await first.client.callTool(start, undefined, { timeout: 240_000 });
  expect(started).toMatchObject({ structuredContent: { id: 'boats', workspace: project.workspace } });
  await first.client.close();
  await until('its process has ended', () => !isRunning(first.pid));

  const { client, faults } = await connect();
  let written = () => {};
  const planned = new Promise<void>(resolve => {
    written = resolve;
  });
  const watch = (since: number) =>
    client.callTool({ name: 'watch_run', arguments: { id: 'boats', since, waitSeconds: 60 } }, undefined, {
      timeout: 240_000,
      onprogress: ({ message }) => {
        if (message?.startsWith('task task-1 started')) written();
      },
    });
  const watching = watch(0);
  await planned;
  const steered = await client.callTool({ name: 'steer_run', arguments: { id: 'boats', text: STEER } });
  expect(steered).toMatchObject({ structuredContent: { state: 'accepted' } });
  release();

  let { structuredContent: atGate } = await watching;
  // A call waits for a minute at most.
  while ((atGate as { phase: string }).phase !== 'waiting')
    ({ structuredContent: atGate } = await watch((atGate as { cursor: number }).cursor));
  expect(atGate).toMatchObject({ phase: 'waiting', gates: [{ title: 'Call write_file?' }] });
  const executor = model.requests.filter(request => roleOf(request) === 'executor');
  expect(JSON.stringify(executor.at(-1)?.body)).toContain(STEER);
  const file = join(project.workspace, 'boats.txt');
  expect(existsSync(file)).toBe(false);
  const { cursor, gates } = atGate as { cursor: number; gates: { id: string }[] };
  const answer = { id: 'boats', gateId: gates[0]?.id };
  const refused = await client.callTool({ name: 'answer_gate', arguments: { ...answer, decision: 'retry' } });
  expect(refused).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('approve, deny') }],
  });
  await client.callTool({ name: 'answer_gate', arguments: { ...answer, decision: 'approve' } });

  let { structuredContent: ended } = await watch(cursor);
  const { events } = ended as { events: { seq: number }[] };
  // Between the end of its goal and its own it waits for the store, as one that is kept open waits for its next goal.
  while ((ended as { phase: string }).phase === 'idle')
    ({ structuredContent: ended } = await watch((ended as { cursor: number }).cursor));
  expect(ended).toMatchObject({ ended: true, outcome: 'completed', gates: [] });
  expect(events[0]?.seq).toBeGreaterThan(cursor);
  expect(readFileSync(file, 'utf8')).toBe('THREE BOATS');
  const result = await client.callTool({ name: 'get_result', arguments: { id: 'boats' } });
  expect(result).toMatchObject({ structuredContent: { answer: 'boats.txt says: THREE BOATS.' } });
  const { structuredContent: listed } = await client.callTool({ name: 'list_runs', arguments: {} });
  expect(listed).toMatchObject({ runs: [{ id: 'boats', outcome: 'completed' }] });
  expect(faults).toEqual([]);

  // Another folder's agent.
  const { client: stranger } = await connect(project.configDir);
  expect(await stranger.callTool({ name: 'list_runs', arguments: {} })).toMatchObject({
    structuredContent: { runs: [] },
  });
  expect(await stranger.callTool({ name: 'get_result', arguments: { id: 'boats' } })).toMatchObject({
    isError: true,
  });
});
