/** A run without a worker, and one that Temporal has forgotten: what is read of it comes from the store (FC4, O2, V7). */
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { connect, type RunEvent } from '../../src/client/index.js';
import { killWorkers } from '../support/processes.js';
import { startTemporal } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { settingsYaml } from '../support/steering.js';
import { until } from '../support/wait.js';

/** It writes artifacts, and asks another. */
const WRITER = `---
description: Writes.
output: text
tools: ['*_artifact', read_text_file, call_subagent]
agents: [search]
---
{{businessContext}}
`;
const rig = rigOfFile({
  config: { 'prompts/core/writer.md': WRITER, 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'The pool is 7 m long.' },
});
afterAll(killWorkers);

const told = ({ type, agent = '', path = '' }: RunEvent) => [type, agent, path].join(' ');

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

test('an open run without a worker → its events up to now; when a worker is back, the rest follows, each event once (FC4)', async () => {
  rig.play([{ text: 'It is 7 m long.' }, { text: 'It is 7 m deep.' }]);
  const client = await connect({ temporal: { client: rig.env.client }, home: join(rig.project.dir, 'home') });
  const { project, taskQueue } = rig;
  const run = await client.start('How long is the pool?', {
    ...{ workspace: project.workspace, taskQueue, mode: 'react', role: 'writer', keepOpenSeconds: 600 },
  });
  await until('the first goal is answered', async () => (await run.show()).phase === 'idle');
  await rig.stopWorker();
  const seen: number[] = [];
  let isBack = false;
  for await (const event of run.events({ live: false, pollMs: 50 })) {
    if ('seq' in event) seen.push(event.seq);
    if (isBack || event.type !== 'goal_ended') continue;
    isBack = true;
    expect(event.answer).toBe('It is 7 m long.');
    await run.followUp('How deep is it?', { waitForReceipt: false });
    await run.finish();
    await rig.startWorker();
  }
  expect(isBack).toBe(true);
  expect(seen).toEqual(seen.map((_, index) => index + 1));
  expect((await run.result()).text).toBe('It is 7 m deep.');
  await client.close();
});

test('its worker is gone, then its server is another → transcript, trace, events, state and result as before; what needs Temporal says that it is gone (FC4, O2, V7)', async () => {
  rig.play([
    {
      toolCalls: [{ name: 'create_artifact', arguments: { id: 'notes', type: 'markdown', content: '7 m' } }],
    },
    { text: 'It is short.' },
    { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] },
    { toolCalls: [{ name: 'call_subagent', arguments: { agent_name: 'search', instruction: 'Look.' } }] },
    { text: 'It says 7 m.' },
    { text: 'The pool is 7 m long.' },
  ]);
  const client = await connect({ temporal: { client: rig.env.client }, home: join(rig.project.dir, 'home') });
  const { project, taskQueue } = rig;
  const before = await client.start('Is the pool short?', {
    ...{ workspace: project.workspace, taskQueue, mode: 'react', role: 'writer', autoApprove: true },
    ...{ keepOpenSeconds: 600 },
  });
  await before.followUp('How long is the pool?');
  await before.finish();
  const result = await before.result();
  const known = {
    transcript: await before.transcript(),
    steps: (await before.trace()).steps,
    events: (await all(before.events({ live: false }))).map(told),
    text: (await all(before.textStream())).join(''),
    shown: await before.show(),
    artifact: await before.artifact('notes'),
    children: await before.children(),
  };
  expect([known.shown.goals.length, known.artifact.text, known.children.length]).toEqual([2, '7 m', 1]);
  await rig.stopWorker();
  expect((await all(before.events({ live: false }))).map(told)).toEqual(known.events);
  expect((await all(before.textStream())).join('')).toBe(known.text);
  expect(await before.transcript()).toEqual(known.transcript);
  expect((await before.trace()).steps).toEqual(known.steps);
  const { lastEventSeq, answer, goal } = known.shown;
  expect(await before.show()).toMatchObject({ answered: false, lastEventSeq, answer, goal });
  await client.close();
  // Another server, which never heard of it.
  const env = await startTemporal();
  const later = await connect({ temporal: { client: env.client }, home: join(rig.project.dir, 'home') });
  const run = await later.attach(before.id);
  expect(await run.transcript()).toEqual(known.transcript);
  expect((await run.trace()).steps).toEqual(known.steps);
  expect((await all(run.events())).map(told)).toEqual(known.events);
  expect((await all(run.textStream())).join('')).toBe(known.text);
  const { tasks, goals, usageBy, counters, artifacts } = known.shown;
  expect(await run.show()).toMatchObject({
    ...{ status: 'forgotten', phase: 'ended', outcome: 'answered', answer: 'The pool is 7 m long.' },
    ...{ goal: 'How long is the pool?', mode: 'react', answered: false },
    ...{ tasks, goals, usageBy, counters, artifacts },
  });
  expect(await run.artifact('notes')).toEqual(known.artifact);
  const { trace, ...rest } = result;
  const again = await run.result();
  expect(again).toMatchObject(rest);
  expect(again.trace.steps).toEqual(trace.steps);
  expect(await run.end()).toMatchObject({ status: 'forgotten', outcome: 'answered', failure: null });
  expect(await run.children()).toEqual(known.children);
  await expect(run.steer('Faster!')).rejects.toMatchObject({ code: 'not_found' });
  await expect(later.attach('nobody')).rejects.toMatchObject({ code: 'not_found' });
  await later.close();
  await env.teardown();
});
