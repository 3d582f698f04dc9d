import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChatRequest } from '../../packages/test-kit/index.js';
import type { Temporal } from '../../src/client/connection/connect.js';
import { readChildren } from '../../src/client/record/child-tree.js';
import { RunReader } from '../../src/client/record/run-reader.js';
import { watchRun } from '../../src/client/watch/watch-run.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  answerGateUpdate,
  answerSignal,
  stateQuery,
  steerSignal,
  stopSignal,
} from '../../src/workflows/run/definitions.js';
import { writingSearch } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import { openGateOf, receiptsOf } from '../support/steering.js';

const rig = rigOfFile({ config: writingSearch() });

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

test('lead: two agents one after the other, the worker goes in between → both texts, no finished call again, one sum, and who watches sees each (A1, A11)', async () => {
  const script = rig.play(nextOf);
  const handle = await rig.start('Count the boats.', { mode: 'lead', continueAsNew: 'every-safe-point' });
  const live = watched(handle.workflowId);
  await script.arrived(1);
  await rig.stopWorker();
  await rig.startWorker();
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ cause: 'direct_answer', text: 'Three boats, says the title.' });
  const [, search] = result.usageBy;
  expect(result.usageBy.map(({ role }) => role)).toEqual(['lead', 'search', 'crawl']);
  expect(result.usageBy[0]?.calls).toBe(3);
  expect(result.usageBy.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0)).toBe(
    result.usage.inputTokens,
  );
  const child = (await rig.env.client.workflow
    .getHandle(`${handle.workflowId}/search/1`)
    .result()) as RunResult;
  expect(child).toMatchObject({ mode: 'react', text: 'Three boats.', usageBy: [search] });
  const records = (await handle.query(stateQuery)).children;
  expect(await readChildren(new RunReader(temporal(), handle.workflowId), records)).toMatchObject([
    { id: 'search/1', cause: 'direct_answer', usage: child.usage, children: [] },
    { id: 'crawl/2' },
  ]);
  const seen = await live;
  expect(seen.filter(line => line !== '')).toEqual([
    'begins search/1',
    'search/1: Three boats.',
    'ends search/1',
    'begins crawl/2',
    'crawl/2: A title.',
    'ends crawl/2',
    'Three boats, says the title.',
  ]);
  expect(await watched(handle.workflowId)).toEqual(seen);
});

function temporal(): Temporal {
  const { client, address } = rig.env;
  return { client, address, namespace: 'default', local: null, close: async () => {} };
}

/** What the roles said, and whose words they are; a sub-agent stands between its begin and its end. */
async function watched(id: string): Promise<string[]> {
  const said: string[] = [];
  for await (const item of watchRun(new RunReader(temporal(), id), { pollMs: 50, live: false })) {
    const who = item.path === undefined ? '' : `${item.path}: `;
    if (item.type === 'model_call_ended') said.push(`${who}${item.text ?? ''}`);
    if (item.type === 'subagent_started') said.push(`${who}begins ${item.id}`);
    if (item.type === 'subagent_ended') said.push(`${who}ends ${item.id}`);
  }
  return said;
}

test('lead: its agent wants to write, and is sent what is far too large → asked at the lead, and what is said there is done (A7, ST4)', async () => {
  rig.play(({ body }: ChatRequest) => {
    const said = JSON.stringify(body.messages);
    if (!said.includes('search-agent'))
      return said.includes('It is written.') ? { text: 'Done.' } : ask('search', 'Write boats to a.txt.');
    return said.includes('a.txt (allowed)')
      ? { text: 'It is written.' }
      : { toolCalls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'boats' } }] };
  });
  const handle = await rig.start('List the boats.', {
    mode: 'lead',
    attended: true,
    continueAsNew: 'every-safe-point',
  });
  const gate = await openGateOf(handle, 'approval');
  const run = `${handle.workflowId}/search/1`;
  expect(gate.from).toEqual({ agent: 'search/1', run });
  // Told back, each would be too large for a signal: the agent could say nothing any more, and its caller would wait.
  const agent = rig.env.client.workflow.getHandle(run);
  await agent.signal(answerSignal, { gateId: 'a'.repeat(1_500_000), decision: 'approve' });
  await agent.signal(steerSignal, { id: 'm', text: 'a'.repeat(1_900_000) });
  const args = { path: 'a.txt (allowed)', content: 'three boats' };
  await handle.executeUpdate(answerGateUpdate, {
    args: [{ gateId: gate.id, decision: 'approve', arguments: args }],
  });
  expect(await handle.result()).toMatchObject({ text: 'Done.' });
  expect(readFileSync(join(rig.project.workspace, 'a.txt (allowed)'), 'utf8')).toBe('three boats');
  expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ gateId: gate.id, by: 'person' }]);
});

/** A search that lists the folder, and then thinks for a long time. */
function longSearch({ body }: ChatRequest) {
  const said = JSON.stringify(body.messages);
  if (!said.includes('search-agent'))
    return said.includes('Something else.') ? { text: 'Something else then.' } : ask('search', 'Look.');
  return body.messages.some(({ role }) => role === 'tool')
    ? { text: 'Never said.', delayMs: 600_000 }
    : { toolCalls: [{ name: 'list_directory', arguments: { path: '.' } }] };
}

function usageAddsUp({ usage, usageBy }: RunResult): void {
  const sum = usageBy.reduce((all, { inputTokens = 0 }) => all + inputTokens, 0);
  expect(usage.inputTokens).toBe(sum);
  const [search] = usageBy.filter(({ role }) => role === 'search');
  expect(search?.inputTokens).toBeGreaterThan(0);
}

test('lead: a message for its agent, then one that interrupts → the agent is cancelled, and what it used is counted (A7)', async () => {
  const script = rig.play(longSearch);
  const handle = await rig.start('Count the boats.', { mode: 'lead' });
  await script.arrived(2);
  await handle.signal(steerSignal, { id: 'u1', text: 'Sailing boats.', to: 'search', when: 'interrupt' });
  // Its call was cut off, and made again with the message.
  expect(JSON.stringify((await script.arrived(3)).body.messages)).toContain('Sailing boats.');
  await handle.signal(steerSignal, { id: 'u2', text: 'Something else.', when: 'interrupt' });
  const result = (await handle.result()) as RunResult;
  expect(result.text).toBe('Something else then.');
  expect(result.trace.steps[0]).toMatchObject({ ending: 'cancelled' });
  usageAddsUp(result);
  expect(await receiptsOf(handle, 'u1')).toEqual(['accepted', 'applied']);
});

test('lead: cancelled while an agent works, in a later part of its run → it ends after its agent, whose usage is counted', async () => {
  const script = rig.play(longSearch);
  const handle = await rig.start('Count the boats.', { mode: 'lead', continueAsNew: 'every-safe-point' });
  await script.arrived(2);
  await handle.cancel();
  await expect(handle.result()).rejects.toThrow();
  const { memo } = await handle.describe();
  const result = memo?.result as RunResult;
  expect(result).toMatchObject({ outcome: 'cancelled' });
  usageAddsUp(result);
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
  const child = (await rig.env.client.workflow
    .getHandle(`${handle.workflowId}/search/1`)
    .result()) as RunResult;
  expect(child).toMatchObject({ outcome: 'stopped' });
});
