import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  componentActionSignal,
  finishSignal,
  followUpSignal,
  joinUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  withdrawUpdate,
} from '../../src/workflows/run/definitions.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, inputTokensOf, messagesOf } from '../support/run-views.js';
import {
  accepted,
  byRole,
  content,
  latch,
  outline,
  planned,
  receiptsOf,
  reported,
  settingsYaml,
} from '../support/steering.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({ config: { 'steersman.yaml': settingsYaml('steering: note') } });

/** Answers every goal in four replies, the first executor call when told to. */
const endless = (first?: { until: Promise<void> }) =>
  byRole({
    planner: () => planned,
    executor: (_request, nth) => ({ ...reported(), ...(nth === 0 && first ? { hold: first } : {}) }),
    verifier: () => content,
    summary: () => ({ text: 'As far as it went.' }),
  });
const goalsOf = ({ goals }: RunResult) => goals.map(({ text, outcome, turns }) => [text, outcome, turns]);

test('follow-ups during a run → the next goals of the same run, in order, with counters of their own (S2, S3)', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First', { limits: { turns: 3 } });
  await asked.arrived(1);
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await handle.signal(followUpSignal, { id: 'f2', text: 'Third' });
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await accepted(handle, 'f2');
  hold.open();
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result)).toEqual([
    ['First', 'completed', 3],
    ['Second', 'completed', 3],
    ['Third', 'completed', 3],
  ]);
  expect(result).toMatchObject({ goal: 'Third', counters: { turns: 3, verification: 1 } });
  expect(result.usage.inputTokens).toBe(inputTokensOf(asked.requests));
  expect(await receiptsOf(handle, 'f1')).toEqual(['accepted', 'applied']);
  expect((await outline(handle)).filter(line => line.startsWith('goal'))).toEqual([
    'goal: First',
    'goal: Second',
    'goal: Third',
  ]);
  // The conversation goes on: the planner of the third goal has read the first.
  expect(JSON.stringify(messagesOf(asked.requests[6], 'user'))).toContain('First');
});

test('a message that waits → taken back with its text; one that was read, or never came, is refused', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First');
  await asked.arrived(1);
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await handle.signal(followUpSignal, { id: 'f2', text: 'Third' });
  await accepted(handle, 'f2');
  const withdraw = (id: string) => handle.executeUpdate(withdrawUpdate, { args: [{ id }] });
  expect(await withdraw('f2')).toEqual({ text: 'Third' });
  for (const id of ['f2', 'nothing'])
    await expect(withdraw(id)).rejects.toMatchObject({
      cause: { type: 'run.refused', message: expect.stringContaining(`No message ${id} waits`) },
    });
  hold.open();
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result).map(([text]) => text)).toEqual(['First', 'Second']);
  expect(await receiptsOf(handle, 'f2')).toEqual(['accepted', 'dropped']);
});

test('what a person chose of a component → read by the role at work as a message, with its data', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First');
  await asked.arrived(1);
  await handle.signal(componentActionSignal, {
    id: 'a1',
    action: 'openOrder',
    label: 'Open',
    data: { order: 'A-7' },
  });
  await accepted(handle, 'a1');
  hold.open();
  expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  expect(await receiptsOf(handle, 'a1')).toEqual(['accepted', 'applied']);
  expect(JSON.stringify(messagesOf(asked.requests[2], 'user'))).toContain('A-7');
});

test('a start that finds the run at work → its goal is the next one', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First');
  await asked.arrived(1);
  const input = { id: 'j1', text: 'Second' };
  expect(await handle.executeUpdate(joinUpdate, { args: [input] })).toEqual({ started: false });
  hold.open();
  expect(goalsOf((await handle.result()) as RunResult)).toEqual([
    ['First', 'completed', 3],
    ['Second', 'completed', 3],
  ]);
});

test('the turns of all goals together are used up → the goal at hand is wrapped up (S3)', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First', { limits: { totalTurns: 4 } });
  await asked.arrived(1);
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await accepted(handle, 'f1');
  hold.open();
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result)).toEqual([
    ['First', 'completed', 3],
    ['Second', 'budget_exhausted', 1],
  ]);
  expect(await eventsOf(handle, 'limit_reached')).toMatchObject([{ limit: 'totalTurns' }]);
});

test('keepOpenSeconds → the run waits for the next goal; finish ends it with the last answer', async () => {
  rig.play(endless());
  const handle = await rig.start('First', { keepOpenSeconds: 30 });
  await until('it waits', async () => (await handle.query(stateQuery)).phase === 'idle');
  await handle.signal(steerSignal, { id: 'm1', text: 'Second' });
  await until('it waits again', async () => {
    const { phase, goals } = await handle.query(stateQuery);
    return phase === 'idle' && goals.length === 2;
  });
  const [first] = await eventsOf(handle, 'receipt');
  expect(first?.how).toContain('It is the next goal.');
  await handle.signal(finishSignal);
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result).map(([text]) => text)).toEqual(['First', 'Second']);
  expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'queued', 'applied']);
});

test('keepOpenSeconds are over → the run ends by itself', async () => {
  rig.play(endless());
  const { result } = await rig.run('First', { keepOpenSeconds: 1 });
  expect(result).toMatchObject({ outcome: 'completed', goals: [{ text: 'First' }] });
});

test('finish during a goal → the goal is answered, follow-ups that wait too, then it ends', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First', { keepOpenSeconds: 30 });
  await asked.arrived(1);
  await handle.signal(finishSignal);
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await accepted(handle, 'f1');
  hold.open();
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result).map(([text]) => text)).toEqual(['First', 'Second']);
});

test('a follow-up and a stop in one moment while it is kept open → it ends, the sender is told (S5)', async () => {
  rig.play(endless());
  const handle = await rig.start('First', { keepOpenSeconds: 30 });
  await until('it waits', async () => (await handle.query(stateQuery)).phase === 'idle');
  // Without a worker both wait, and come to the next one in a single step.
  await rig.stopWorker();
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await handle.signal(stopSignal);
  await rig.startWorker();
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result).map(([text]) => text)).toEqual(['First']);
  expect(await receiptsOf(handle, 'f1')).toEqual(['accepted', 'dropped']);
});

test('a goal fails with follow-ups waiting → they are dropped with a reason', async () => {
  const hold = latch();
  const asked = rig.play(
    byRole({
      planner: [{ hold: { until: hold.until }, error: { status: 400, message: 'No.' } }],
    }),
  );
  const handle = await rig.start('First');
  await asked.arrived(0);
  await handle.signal(followUpSignal, { id: 'f1', text: 'Second' });
  await accepted(handle, 'f1');
  hold.open();
  await expect(handle.result()).rejects.toThrow();
  expect(await receiptsOf(handle, 'f1')).toEqual(['accepted', 'dropped']);
});

test('a follow-up to a closed run → refused to its sender', async () => {
  rig.play(endless());
  const { handle } = await rig.run('First');
  await expect(handle.signal(followUpSignal, { text: 'Second' })).rejects.toThrow(WorkflowNotFoundError);
});

test('follow-ups over continue-as-new at every safe point → each is one goal, in order (L20)', async () => {
  const hold = latch();
  const asked = rig.play(endless(hold));
  const handle = await rig.start('First', { continueAsNew: 'every-safe-point' });
  await asked.arrived(1);
  for (const id of ['f1', 'f2']) await handle.signal(followUpSignal, { id, text: `Goal ${id}` });
  hold.open();
  const result = (await handle.result()) as RunResult;
  expect(goalsOf(result).map(([text]) => text)).toEqual(['First', 'Goal f1', 'Goal f2']);
});
