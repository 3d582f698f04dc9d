import { type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { wireText } from '../../packages/test-kit/model-server.js';
import { sendMessage, takeBack } from '../../src/client/run/send.js';
import { pauseSignal, resumeSignal, steerSignal, stopSignal } from '../../src/workflows/run/definitions.js';
import type { ScriptedToolCall } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { pairingFaults } from '../support/pairing.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, transcriptOf } from '../support/run-views.js';
import {
  accepted,
  byRole,
  calls,
  content,
  latch,
  never,
  outline,
  outlineOfTask,
  planned,
  receiptsOf,
  reported,
  settingsYaml,
} from '../support/steering.js';
import { until, untilHeartbeat } from '../support/wait.js';

let gate = '';
let count = 0;

const fake = fakeMcp();
// After the rig's own end.
afterAll(() => fake.remove());
const rig = rigOfFile({
  config: {
    '.mcp.json': JSON.stringify({ mcpServers: { fake: fake.stdioEntry() } }),
    // What comes between two calls of a reply is what is looked at here.
    'steersman.yaml': settingsYaml('steering: note', 'limits:', '  parallelTools: 1'),
  },
});
beforeEach(() => {
  count += 1;
  gate = `gate-${count}`;
});

const echo = (text: string): ScriptedToolCall => ({ name: 'echo', arguments: { text } });
const write = (line: string): ScriptedToolCall => ({
  name: 'append_line',
  arguments: { file: `${fake.dir}/${gate}.txt`, line },
});
const slow = (): ScriptedToolCall => ({ name: 'slow', arguments: { gate } });
const toolRuns = (tool = 'slow') =>
  until(`${tool} runs`, () =>
    fake
      .events()
      .some(({ event, tool: name, args }) => event === 'call' && name === tool && args?.gate === gate),
  );

describe('steer during a tool batch', () => {
  const script = () =>
    rig.play(byRole({ planner: [planned], executor: [calls(slow(), write('a'), echo('b')), reported()] }));

  test('skip → the running call ends, the change is skipped, the read runs, then the message, then the model (S1)', async () => {
    const asked = script();
    const handle = await rig.start('Use the tools', { autoApprove: true });
    await toolRuns();
    await handle.signal(steerSignal, { id: 'm1', text: 'Only the first is wanted.' });
    await accepted(handle, 'm1');
    fake.openGate(gate);
    await handle.result();
    expect(await outline(handle)).toEqual([
      'goal: Use the tools',
      'instruction',
      'assistant',
      'instruction',
      'assistant',
      'tool executed',
      'tool skipped',
      'tool executed',
      'steer: Only the first is wanted.',
      'assistant',
      'instruction',
      'assistant',
    ]);
    expect(await eventsOf(handle, 'steering')).toMatchObject([
      { ids: ['m1'], skippedTools: ['append_line'] },
    ]);
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'applied']);
    const [, applied] = (await eventsOf(handle, 'receipt')).filter(({ id }) => id === 'm1');
    expect(applied?.how).toBe('Applied as a note to executor, turn 3.');
    expect(pairingFaults(await transcriptOf(handle))).toEqual({ open: [], stray: [] });
    const request = await asked.arrived(2);
    const last = request.body.messages.slice(-4);
    expect(last.map(message => message.role)).toEqual(['tool', 'tool', 'tool', 'user']);
    expect(last.map(wireText)).toEqual([
      expect.stringContaining('done'),
      expect.stringContaining('a message of the user came first'),
      expect.not.stringContaining('a message of the user came first'),
      'Only the first is wanted.',
    ]);
  });

  test('after-batch → every call runs, then the message (S1)', async () => {
    script();
    const handle = await rig.start('Use the tools', { autoApprove: true });
    await toolRuns();
    await handle.signal(steerSignal, { id: 'm1', text: 'Then be brief.', when: 'after-batch' });
    await accepted(handle, 'm1');
    fake.openGate(gate);
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool executed',
      'tool executed',
      'tool executed',
      'steer: Then be brief.',
      'assistant',
    ]);
    expect(await eventsOf(handle, 'steering')).toEqual([]);
  });

  test('interrupt of a read-only tool → cancelled at once, its server told, the rest skipped (S1)', async () => {
    script();
    const handle = await rig.start('Use the tools', { autoApprove: true });
    await toolRuns();
    await handle.signal(steerSignal, { id: 'm1', text: 'Not that one.', when: 'interrupt' });
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool cancelled',
      'tool skipped',
      'tool skipped',
      'steer: Not that one.',
      'assistant',
    ]);
    const [cancelled] = (await transcriptOf(handle)).filter(message => message.kind === 'tool_result');
    expect(JSON.stringify(cancelled)).not.toContain('the run was stopped');
    await until('the server is told', () =>
      fake.events().some(({ event, args }) => event === 'cancelled' && args?.gate === gate),
    );
  });

  test('interrupt of a tool with effects → waited for, its result kept, the rest skipped (S1)', async () => {
    const file = `${fake.dir}/waited.txt`;
    const append = { name: 'append_slow', arguments: { file, line: 'one', gate } };
    rig.play(byRole({ planner: [planned], executor: [calls(append, echo('a')), reported()] }));
    const handle = await rig.start('Append', { autoApprove: true });
    await until('the effect is there', () => fake.effects('append_slow').length === 1);
    await handle.signal(steerSignal, { id: 'm1', text: 'Stop writing.', when: 'interrupt' });
    await accepted(handle, 'm1');
    const [receipt] = await eventsOf(handle, 'receipt');
    expect(receipt?.how).toContain('The tool call in progress ends first');
    fake.openGate(gate);
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool executed',
      'tool skipped',
      'steer: Stop writing.',
      'assistant',
    ]);
    expect(fake.effects('append_slow')).toHaveLength(1);
  });

  test('several at once → applied together, in order; the most urgent decides for the batch (S1)', async () => {
    script();
    const handle = await rig.start('Use the tools', { autoApprove: true });
    await toolRuns();
    await handle.signal(steerSignal, { id: 'm1', text: 'first', when: 'after-batch' });
    await handle.signal(steerSignal, { id: 'm2', text: 'second' });
    await handle.signal(steerSignal, { id: 'm3', text: 'third', when: 'after-batch' });
    await accepted(handle, 'm3');
    fake.openGate(gate);
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool executed',
      'tool skipped',
      'tool executed',
      'steer: first',
      'steer: second',
      'steer: third',
      'assistant',
    ]);
    expect(await eventsOf(handle, 'steering')).toMatchObject([{ ids: ['m1', 'm2', 'm3'] }]);
  });

  test('pause, steer, resume → nothing begins while it is paused, then the message is read (L10)', async () => {
    const asked = script();
    const handle = await rig.start('Use the tools', { autoApprove: true });
    await toolRuns();
    await handle.signal(pauseSignal, { reason: 'lunch' });
    await handle.signal(steerSignal, { id: 'm1', text: 'Only the first.' });
    await accepted(handle, 'm1');
    expect((await eventsOf(handle, 'receipt'))[0]?.how).toContain('nothing happens before it is resumed');
    fake.openGate(gate);
    await until('the call has ended', async () => (await eventsOf(handle, 'tool_call_ended')).length === 1);
    expect(asked.requests).toHaveLength(2);
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted']);
    await handle.signal(resumeSignal);
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool executed',
      'tool skipped',
      'tool executed',
      'steer: Only the first.',
      'assistant',
    ]);
  });
});

describe('steer during a model call', () => {
  const cut = {
    text: 'I will begin with the boats and ',
    chunkChars: 8,
    hold: { until: never, atChunk: 'end' as const },
  };

  test('interrupt → the call is cut off, its text kept and marked, then the message (S3, L10)', async () => {
    const asked = rig.play(byRole({ planner: [planned], executor: [cut, reported()] }));
    const handle = await rig.start('Name the boats');
    await untilHeartbeat(handle, 'boats');
    await handle.signal(steerSignal, { id: 'm1', text: 'Only red ones.', when: 'interrupt' });
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant interrupted',
      'steer: Only red ones.',
      'assistant',
    ]);
    const texts = (await asked.arrived(2)).body.messages.slice(-2).map(wireText);
    expect(texts).toEqual([expect.stringContaining('I will begin'), 'Only red ones.']);
    expect((await eventsOf(handle, 'receipt'))[0]?.how).toContain('is cut off, unless it ends first');
    await until('the endpoint sees the end', async () => (await asked.arrived(1)).gone.aborted);
  });

  test('skip → the call ends whole, its tool calls are skipped, then the message (S3)', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({
        planner: [planned],
        executor: [{ ...calls(write('a'), write('b')), hold: { until: hold.until } }, reported()],
      }),
    );
    const handle = await rig.start('Use the tools');
    await asked.arrived(1);
    await handle.signal(steerSignal, { id: 'm1', text: 'No tools.' });
    await accepted(handle, 'm1');
    hold.open();
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool skipped',
      'tool skipped',
      'steer: No tools.',
      'assistant',
    ]);
  });

  test('to a role that is not at work → it waits for that role and disturbs nobody', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({
        planner: [planned],
        executor: [{ ...calls(echo('a')), hold: { until: hold.until } }, reported()],
      }),
    );
    const handle = await rig.start('Use the tools');
    await asked.arrived(1);
    await handle.signal(steerSignal, { id: 'm1', text: 'Be strict.', to: 'verifier', when: 'interrupt' });
    await accepted(handle, 'm1');
    hold.open();
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool executed',
      'assistant',
      'steer: Be strict.',
    ]);
  });
});

describe('messages that are repeated or wrong', () => {
  test('the same id again → nothing happens, not even a receipt', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({ planner: [planned], executor: [{ ...reported('First.'), hold: { until: hold.until } }] }),
    );
    const handle = await rig.start('Do it');
    await asked.arrived(1);
    for (let i = 0; i < 3; i++) await handle.signal(steerSignal, { id: 'm1', text: 'Once.' });
    await accepted(handle, 'm1');
    hold.open();
    await handle.result();
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'applied']);
    expect((await outline(handle)).filter(line => line === 'steer: Once.')).toHaveLength(1);
  });

  test('not a message, empty, a wrong when, an unknown role, 100 KB → ignored, each with its reason; the run goes on', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({ planner: [planned], executor: [{ ...reported('First.'), hold: { until: hold.until } }] }),
    );
    const handle = await rig.start('Do it');
    await asked.arrived(1);
    const bad: unknown[] = [
      42,
      null,
      ['text'],
      { id: 'empty', text: '  ' },
      { id: 'when', text: 'x', when: 'now' },
      { id: 'to', text: 'x', to: 'nobody' },
      { id: 'long', text: 'x'.repeat(100_000) },
      { id: '', text: 'x' },
    ];
    for (const message of bad) await handle.signal('steer', message);
    await handle.signal('steer');
    await until(
      'all are ignored',
      async () => (await eventsOf(handle, 'signal_ignored')).length === bad.length + 1,
    );
    expect((await eventsOf(handle, 'signal_ignored')).map(({ signal }) => signal)).toEqual(
      Array.from({ length: bad.length + 1 }, () => 'steer'),
    );
    for (const id of ['empty', 'when', 'to', 'long'])
      expect(await receiptsOf(handle, id)).toEqual(['dropped']);
    hold.open();
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual([]);
  });

  test('plain JSON without an id, and a plain text, as the Web UI sends them → taken, under ids of their own', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({ planner: [planned], executor: [{ ...reported('First.'), hold: { until: hold.until } }] }),
    );
    const handle = await rig.start('Do it');
    await asked.arrived(1);
    await handle.signal('steer', { text: 'From the page.' });
    await handle.signal('steer', 'Only text.');
    await until('both are accepted', async () => (await eventsOf(handle, 'receipt')).length === 2);
    hold.open();
    await handle.result();
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual([
      'steer: From the page.',
      'steer: Only text.',
    ]);
    const receipts = await eventsOf(handle, 'receipt');
    expect(receipts.map(({ state }) => state)).toEqual(['accepted', 'accepted', 'applied', 'applied']);
    expect(new Set(receipts.map(({ id }) => id)).size).toBe(2);
  });
});

describe('races', () => {
  test('steering between the last look and completion → it becomes the next goal, said so (S3)', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({
        planner: [planned, planned],
        executor: [reported(), reported('Again, in red.')],
        verifier: [{ ...content, hold: { until: hold.until } }, content],
      }),
    );
    const handle = await rig.start('Do it');
    await asked.arrived(2);
    await handle.signal(steerSignal, { id: 'm1', text: 'And in red.' });
    await accepted(handle, 'm1');
    hold.open();
    const result = await handle.result();
    expect(result).toMatchObject({
      goal: 'And in red.',
      goals: [{ text: 'Do it' }, { text: 'And in red.' }],
    });
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'queued', 'applied']);
    expect((await outline(handle)).filter(line => line.startsWith('goal'))).toEqual([
      'goal: Do it',
      'goal: And in red.',
    ]);
  });

  test('steering when the run is being stopped → dropped, and the sender is told so', async () => {
    const file = `${fake.dir}/stopping.txt`;
    const append = { name: 'append_slow', arguments: { file, line: 'stop', gate } };
    rig.play(byRole({ planner: [planned], executor: [calls(append)] }));
    const handle = await rig.start('Append', { autoApprove: true });
    await until('the effect is there', () =>
      fake.effects('append_slow').some(({ args }) => args?.gate === gate),
    );
    await handle.signal(stopSignal);
    await handle.signal(steerSignal, { id: 'late', text: 'Wait!' });
    await accepted(handle, 'late');
    fake.openGate(gate);
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
    expect(await receiptsOf(handle, 'late')).toEqual(['accepted', 'dropped']);
    expect((await eventsOf(handle, 'receipt'))[0]?.how).toContain('this message will not be read');
  });

  test('a signal to a run that has ended → refused to its sender', async () => {
    rig.play(byRole({ planner: [planned], executor: [reported()] }));
    const { handle } = await rig.run('Do it');
    await expect(handle.signal(steerSignal, { id: 'm1', text: 'Too late' })).rejects.toThrow(
      WorkflowNotFoundError,
    );
  });

  test('a stream of steers over continue-as-new at every safe point → none lost, none doubled, in order (L20)', async () => {
    let said = 0;
    let sending = Promise.resolve();
    const run: { handle?: WorkflowHandle } = {};
    const script = byRole({
      planner: [planned],
      executor: (_request, nth) => (nth < 3 ? calls(echo(`round ${nth}`), echo(`again ${nth}`)) : reported()),
    });
    rig.play((request, index) => {
      // Not waited for: they arrive in whatever part is open then.
      for (let i = 0; i < 3 && index < 4; i++) {
        said += 1;
        const message = { id: `m${said}`, text: `s${said}`, when: 'after-batch' as const };
        sending = sending.then(() => run.handle?.signal(steerSignal, message));
      }
      return script(request, index);
    });
    run.handle = await rig.start('Use the tools', { continueAsNew: 'every-safe-point' });
    const { handle } = run;
    await handle.result();
    await sending;
    const steers = (await outline(handle)).filter(line => line.startsWith('steer: '));
    expect(steers).toEqual(Array.from({ length: 12 }, (_, index) => `steer: s${index + 1}`));
    const applied = (await eventsOf(handle, 'receipt')).filter(({ state }) => state === 'applied');
    expect(applied.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => `m${index + 1}`));
    expect((await eventsOf(handle, 'continued_as_new')).length).toBeGreaterThan(6);
    expect(pairingFaults(await transcriptOf(handle))).toEqual({ open: [], stray: [] });
  });
});

test('WK18: a message under the id of one that was taken back → told as dropped, not by the receipt of the first', async () => {
  rig.play(byRole({ planner: [planned], executor: [calls(slow()), reported()] }));
  const handle = await rig.start('Use the tools', { autoApprove: true });
  await toolRuns();
  const { client, address } = rig.env;
  const temporal = { client, address, namespace: 'default', local: null, close: async () => {} };
  const closing = new AbortController().signal;
  const scope = { temporal, kept: null, project: null, report: () => {}, closing };
  const send = (text: string) =>
    sendMessage(scope, handle.workflowId, { as: steerSignal, input: { text } }, { id: 'm1' });
  expect((await send('Only the first.')).state).toBe('accepted');
  expect(await takeBack(temporal, handle.workflowId, ['m1'])).toBe('Only the first.');
  expect(await send('All of them.')).toMatchObject({
    state: 'dropped',
    how: expect.stringContaining('taken back'),
  });
  fake.openGate(gate);
  await handle.result();
});
