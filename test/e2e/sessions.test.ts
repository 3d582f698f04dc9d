/** Conversations in the store while a run works and after it, the starts of one, and a run that Temporal has forgotten. */
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { openFolder } from '../../packages/store/folder.js';
import { Sessions } from '../../src/client/here/sessions.js';
import { connect, type RunEvent } from '../../src/client/index.js';
import { finishSignal, stateQuery, stopSignal } from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, transcriptOf } from '../support/run-views.js';
import { latch, settingsYaml } from '../support/steering.js';
import { until, untilHeartbeat } from '../support/wait.js';

const rig = rigOfFile({
  config: { 'steersman.yaml': settingsYaml('steering: note') },
  workspace: { 'a.txt': 'The pool is 7 m long.' },
});
const home = () => join(rig.project.dir, 'home');
const clientOf = (client = rig.env.client) => connect({ temporal: { client }, home: home() });
const starts = () => {
  return { mode: 'react', workspace: rig.project.workspace, taskQueue: rig.taskQueue } as const;
};
const readA = { toolCalls: [{ name: 'read_text_file', arguments: { path: 'a.txt' } }] };

test('a conversation: a run is at work, then it ends → the store lists it from its start, then it has each message once (Z1)', async () => {
  const held = latch();
  rig.play((_request, index) =>
    index === 0 ? readA : { text: 'It is 7 m long.', hold: { until: held.until } },
  );
  const handle = await rig.start('How long is the pool?', { mode: 'react' });
  const { sessions } = openFolder(join(home(), 'store'));
  await until('the model is asked', () => rig.model.requests.length > 0);
  expect(await sessions.line(handle.workflowId)).toMatchObject({ title: 'How long is the pool?' });
  expect(await sessions.runs(handle.workflowId)).toMatchObject([{ ended: false, outcome: null }]);
  held.open();
  await handle.result();
  const [run] = await sessions.runs(handle.workflowId);
  const kept = run ? await sessions.read(run, { kind: 'message', limit: 99 }) : [];
  const ids = kept.flatMap(each => (each.kind === 'message' ? [each.message.id] : []));
  expect(ids).toEqual((await transcriptOf(handle)).map(({ id }) => id));
  expect(ids.length).toBeGreaterThan(2);
});

test.each(['answered', 'cancelled', 'failed'] as const)(
  'a run that ends as %s → the store has it open first, then its last event, and that nothing follows (Z4)',
  async outcome => {
    rig.play([outcome === 'failed' ? { error: { status: 401, message: 'Wrong key.' } } : { text: 'So.' }]);
    const keepOpenSeconds = outcome === 'cancelled' ? 600 : 0;
    const handle = await rig.start('How does it end?', { mode: 'react', keepOpenSeconds });
    if (outcome === 'cancelled') {
      await until('it is answered', async () => (await eventsOf(handle, 'goal_ended')).length > 0);
      const runs = () => openFolder(join(home(), 'store')).sessions.runs(handle.workflowId);
      await until('that is kept', async () => (await runs())[0]?.answer === 'So.');
      expect(await runs()).toMatchObject([{ outcome: 'answered', ended: false }]);
      await handle.cancel();
    }
    await handle.result().catch(() => {});
    const sessions = new Sessions(home());
    const [kept] = await sessions.show(handle.workflowId);
    expect(kept?.run).toMatchObject({ outcome, ended: true });
    const messages = (await sessions.export(handle.workflowId)).runs.flatMap(run => run.messages);
    const last = messages.flatMap(each => ('event' in each ? [each.event] : [])).at(-1);
    expect(last).toMatchObject({ type: 'run_ended', outcome });
  },
);

test('a stop in mid-reply → the store has the part of the reply that had come (Z6)', async () => {
  const hold = { until: new Promise<never>(() => undefined), atChunk: 'end' } as const;
  rig.play([{ text: 'The boats are Alba, ', chunkChars: 10, hold }]);
  const handle = await rig.start('Name the boats', { mode: 'react' });
  await untilHeartbeat(handle, 'Alba');
  await handle.signal(stopSignal);
  await handle.result();
  const [kept] = await new Sessions(home()).show(handle.workflowId);
  expect(kept?.run).toMatchObject({ outcome: 'stopped', ended: true });
  expect(kept?.transcript[0]?.messages.at(-1)).toMatchObject({
    stopReason: 'interrupted',
    content: [{ type: 'text', text: expect.stringContaining('Alba') }],
  });
});

test('a run at work, then one that Temporal has forgotten → shown as it stands, then from the store, with all its events from the first (C12, V7)', async () => {
  const held = latch();
  rig.play((_request, index) =>
    index === 0 ? readA : { text: 'It is 7 m long.', hold: { until: held.until } },
  );
  const handle = await rig.start('How long is the pool?', { mode: 'react' });
  const client = await clientOf();
  const run = await client.attach(handle.workflowId);
  await until('the tool was called', async () => (await run.show()).counters?.toolCalls === 1);
  expect(await run.show()).toMatchObject({ status: 'running', answer: null });
  held.open();
  await handle.result();
  const eventsFrom = async (from: typeof run) => {
    const told: RunEvent[] = [];
    for await (const event of from.events({ live: false })) told.push(event);
    return told.map(({ type }) => type);
  };
  const before = { events: await eventsFrom(run), transcript: await run.transcript() };
  await client.close();
  // Of this namespace every server has one, and there no run is known.
  const elsewhere = new Client({ connection: rig.env.connection, namespace: 'temporal-system' });
  const later = await clientOf(elsewhere);
  const forgotten = await later.attach(handle.workflowId);
  expect(await forgotten.show()).toMatchObject({ status: 'forgotten', answer: 'It is 7 m long.' });
  expect({ events: await eventsFrom(forgotten), transcript: await forgotten.transcript() }).toEqual(before);
  expect(before.events[0]).toBe('run_started');
  expect(before.events).toContain('run_ended');
  await later.close();
});

test('a start whose answer was lost, sent again under its request id → the run that the first began, also after its end (WB5)', async () => {
  const script = rig.play(() => ({ text: 'Done.' }));
  const client = await clientOf();
  const same = (more: object, requestId = 'request 1') =>
    client.start('Count.', { ...starts(), requestId, ...more });
  // Without a conversation, in one, and as the next goal of an open run of one.
  const [first, again] = await Promise.all([same({}), same({})]);
  expect(again.id).toBe(first.id);
  await first.result();
  expect((await same({})).id).toBe(first.id);
  const open = { session: 'lost', keepOpenSeconds: 600 };
  const [begun, repeated] = await Promise.all([same(open), same(open)]);
  expect([begun.id, repeated.id, begun.joined, repeated.joined]).toEqual(['lost', 'lost', false, false]);
  const joined = [await same(open, 'request 2'), await same(open, 'request 2')];
  expect(joined.map(run => run.joined)).toEqual([true, true]);
  await begun.finish();
  expect((await begun.result()).goals).toHaveLength(2);
  expect((await same(open)).id).toBe('lost');
  expect((await same(open, 'request 2')).id).toBe('lost');
  expect(script.requests).toHaveLength(3);
  await client.close();
});

test('two starts of one conversation at the same moment (Z5) → one run, and both goals in it, one after the other', async () => {
  rig.play([{ text: 'First.' }, { text: 'Second.' }]);
  const client = await clientOf();
  const options = { ...starts(), session: 'both', keepOpenSeconds: 600 };
  const started = await Promise.all(['One?', 'Two?'].map(goal => client.start(goal, options)));
  expect(started.map(({ id }) => id)).toEqual(['both', 'both']);
  expect(started.map(({ joined }) => joined).sort()).toEqual([false, true]);
  const handle = rig.env.client.workflow.getHandle('both');
  await until('both are answered', async () => (await handle.query(stateQuery)).goals.length === 2);
  const { goals } = await handle.query(stateQuery);
  expect(goals.map(({ text }) => text).sort()).toEqual(['One?', 'Two?']);
  // It would be pursued there, with what the first one allows.
  for (const other of [{ autoApprove: true }, { context: { tenant: 'ann' } }])
    await expect(client.start('Mine?', { ...options, ...other })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('was not queued in the run both'),
    });
  await handle.signal(finishSignal);
  await handle.result();

  // It has ended, and the store knows: the next one is another run.
  rig.play([{ text: 'Third.' }]);
  const next = await client.start('Three?', { ...starts(), session: 'both' });
  expect([next.id, next.joined, (await next.result())?.text]).toEqual(['both~2', false, 'Third.']);
  await client.close();
});
