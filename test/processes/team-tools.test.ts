import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execution, plan, verdict } from '../../packages/test-kit/role-outputs.js';
import { stateQuery } from '../../src/workflows/run/definitions.js';
import type { ScriptedReply, ScriptedToolCall } from '../support/endpoint/model.js';
import { type FakeMcp, fakeMcp } from '../support/fake-mcp-server.js';
import type { Rig } from '../support/rig.js';
import { sharedTemporal, startRig } from '../support/rig.js';
import { eventsOf, messagesOf, toolSteps, toolTexts, transcriptOf } from '../support/run-views.js';
import { until } from '../support/wait.js';

let env: TestWorkflowEnvironment;
let rig: Rig;
/** 100 KB of numbered lines of 20 bytes. */
const BIG = Array.from({ length: 5_000 }, (_, line) => `line ${String(line).padStart(14, '0')}`).join('\n');

beforeAll(async () => {
  env = await sharedTemporal();
  rig = await startRig({ env, workspace: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n', 'big.txt': BIG } });
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
});

const read = (path: string): ScriptedToolCall => ({ name: 'read_text_file', arguments: { path } });
const write = (path: string, content: string): ScriptedToolCall => ({
  name: 'write_file',
  arguments: { path, content },
});
const planned: ScriptedReply = { text: plan({ todos: ['Use the tools'] }) };
const ending: ScriptedReply[] = [
  { text: execution({ summary: 'The tools gave alpha.', taskCompleted: true }) },
  { text: verdict({ summary: 'It says alpha.' }) },
];
const inWorkspace = (name: string) => readFileSync(join(rig.project.workspace, name), 'utf8');

describe('limits of tool calls', () => {
  test('more calls in a reply than allowed → those over the limit are skipped with a result (L19, G7)', async () => {
    const script = rig.play([
      planned,
      { toolCalls: [read('a.txt'), read('b.txt'), read('big.txt')] },
      ...ending,
    ]);
    const { result } = await rig.run('Read', { limits: { toolCallsPerTurn: 2 } });
    expect(
      toolSteps(result)
        .map(step => step.ending)
        .slice(0, 3),
    ).toEqual(['executed', 'executed', 'skipped']);
    expect(toolTexts(script.requests[2])[2]).toContain('at most 2 tool calls of one reply');
  });

  test('bad arguments again and again → after the corrections the advice changes (T7)', async () => {
    const bad: ScriptedReply = { toolCalls: [{ name: 'read_text_file', arguments: { path: 1 } }] };
    const script = rig.play([planned, bad, bad, bad, ...ending]);
    const { result } = await rig.run('Read', { limits: { argumentCorrections: 2 } });
    const [first, second, third] = toolTexts(script.requests[4]);
    expect(first).toContain('Correct the arguments and call again');
    expect(second).toContain('Correct the arguments and call again');
    expect(third).toContain('called wrongly 3 times');
    expect(result.outcome).toBe('completed');
  });
});

describe('a plan of one task that begins in its own reply', () => {
  test('the calls that it gives → made at once as the executor, which is asked with their results (L9)', async () => {
    const begin = [
      { tool: 'read_text_file', arguments: { path: 'a.txt' } },
      { tool: 'write_file', arguments: { path: 'made.txt', content: 'new\n' } },
    ];
    const script = rig.play([{ text: plan({ todos: ['Use the tools'], begin }) }, ...ending]);
    const { result } = await rig.run('Read and write', { autoApprove: true });
    expect(result.outcome).toBe('completed');
    expect(script.requests).toHaveLength(3);
    expect(JSON.stringify(script.requests[0]?.body.messages)).toContain('may give its first calls');
    expect(toolTexts(script.requests[1])[0]).toContain('alpha');
    expect(inWorkspace('made.txt')).toBe('new\n');
    const steps = toolSteps(result);
    expect(steps.map(({ role, taskId, ending }) => [role, taskId, ending])).toEqual([
      ['executor', 'task-1', 'executed'],
      ['executor', 'task-1', 'executed'],
    ]);
  });
});

describe('tools that write', () => {
  test('without permission → denied, nothing is written, the model is told what to do (C23)', async () => {
    const script = rig.play([planned, { toolCalls: [write('a.txt', 'changed')] }, ...ending]);
    const { result } = await rig.run('Write');
    expect(toolSteps(result)[0]).toMatchObject({ ending: 'denied' });
    expect(toolTexts(script.requests[2])[0]).toMatch(
      /permission to run write_file was refused: .*Nobody can be asked.*go on without the call/s,
    );
    expect(inWorkspace('a.txt')).toBe('alpha\n');
  });

  test('with autoApprove → written, and what was read before is read anew (D5, D3)', async () => {
    const script = rig.play([
      planned,
      { toolCalls: [read('b.txt'), read('b.txt'), write('b.txt', 'new beta\n'), read('b.txt')] },
      ...ending,
    ]);
    const { result } = await rig.run('Write', { autoApprove: true });
    expect(inWorkspace('b.txt')).toBe('new beta\n');
    const endings = toolSteps(result)
      .map(step => step.ending)
      .slice(0, 4);
    expect(endings).toEqual(['executed', 'reused', 'executed', 'executed']);
    expect(toolTexts(script.requests[2])[3]).toContain('new beta');
  });

  test('large arguments → reach the tool whole and are in history once', async () => {
    // Its beginning is in summaries and previews, its end only where it is whole.
    const content = `${'long '.repeat(1_000)}and its end`;
    rig.play([planned, { toolCalls: [write('large.txt', content)] }, ...ending]);
    const { handle } = await rig.run('Write', { autoApprove: true });
    expect(inWorkspace('large.txt')).toBe(content);
    const { events } = await handle.fetchHistory();
    const holding = (events ?? []).filter(event => payloadsText(event).includes('and its end'));
    expect(holding).toHaveLength(1);
    expect(holding[0]?.activityTaskCompletedEventAttributes).toBeTruthy();
  });
});

describe('large texts', () => {
  test('a large tool result → head and tail with a reference, which read_result pages (T17)', async () => {
    let ref = '';
    const script = rig.play(request => {
      const answers = toolTexts(request);
      if (messagesOf(request, 'assistant').length === 0) return planned;
      if (answers.length === 0) return { toolCalls: [read('big.txt')] };
      if (answers.length === 1) {
        ref = /blob:[\w-]+\/[0-9a-f]{64}/.exec(answers[0] ?? '')?.[0] ?? '';
        return { toolCalls: [{ name: 'read_result', arguments: { ref, offset: 50_000, length: 40 } }] };
      }
      return ending[script.requests.length - 4] ?? { error: { status: 400 } };
    });
    const { result } = await rig.run('Read');
    const [shown = '', page = ''] = toolTexts(script.requests.at(-1));
    expect(shown.length).toBeLessThan(12_000);
    expect(shown).toContain(BIG.slice(0, 5_000));
    expect(shown).toContain(BIG.slice(-1_500));
    expect(ref).not.toBe('');
    expect(page).toContain(BIG.slice(50_000, 50_030));
    expect(
      toolSteps(result)
        .slice(0, 2)
        .map(step => step.ending),
    ).toEqual(['executed', 'executed']);
  });

  test('a goal of 100 KB → head and tail by reference; the executor can read the rest', async () => {
    const goal = `Sum up this log:\n${BIG}\nThat was the log.`;
    let page = '';
    const script = rig.play((request, index) => {
      if (index === 0) return planned;
      if (index === 1) {
        const ref =
          /ref (blob:\S+)/.exec(messagesOf(request, 'user')[0]?.content?.toString() ?? '')?.[1] ?? '';
        return { toolCalls: [{ name: 'read_result', arguments: { ref, offset: 50_000, length: 40 } }] };
      }
      if (index === 2) page = toolTexts(request).at(-1) ?? '';
      return ending[index - 2] ?? { error: { status: 400 } };
    });
    const { handle, result } = await rig.run(goal);
    expect(result.outcome).toBe('completed');
    const first = messagesOf(script.requests[0], 'user')[0]?.content?.toString() ?? '';
    expect(first.length).toBeLessThan(10_000);
    expect(first).toContain('Sum up this log');
    expect(first).toContain('That was the log.');
    expect(page).toContain(goal.slice(50_000, 50_030));
    expect((await handle.query(stateQuery)).goal.length).toBeLessThan(10_000);
  });

  test('a reply over 64 KB → kept by reference, in part in the conversation', async () => {
    const long = 'A very long word. '.repeat(5_000);
    rig.play([
      planned,
      { text: execution({ summary: long, taskCompleted: true }), chunkChars: 8_000 },
      ...ending,
    ]);
    const { handle } = await rig.run('Write much');
    const sizes = (await transcriptOf(handle)).map(message => JSON.stringify(message).length);
    expect(Math.max(...sizes)).toBeLessThan(66_000);
    expect(await eventsOf(handle, 'run_ended')).toHaveLength(1);
  });
});

describe('with a server named default', () => {
  let fake: FakeMcp;
  let own: Rig;
  beforeAll(async () => {
    fake = fakeMcp();
    const servers = { default: fake.stdioEntry({ FAKE_MCP_HIDDEN: 'append_line' }) };
    own = await startRig({ env, config: { '.mcp.json': JSON.stringify({ mcpServers: servers }) } });
  });
  afterAll(async () => {
    await own?.close();
    fake?.remove();
  });
  const append = (file: string): ScriptedReply => ({
    toolCalls: [{ name: 'append_line', arguments: { file, line: 'one' } }],
  });

  test('a tool that no server lists → asked of it; one that it does not know either → said so (T3)', async () => {
    const file = join(own.project.workspace, 'lines.txt');
    const script = own.play([
      planned,
      append(file),
      { toolCalls: [{ name: 'fly', arguments: {} }] },
      ...ending,
    ]);
    const { result } = await own.run('Append', { autoApprove: true });
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    expect(fake.effects('append_line')).toHaveLength(1);
    expect(toolSteps(result).map(step => [step.ending, step.error !== undefined])).toEqual([
      ['executed', false],
      ['unavailable', true],
    ]);
    expect(toolTexts(script.requests[3]).at(-1)).toContain('fly');
  });

  test('such a tool needs a person: nobody is there → denied', async () => {
    const before = fake.effects().length;
    own.play([planned, append(join(own.project.workspace, 'denied.txt')), ...ending]);
    const { result } = await own.run('Append');
    expect(toolSteps(result).map(step => step.ending)).toEqual(['denied']);
    expect(fake.effects()).toHaveLength(before);
  });

  test.each([
    [4, [4, 2]],
    [1, [1, 1, 1]],
  ])(
    'reads of one reply, parallelTools %i → so many are with the server at the same time, and no more; results in the order of the calls (C21, T12)',
    async (parallelTools, groups) => {
      const gates = groups.flatMap((size, group) =>
        Array.from({ length: size }, (_, nth) => `${parallelTools}-${group}-${nth}`),
      );
      const begun = () =>
        fake.events().filter(({ event, args }) => event === 'call' && gates.includes(String(args?.gate)));
      const script = own.play([
        planned,
        { toolCalls: gates.map(gate => ({ name: 'slow', arguments: { gate } })) },
        ...ending,
      ]);
      const handle = await own.start('Read', { limits: { parallelTools } });
      let ended = 0;
      for (const size of groups) {
        await until(`${size} more are with the server`, () => begun().length >= ended + size);
        // What one workflow task schedules is there in full before the first of it reaches the server.
        expect(await openToolCalls(handle)).toBe(size);
        expect(begun()).toHaveLength(ended + size);
        // The last first: results wait for their turn.
        for (const gate of gates.slice(ended, ended + size).reverse()) fake.openGate(gate);
        ended += size;
      }
      await handle.result();
      expect(toolTexts(script.requests[2])).toEqual(
        gates.map(gate => expect.stringContaining(`done: ${gate}`)),
      );
    },
  );
});

/** Tool calls that are scheduled or running. */
async function openToolCalls(handle: WorkflowHandle): Promise<number> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? []).filter(
    ({ activityType }) => activityType?.name === 'steersmanCallTool',
  ).length;
}

/** All payload data of an event, as text. */
function payloadsText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(payloadsText).join('\n');
}
