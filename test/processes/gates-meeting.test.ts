/** Gates and changes of a run that meet each other, and gates of budgets and failures. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  editPlanUpdate,
  pauseSignal,
  resumeSignal,
  setBudgetUpdate,
  steerSignal,
  stopSignal,
} from '../../src/workflows/run/definitions.js';
import type { ScriptedToolCall } from '../support/endpoint/model.js';
import { answerGate, endings, gatesClosed, read, refusal, write } from '../support/gates.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf } from '../support/run-views.js';
import {
  accepted,
  answer,
  byRole,
  calls,
  content,
  latch,
  openGateOf,
  planned,
  reported,
  settingsYaml,
} from '../support/steering.js';
import { until } from '../support/wait.js';

const attended = { attended: true };

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const workspace = { command: 'steersman', args: ['tools', '${workspace}'] };

/** A call of our own tool: such calls of one reply are asked about at one gate. */
const put = (path: string, text: string): ScriptedToolCall => ({
  name: 'workspace__write',
  arguments: { path, content: text },
});

const rig = rigOfFile({
  workspace: { 'a.txt': 'alpha\n' },
  config: {
    'steersman.yaml': settingsYaml(
      '  roles: { verifier: openai/gpt-5 }',
      'steering: note',
      'gates: { onBudget: ask }',
    ),
    '.mcp.json': JSON.stringify({ mcpServers: { filesystem, workspace } }),
  },
});

const inWorkspace = (name: string) => readFileSync(join(rig.project.workspace, name), 'utf8');

describe('races at a gate', () => {
  test('two answers at once → one is taken, the other refused', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('race.txt', '1')), reported()] }));
    const handle = await rig.start('Write', attended);
    const { id: gateId } = await openGateOf(handle, 'approval');
    const both = await Promise.all([
      refusal(answerGate(handle, { gateId, decision: 'approve' })),
      refusal(answerGate(handle, { gateId, decision: 'deny' })),
    ]);
    expect(both.filter(said => said === undefined)).toHaveLength(1);
    expect(both.find(said => said !== undefined)).toContain('is closed: it has its answer already');
    const taken = both[0] === undefined ? 'executed' : 'denied';
    expect(endings((await handle.result()) as RunResult)).toEqual([taken]);
  });

  test('pause during a gate → the answer is kept, and acted on when the run is resumed (S5)', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('paused.txt', '1')), reported()] }));
    const handle = await rig.start('Write', attended);
    await openGateOf(handle, 'approval');
    await handle.signal(pauseSignal);
    await answer(handle, 'approval', { decision: 'approve' });
    // A message is handled after the answer: by then a call that was not held would have begun.
    await handle.signal(steerSignal, { id: 'later', text: 'Go on.', when: 'after-batch' });
    await accepted(handle, 'later');
    expect(await eventsOf(handle, 'tool_call_started')).toEqual([]);
    await handle.signal(resumeSignal);
    expect(endings((await handle.result()) as RunResult)).toEqual(['executed']);
  });

  test('stop and an answer while paused → the stop wins, nothing runs', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('stopped.txt', '1'))] }));
    const handle = await rig.start('Write', attended);
    await openGateOf(handle, 'approval');
    await handle.signal(pauseSignal);
    await answer(handle, 'approval', { decision: 'approve' });
    await handle.signal(stopSignal);
    const result = (await handle.result()) as RunResult;
    expect([result.outcome, endings(result)]).toEqual(['stopped', ['cancelled']]);
    expect(() => inWorkspace('stopped.txt')).toThrow();
  });

  test('the worker is replaced while a run waits → the gate is still there, its answer is taken (S6)', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('moved.txt', '1')), reported()] }));
    const handle = await rig.start('Write', attended);
    const { id: gateId } = await openGateOf(handle, 'approval');
    await rig.stopWorker();
    await rig.startWorker();
    expect((await openGateOf(handle, 'approval')).id).toBe(gateId);
    await answer(handle, 'approval', { decision: 'approve' });
    expect(endings((await handle.result()) as RunResult)).toEqual(['executed']);
    expect(inWorkspace('moved.txt')).toBe('1');
  });

  test('continue-as-new at every safe point → each gate is asked once, each answer is acted on once (L20)', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(put('n1.txt', '1'), put('n2.txt', '2')), calls(write('n3.txt', '3')), reported()],
      }),
    );
    const handle = await rig.start('Write', {
      attended: true,
      approvePlan: true,
      continueAsNew: 'every-safe-point',
    });
    await answer(handle, 'plan', { decision: 'approve' });
    const first = await answer(handle, 'approval', { decision: 'approve', except: { 2: 'not that one' } });
    await until('the other gate', async () => (await openGateOf(handle, 'approval')).id !== first);
    await answer(handle, 'approval', { decision: 'deny' });
    expect(endings((await handle.result()) as RunResult)).toEqual(['executed', 'denied', 'denied']);
    expect(await eventsOf(handle, 'gate_opened')).toHaveLength(3);
  });
});

describe('budget and failure gates', () => {
  test('a budget is used up → raised, it goes on; then wrap_up ends it', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(read('a.txt')), calls(read('a.txt')), calls(read('a.txt'))],
        summary: [{ text: 'As far as it went.' }],
      }),
    );
    const handle = await rig.start('Read', { attended: true, limits: { turns: 2 } });
    expect(await openGateOf(handle, 'budget')).toMatchObject({
      subject: { budget: 'turns', limit: 2, used: 2 },
    });
    const { id: gateId } = await openGateOf(handle, 'budget');
    expect(await refusal(answerGate(handle, { gateId, decision: 'raise', to: 2 }))).toContain('above 2');
    await answerGate(handle, { gateId, decision: 'raise', to: 4 });
    await until('it asks again', async () => (await openGateOf(handle, 'budget')).id !== gateId);
    await answer(handle, 'budget', { decision: 'wrap_up' });
    expect(await handle.result()).toMatchObject({ outcome: 'unverified', text: 'As far as it went.' });
  });

  test('a budget that is raised by setBudget → its gate closes, and the run goes on', async () => {
    rig.play(byRole({ planner: [planned], executor: [reported()], verifier: [content] }));
    const handle = await rig.start('Read', { attended: true, limits: { turns: 2 } });
    await openGateOf(handle, 'budget');
    await handle.executeUpdate(setBudgetUpdate, { args: [{ turns: 9 }] });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ kind: 'budget', by: 'superseded' }]);
  });

  test('a model fails for good → retry asks again, stop ends it as failed', async () => {
    const refused = { error: { status: 400, message: 'Not this way.' } };
    const asked = rig.play(byRole({ planner: [refused, refused, refused, refused] }));
    const handle = await rig.start('Do it', attended);
    const first = await answer(handle, 'failure', { decision: 'retry' });
    const second = await until('it asks again', async () => {
      const gate = await openGateOf(handle, 'failure');
      return gate.id !== first && gate;
    });
    expect(second.body).toContain('Not this way.');
    await answer(handle, 'failure', { decision: 'stop' });
    await expect(handle.result()).rejects.toThrow();
    expect(asked.requests).toHaveLength(2);
    expect(await gatesClosed(handle)).toEqual(['failure person retry', 'failure person stop']);
  });

  test('a model fails for good, another is chosen → the call is made with it, and later ones too', async () => {
    const asked = rig.play(
      byRole({
        planner: request =>
          request.body.model === 'gpt-5' ? planned : { error: { status: 400, message: 'Not this way.' } },
        executor: [reported()],
      }),
    );
    const handle = await rig.start('Do it', attended);
    const gate = await openGateOf(handle, 'failure');
    expect(gate.subject).toEqual({ model: 'openai/gpt-5-mini', models: ['openai/gpt-5'] });
    expect(
      await refusal(answerGate(handle, { gateId: gate.id, decision: 'other_model', model: 'x/y' })),
    ).toContain('one of openai/gpt-5');
    await answerGate(handle, { gateId: gate.id, decision: 'other_model', model: 'openai/gpt-5' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    expect(asked.requests.map(({ body }) => body.model)).toEqual([
      'gpt-5-mini',
      'gpt-5',
      'gpt-5-mini',
      'gpt-5',
    ]);
  });

  test('stop while a failure waits for a person → stopped, not failed', async () => {
    const refused = { error: { status: 400, message: 'Not this way.' } };
    rig.play(byRole({ planner: [refused] }));
    const handle = await rig.start('Do it', attended);
    await openGateOf(handle, 'failure');
    await handle.signal(stopSignal);
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
  });
});

describe('changes to a run in flight', () => {
  test('editPlan → tasks are added and changed that have not begun (L17)', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({
        planner: [{ text: plan({ todos: ['First', 'Second'] }) }],
        executor: [
          { ...reported('One.'), hold: { until: hold.until } },
          reported('Two.'),
          reported('Three.'),
        ],
      }),
    );
    const handle = await rig.start('Do it');
    await asked.arrived(1);
    const tasks = [
      { id: 'task-2', description: 'Second, in blue' },
      { id: 'task-3', description: 'Third', priority: 9 },
    ];
    expect(await handle.executeUpdate(editPlanUpdate, { args: [{ tasks }] })).toEqual({ tasks: 3 });
    hold.open();
    const result = (await handle.result()) as RunResult;
    expect(result.tasks.map(({ id, description, status }) => [id, description, status])).toEqual([
      ['task-1', 'First', 'completed'],
      ['task-2', 'Second, in blue', 'completed'],
      ['task-3', 'Third', 'completed'],
    ]);
  });

  test('setBudget → counts from the next check on', async () => {
    const hold = latch();
    const asked = rig.play(
      byRole({
        planner: [{ ...planned, hold: { until: hold.until } }],
        executor: [reported()],
        verifier: [content],
      }),
    );
    const handle = await rig.start('Do it', { limits: { turns: 1 } });
    await asked.arrived(0);
    await handle.executeUpdate(setBudgetUpdate, { args: [{ turns: 10 }] });
    hold.open();
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  });
});
