import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChatRequest } from '../../packages/test-kit/index.js';
import type { Temporal } from '../../src/client/connection/connect.js';
import { readChildren } from '../../src/client/record/child-tree.js';
import { RunReader } from '../../src/client/record/run-reader.js';
import { takeBack } from '../../src/client/run/send.js';
import { watchRun } from '../../src/client/watch/watch-run.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  answerGateUpdate,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  setModelUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
} from '../../src/workflows/run/definitions.js';
import { writingSearch } from '../support/project.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { latch, openGateOf, receiptsOf } from '../support/steering.js';
import { until } from '../support/wait.js';

/** A role that hands its work to another. */
const handsOn = (name: string, memory: string, agent: string) =>
  `---\ndescription: Hands work on.\nmemory: ${memory}\ntools: [call_subagent]\nagents: [${agent}]\noutput: text\n---\nYou are the ${name}.\n{{businessContext}}\n`;

const config = {
  'steersman.yaml': 'models:\n  default: [openai/gpt-5-mini, openai/spare]\nsteering: note\n',
  ...writingSearch(),
  'prompts/core/chief.md': handsOn('chief', 'shared', 'middle'),
  'prompts/core/middle.md': handsOn('middle', 'private', 'search, middle'),
};
const rig = rigOfFile({ config });

const ask = (agent_name: string, instruction: string) => ({
  toolCalls: [{ name: 'call_subagent', arguments: { agent_name, instruction } }],
});
const WRITE = { toolCalls: [{ name: 'write_file', arguments: { path: 'boats.txt', content: 'three' } }] };

/** The chief asks the middle, which asks a search; each tells what it was told. */
function tree(search: (said: string) => object) {
  return ({ body }: ChatRequest) => {
    const said = JSON.stringify(body.messages);
    if (said.includes('search-agent')) return search(said);
    if (said.includes('Sailing boats it is.')) return { text: 'Sailing boats it is.' };
    return said.includes('You are the middle') ? ask('search', 'Count.') : ask('middle', 'Have it counted.');
  };
}

function temporal(): Temporal {
  const { client, address } = rig.env;
  return { client, address, namespace: 'default', local: null, close: async () => {} };
}

async function whoWasSeen(id: string): Promise<string[]> {
  const seen = new Set<string>();
  for await (const item of watchRun(new RunReader(temporal(), id), { pollMs: 50, live: false }))
    if (item.path !== undefined) seen.add(item.path);
  return [...seen];
}

test('a tree of agents: a message to a grandchild, and what it wants to do is asked at the top → it reads the one, does the other, and all is counted once (A1, A7, A11)', async () => {
  const script = rig.play(
    tree(said => {
      if (!said.includes('Sailing boats')) return { text: 'Never said.', delayMs: 600_000 };
      return said.includes('Successfully wrote') ? { text: 'Sailing boats it is.' } : WRITE;
    }),
  );
  const handle = await rig.start('Count the boats.', { mode: 'react', role: 'chief', attended: true });
  const seen = whoWasSeen(handle.workflowId);
  await script.arrived(2);
  const to = 'middle/1/search/1';
  await handle.signal(steerSignal, { id: 'u1', text: 'Sailing boats', to, when: 'interrupt' });
  const gate = await openGateOf(handle, 'approval');
  expect(gate.from).toEqual({ agent: to, run: `${handle.workflowId}/${to}` });
  expect(existsSync(join(rig.project.workspace, 'boats.txt'))).toBe(false);
  await handle.executeUpdate(answerGateUpdate, { args: [{ gateId: gate.id, decision: 'approve' }] });
  const result = (await handle.result()) as RunResult;
  expect(result).toMatchObject({ text: 'Sailing boats it is.' });
  expect(existsSync(join(rig.project.workspace, 'boats.txt'))).toBe(true);
  expect(result.usageBy.map(({ role }) => role).sort()).toEqual(['chief', 'middle', 'search']);
  const sum = result.usageBy.reduce((all, { inputTokens = 0 }) => all + inputTokens, 0);
  expect(result.usage.inputTokens).toBe(sum);
  expect(await receiptsOf(handle, 'u1')).toEqual(['accepted', 'applied']);
  const shown = await rig.env.client.workflow.getHandle(`${handle.workflowId}/${to}`).describe();
  expect(await shown.staticSummary()).toBe('search: Count.');
  expect(await shown.staticDetails()).toContain(
    `- sub-agent \`search/1\` of \`${handle.workflowId}/middle/1\`\n`,
  );
  expect(await seen).toEqual(expect.arrayContaining(['middle/1', to]));
});

test('a tree of agents: the run is stopped → so are its agents and theirs (A7)', async () => {
  const script = rig.play(tree(() => ({ text: 'Never said.', delayMs: 600_000 })));
  const handle = await rig.start('Count the boats.', { mode: 'react', role: 'chief' });
  await script.arrived(2);
  await handle.signal(stopSignal);
  expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
  const { children } = await handle.query(stateQuery);
  expect(await readChildren(new RunReader(temporal(), handle.workflowId), children)).toMatchObject([
    { id: 'middle/1', outcome: 'stopped', children: [{ id: 'search/1', outcome: 'stopped', children: [] }] },
  ]);
});

test('a tree of agents that hand over at every safe point: a pause at the last level, and a model, a budget, a message taken back and a resume at the first → all reach the last (A7, M4, S2)', async () => {
  const { until: released, open } = latch();
  const script = rig.play(
    tree(said =>
      said.includes('Successfully wrote')
        ? { text: 'Sailing boats it is.' }
        : { ...WRITE, hold: { until: released } },
    ),
  );
  const settings = { role: 'chief', autoApprove: true, continueAsNew: 'every-safe-point' } as const;
  const handle = await rig.start('Count the boats.', { mode: 'react', ...settings });
  await script.arrived(2);
  const to = 'middle/1/search/1';
  const search = rig.env.client.workflow.getHandle(`${handle.workflowId}/${to}`);
  await search.signal(pauseSignal);
  open();
  await until('it was handed over', async () => (await search.query(stateQuery)).internals.segment > 1);
  await until('it stands still', async () => (await handle.query(stateQuery)).pausedAgents.includes(to));
  const changed = await handle.executeUpdate(setBudgetUpdate, { args: [{ tokens: 500_000, turns: 12 }] });
  expect(changed).toEqual({ limits: ['tokens', 'turns'], agents: ['middle/1'] });
  await handle.executeUpdate(setModelUpdate, { args: [{ model: 'openai/spare', role: 'search' }] });
  await handle.signal(steerSignal, { id: 'u1', text: 'Rowing boats', to });
  await until('the message is there', async () => (await search.query(stateQuery)).inbox.length > 0);
  expect(await takeBack(temporal(), handle.workflowId, ['u1'])).toBe('Rowing boats');
  expect(await receiptsOf(handle, 'u1')).toEqual(['accepted', 'accepted', 'dropped']);
  await handle.signal(resumeSignal);
  expect(await handle.result()).toMatchObject({ outcome: 'answered', cause: 'direct_answer' });
  expect(script.requests.map(({ body }) => body.model)).toEqual([
    ...['gpt-5-mini', 'gpt-5-mini', 'gpt-5-mini'],
    ...['spare', 'gpt-5-mini', 'gpt-5-mini'],
  ]);
  expect(JSON.stringify(script.requests)).not.toContain('Rowing boats');
  const { limits } = await search.query(stateQuery);
  // A reply of the chief is counted, and one of the middle.
  expect(limits?.turns).toBe(10);
  expect(limits?.tokens).toBeLessThan(500_000);
});

test('a tree of agents: a key is refused at the last level → those above it do not call that model again (A1, M7)', async () => {
  const script = rig.play(request => {
    const isSearch = JSON.stringify(request.body.messages).includes('search-agent');
    if (isSearch && request.body.model === 'gpt-5-mini')
      return { error: { status: 401, message: 'No key.' } };
    return tree(() => ({ text: 'Sailing boats it is.' }))(request);
  });
  const handle = await rig.start('Count the boats.', { mode: 'react', role: 'chief' });
  expect(await handle.result()).toMatchObject({ text: 'Sailing boats it is.' });
  expect(script.requests.map(({ body }) => body.model)).toEqual([
    ...['gpt-5-mini', 'gpt-5-mini', 'gpt-5-mini'],
    ...['spare', 'spare', 'spare'],
  ]);
});

/** The chief hears of what was done below, and ends. */
const afterWrite = () =>
  tree(said => (said.includes('Successfully wrote') ? { text: 'Never said.', delayMs: 600_000 } : WRITE));

test('a tree of agents: a message interrupts it after a write of a grandchild → whoever called reads that it may stand, and what was done (A1, A7)', async () => {
  const script = rig.play(request =>
    JSON.stringify(request.body.messages).includes('Outcome unknown')
      ? { text: 'It is done.' }
      : afterWrite()(request),
  );
  const settings = { mode: 'react', role: 'chief', autoApprove: true } as const;
  const handle = await rig.start('Have the boats written.', settings);
  await script.arrived(3);
  await handle.signal(steerSignal, { id: 'u2', text: 'What is there now?', when: 'interrupt' });
  expect(await handle.result()).toMatchObject({ text: 'It is done.' });
  const told = JSON.stringify(script.requests.at(-1)?.body.messages);
  expect(told).toContain('do not have it done again');
  expect(told).toMatch(/- search\/1: write_file boats\.txt three: executed/);
});

test('a tree of agents: one is terminated after a write → its caller reads that nobody knows what it did (A1, A7)', async () => {
  const script = rig.play(request =>
    JSON.stringify(request.body.messages).includes('Outcome unknown')
      ? { text: 'I looked.' }
      : afterWrite()(request),
  );
  const settings = { mode: 'react', role: 'chief', autoApprove: true } as const;
  const handle = await rig.start('Have the boats written.', settings);
  await script.arrived(3);
  await rig.env.client.workflow.getHandle(`${handle.workflowId}/middle/1`).terminate();
  expect(await handle.result()).toMatchObject({ text: 'I looked.' });
  const told = JSON.stringify(script.requests.at(-1)?.body.messages);
  expect(told).toContain('the agent middle ended without a report on what it did');
});

test('an agent of an agent that would call one of its own → is told that there are none, and answers alone (A2)', async () => {
  const script = rig.play([
    ask('middle', 'Have it counted.'),
    ask('middle', 'Count.'),
    ask('search', 'Count for me.'),
    { text: 'Three.' },
    { text: 'Three, I hear.' },
    { text: 'Three boats.' },
  ]);
  const handle = await rig.start('Count the boats.', { mode: 'react', role: 'chief' });
  expect(await handle.result()).toMatchObject({ text: 'Three boats.' });
  const heard = JSON.stringify((await script.arrived(3)).body.messages);
  expect(heard).toContain('There is no agent search. The agents are: —.');
});
