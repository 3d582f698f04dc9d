/** What a tool server asks of a model during a call, in a whole run: its words, its bounds, and whose account it is on. */
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { roleOf } from '../../src/testing/by-role.js';
import { execution, plan, verdict } from '../../src/testing/role-outputs.js';
import type { ChatRequest, ScriptedReply } from '../support/endpoint/model.js';
import { type FakeMcp, fakeMcp } from '../support/fake-mcp-server.js';
import { type Rig, startRig, startTemporal } from '../support/rig.js';
import { eventsOf, inputTokensOf, toolTexts } from '../support/run-views.js';

let env: TestWorkflowEnvironment;
let rig: Rig;
let fake: FakeMcp;

beforeAll(async () => {
  env = await startTemporal();
  fake = fakeMcp();
  const mcpServers = { asks: { ...fake.stdioEntry(), sampling: true }, silent: fake.stdioEntry() };
  rig = await startRig({ env, config: { '.mcp.json': JSON.stringify({ mcpServers }) } });
});
afterAll(async () => {
  await rig?.close();
  fake?.remove();
  await env?.teardown();
});

/** The request of a server has its own system text, and nothing of the run. */
const isSampled = ({ system }: ChatRequest) => system === 'Be brief.';

/** A run whose executor calls `tool` once, which asks for what a model says so many times. */
function play(tool: string, times: number, sampled: ScriptedReply) {
  const executor: ScriptedReply[] = [
    { toolCalls: [{ name: tool, arguments: { times } }] },
    { text: execution({ summary: 'The server has what it asked for.', taskCompleted: true }) },
  ];
  const own: Record<string, () => ScriptedReply | undefined> = {
    planner: () => ({ text: plan({ todos: ['Ask'] }) }),
    executor: () => executor.shift(),
    verifier: () => ({ text: verdict({ summary: 'It has.' }) }),
  };
  return rig.play(request =>
    isSampled(request) ? sampled : (own[roleOf(request)]?.() ?? { text: 'Here it ends.' }),
  );
}

const REPLY: ScriptedReply = { text: 'In a word.', usage: { inputTokens: 300, outputTokens: 20 } };

test('sampling: a server asks during its call → the model of the role, its own text alone; the usage is the role’s and the goal’s (T21)', async () => {
  const script = play('sample', 2, REPLY);
  const { result } = await rig.run('Ask');
  expect(result.outcome).toBe('completed');
  const sampled = script.requests.filter(isSampled);
  expect(sampled.map(({ body }) => body.messages.length)).toEqual([2, 2]);
  expect(toolTexts(script.requests.at(-1))[0]).toContain('["In a word.","In a word."]');
  const executor = result.usageBy.find(({ role }) => role === 'executor');
  // Two of its own, and what its tool call made.
  expect(executor?.calls).toBe(3);
  const own = script.requests.filter(request => !isSampled(request));
  expect(result.usage.inputTokens).toBe(inputTokensOf(own) + 600);
});

test('sampling: what it uses counts in the goal’s budget → the budget is used up, and further requests are refused (T21)', async () => {
  const script = play('sample', 3, { text: 'At length.', usage: { inputTokens: 300, outputTokens: 55_000 } });
  const { handle, result } = await rig.run('Ask', { limits: { tokens: 60_000 } });
  expect(script.requests.filter(isSampled)).toHaveLength(1);
  expect(result.outcome).toBe('budget_exhausted');
  expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'tokens' }]);
});

test('sampling: a server that .mcp.json does not let → nobody answers it, and no model is asked (T21)', async () => {
  const script = play('silent__sample', 1, REPLY);
  const { result } = await rig.run('Ask');
  expect(result.outcome).toBe('completed');
  expect(script.requests.filter(isSampled)).toEqual([]);
  expect(toolTexts(script.requests.at(-1))[0]).toContain('Method not found');
});
