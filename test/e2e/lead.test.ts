import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChatRequest } from '../../src/testing/index.js';
import type { RunResult } from '../../src/workflows/messages.js';
import { stopSignal } from '../../src/workflows/messages.js';
import { type Rig, startRig, startTemporal } from '../support/rig.js';

let env: TestWorkflowEnvironment;
let rig: Rig;
beforeAll(async () => {
  env = await startTemporal();
  rig = await startRig({ env });
});
afterAll(async () => {
  await rig?.close();
  await env?.teardown();
});

const ask = (agent_name: string, instruction: string) => ({
  toolCalls: [{ name: 'call_subagent', arguments: { agent_name, instruction } }],
});

/** By what was said so far: a call that is lost with its worker is made again. */
function nextOf({ body }: ChatRequest) {
  const said = JSON.stringify(body.messages);
  if (said.includes('search-agent')) return { text: 'Three boats.' };
  if (said.includes('crawl-agent')) return { text: 'A title.' };
  if (said.includes('A title.')) return { text: 'Three boats, says the title.' };
  if (said.includes('Three boats.')) return ask('crawl', 'Read https://example.org/ and give its title.');
  return ask('search', 'Which boats are there?');
}

test('lead: two agents one after the other, the worker goes in between → both texts, no finished call again, one sum (A1)', async () => {
  const script = rig.play(nextOf);
  const handle = await rig.start('Count the boats.', { mode: 'lead', continueAsNew: 'every-safe-point' });
  await script.arrived(1);
  await rig.stopWorker();
  await rig.startWorker();
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ cause: 'direct_answer', answer: 'Three boats, says the title.' });
  const [, search] = result.usageBy;
  expect(result.usageBy.map(({ role }) => role)).toEqual(['lead', 'search', 'crawl']);
  expect(result.usageBy[0]?.calls).toBe(3);
  expect(result.usageBy.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0)).toBe(
    result.usage.inputTokens,
  );
  const child = (await env.client.workflow.getHandle(`${handle.workflowId}/search/1`).result()) as RunResult;
  expect(child).toMatchObject({ mode: 'react', answer: 'Three boats.', usageBy: [search] });
});

test('lead: stopped while an agent works → the agent is stopped too, and what it used is counted (A7)', async () => {
  const script = rig.play([
    ask('search', 'Which boats are there?'),
    { text: 'Never said.', delayMs: 600_000 },
  ]);
  const handle = await rig.start('Count the boats.', { mode: 'lead' });
  await script.arrived(1);
  await handle.signal(stopSignal);
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ outcome: 'stopped' });
  const child = (await env.client.workflow.getHandle(`${handle.workflowId}/search/1`).result()) as RunResult;
  expect(child).toMatchObject({ outcome: 'stopped' });
});
