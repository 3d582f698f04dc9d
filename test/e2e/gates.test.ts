import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import type { ClientTool } from '../../src/run/tools/tool.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  answerGateUpdate,
  editPlanUpdate,
  setBudgetUpdate,
  stateQuery,
  steerSignal,
  stopSignal,
  submitToolResultUpdate,
} from '../../src/workflows/run/definitions.js';
import type { ScriptedToolCall } from '../support/endpoint/model.js';
import { fakeMcp } from '../support/fake-mcp-server.js';
import { answerGate, endings, gatesClosed, read, refusal, write } from '../support/gates.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, messagesOf, toolTexts } from '../support/run-views.js';
import {
  answer,
  byRole,
  calls,
  clarification,
  openGateOf,
  outlineOfTask,
  planned,
  reported,
  settingsYaml,
} from '../support/steering.js';
import { until } from '../support/wait.js';

const fake = fakeMcp();
const attended = { attended: true };

// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const filesystem = { command: 'mcp-server-filesystem', args: ['${workspace}'] };
// biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of .mcp.json
const workspace = { command: 'steersman', args: ['tools', '${workspace}'] };

/** A call of our own tool: its file is compared before the question. */
const put = (path: string, content: string): ScriptedToolCall => ({
  name: 'workspace__write',
  arguments: { path, content },
});

// After the rig's own end.
afterAll(() => fake.remove());
const rig = rigOfFile({
  workspace: { 'a.txt': 'alpha\n' },
  config: {
    'steersman.yaml': settingsYaml(
      '  roles: { verifier: openai/gpt-5 }',
      'steering: note',
      'gates: { onBudget: ask }',
    ),
    '.mcp.json': JSON.stringify({ mcpServers: { filesystem, workspace, fake: fake.stdioEntry() } }),
  },
});

const inWorkspace = (name: string) => readFileSync(join(rig.project.workspace, name), 'utf8');

const submit = (handle: WorkflowHandle, given: Record<string, unknown>) =>
  handle.executeUpdate(submitToolResultUpdate, { args: [given] });

describe('forms of tool servers (C23)', () => {
  test('a server asks during a call → a gate; what does not fit is refused, what a person gives reaches the server, and its result the model (T20)', async () => {
    const order: ScriptedToolCall = { name: 'fake__order', arguments: {} };
    const asked = rig.play(byRole({ planner: [planned], executor: [calls(order), reported()] }));
    const handle = await rig.start('Order', { ...attended, autoApprove: true });
    const { id: gateId, subject } = await openGateOf(handle, 'form');
    expect(subject).toMatchObject({ server: 'fake', tool: 'fake__order' });
    const wrong = { gateId, decision: 'accept', content: { size: 'XL' } };
    expect(await refusal(answerGate(handle, wrong))).toContain('The fields do not fit the form: size');
    await answerGate(handle, { gateId, decision: 'accept', content: { size: 4 } });
    await handle.result();
    expect(toolTexts(asked.requests[2])[0]).toContain('{"action":"accept","content":{"size":4}}');
    expect(await gatesClosed(handle)).toEqual(['form person accept']);
  });

  test('a stop while it is open → cancelled at the server, and the gate is closed', async () => {
    const order: ScriptedToolCall = { name: 'fake__order', arguments: {} };
    rig.play(byRole({ planner: [planned], executor: [calls(order)] }));
    const handle = await rig.start('Order', { ...attended, autoApprove: true });
    await openGateOf(handle, 'form');
    await handle.signal(stopSignal, { reason: 'enough' });
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
    expect(await gatesClosed(handle)).toMatchObject([expect.stringMatching(/^form superseded/)]);
  });
});

describe('approval of tool calls (S4, C23)', () => {
  test('several files in one reply → one gate with what they hold now; approved changes are made, one left out says why (SE9, PR8)', async () => {
    writeFileSync(join(rig.project.workspace, 'one.txt'), 'one\ntwo\n');
    const asked = rig.play(
      byRole({
        planner: [planned],
        executor: [calls(put('one.txt', 'one\n2\n'), read('a.txt'), put('two.txt', '2')), reported()],
      }),
    );
    const handle = await rig.start('Write', attended);
    const gate = await openGateOf(handle, 'approval');
    expect(gate.title).toBe('Make these 2 changes?');
    expect(gate.body).toMatch(/Compared with "one\.txt" [\s\S]* one\n-two\n\+2\n/);
    expect(gate.body).toMatch(/A new file: "two\.txt" [\s\S]*\+2/);
    await answerGate(handle, { gateId: gate.id, decision: 'approve', except: { 2: 'Two is too many.' } });
    const result = (await handle.result()) as RunResult;
    expect(endings(result)).toEqual(['executed', 'executed', 'denied']);
    expect(toolTexts(asked.requests[2])[2]).toContain('"Two is too many". ');
    expect(inWorkspace('one.txt')).toBe('one\n2\n');
    expect(() => inWorkspace('two.txt')).toThrow();
    expect(await gatesClosed(handle)).toEqual(['approval person approve']);
  });

  test('always → later calls of the tool in this run do not ask', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(write('x.txt', '1')), calls(write('x.txt', '2')), reported()],
      }),
    );
    const handle = await rig.start('Write', attended);
    await answer(handle, 'approval', { decision: 'always' });
    expect(endings((await handle.result()) as RunResult)).toEqual(['executed', 'executed']);
    expect(await eventsOf(handle, 'gate_opened')).toHaveLength(1);
  });

  test('edited arguments → the call runs with them, and the model is told', async () => {
    const asked = rig.play(
      byRole({ planner: [planned], executor: [calls(write('edit.txt', 'mine')), reported()] }),
    );
    const handle = await rig.start('Write', attended);
    await answer(handle, 'approval', {
      decision: 'approve',
      arguments: { path: 'edit.txt', content: 'edited' },
    });
    await handle.result();
    expect(inWorkspace('edit.txt')).toBe('edited');
    expect(toolTexts(asked.requests[2])[0]).toContain('person edited the arguments');
  });

  test('arguments edited wrongly → refused with what is wrong, and the gate stays open (PR8, C4)', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('bad.txt', 'mine')), reported()] }));
    const handle = await rig.start('Write', attended);
    const { id: gateId } = await openGateOf(handle, 'approval');
    const edited = { path: 'bad.txt', text: 1 };
    const why = await refusal(answerGate(handle, { gateId, decision: 'approve', arguments: edited }));
    expect(why).toContain('The arguments do not fit write_file');
    expect(why).toContain('content');
    await answerGate(handle, {
      gateId,
      decision: 'approve',
      arguments: { path: 'bad.txt', content: 'ours' },
    });
    expect(endings((await handle.result()) as RunResult)).toEqual(['executed']);
    expect(inWorkspace('bad.txt')).toBe('ours');
  });

  test('a steering message while it waits → the question is withdrawn, the calls are skipped, the message is read (S1)', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(put('no.txt', '1'), put('no2.txt', '2')), reported()],
      }),
    );
    const handle = await rig.start('Write', attended);
    await openGateOf(handle, 'approval');
    await handle.signal(steerSignal, { id: 'm1', text: 'Write nothing.' });
    await handle.result();
    expect(await outlineOfTask(handle, 'task-1')).toEqual([
      'assistant',
      'tool skipped',
      'tool skipped',
      'steer: Write nothing.',
      'assistant',
    ]);
    const [receipt] = await eventsOf(handle, 'receipt');
    expect(receipt?.how).toContain('skipped');
    // Both are one gate.
    expect(await gatesClosed(handle)).toEqual(['approval superseded a message of the user']);
  });

  test('nobody attends → denied at once, by rule (T9)', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('no.txt', '1')), reported()] }));
    const { result, handle } = await rig.run('Write');
    expect(endings(result)).toEqual(['denied']);
    expect(await gatesClosed(handle)).toEqual(['approval rule deny']);
  });
});

describe('plan approval (L15)', () => {
  const settings = { attended: true, approvePlan: true };

  test('approve → it is carried out', async () => {
    rig.play(byRole({ planner: [planned], executor: [reported()] }));
    const handle = await rig.start('Do it', settings);
    await answer(handle, 'plan', { decision: 'approve' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  });

  test('reject with a reason → the planner is told it and plans anew (S6)', async () => {
    const asked = rig.play(
      byRole({ planner: [planned, { text: plan({ todos: ['Do it gently'] }) }], executor: [reported()] }),
    );
    const handle = await rig.start('Do it', settings);
    const first = await answer(handle, 'plan', { decision: 'reject', reason: 'Be gentle with it.' });
    await until('another plan waits', async () => (await openGateOf(handle, 'plan')).id !== first);
    await answer(handle, 'plan', { decision: 'approve' });
    expect(((await handle.result()) as RunResult).tasks.map(task => task.description)).toEqual([
      'Do it gently',
    ]);
    expect(JSON.stringify(messagesOf(asked.requests[1], 'user'))).toContain('Be gentle with it.');
  });

  test('edit → the edited plan is carried out', async () => {
    rig.play(byRole({ planner: [planned], executor: [reported('First.'), reported('Second.')] }));
    const handle = await rig.start('Do it', settings);
    const tasks = [
      { id: 'task-1', description: 'Do it well' },
      { id: 'extra', description: 'Then rest', dependencies: ['task-1'] },
    ];
    await answer(handle, 'plan', { decision: 'edit', tasks });
    const result = (await handle.result()) as RunResult;
    expect(result.tasks.map(({ id, description, status }) => [id, description, status])).toEqual([
      ['task-1', 'Do it well', 'completed'],
      ['extra', 'Then rest', 'completed'],
    ]);
  });

  test('edit with a list that leaves tasks out → those do not run, and what it leaves out of the others stays (L17)', async () => {
    const todos = [
      { id: 'backup', description: 'Copy them', completionCriteria: 'There is a copy' },
      { id: 'check', description: 'Check them' },
      { id: 'remove', description: 'Remove them', priority: 1, dependencies: ['backup'] },
    ];
    const asked = rig.play(
      byRole({ planner: [{ text: plan({ todos }) }], executor: [reported('Copied.'), reported('Gone.')] }),
    );
    const handle = await rig.start('Tidy up', settings);
    const tasks = [{ id: 'remove', description: 'Remove only the old ones' }, { id: 'backup' }];
    await answer(handle, 'plan', { decision: 'edit', tasks });
    const result = (await handle.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'completed' });
    expect(result.tasks).toMatchObject([
      { id: 'backup', status: 'completed', completionCriteria: 'There is a copy' },
      { id: 'check', status: 'skipped', reason: 'removed by a person' },
      { id: 'remove', status: 'completed', description: 'Remove only the old ones', priority: 1 },
    ]);
    expect((await eventsOf(handle, 'task_started')).map(({ taskId }) => taskId)).toEqual([
      'backup',
      'remove',
    ]);
    expect(JSON.stringify(messagesOf(asked.requests.at(-1), 'user'))).toContain(
      'Removed from the plan by the person',
    );
  });

  test('stop while it waits → the gate closes, the run is stopped without another model call', async () => {
    const asked = rig.play(byRole({ planner: [planned] }));
    const handle = await rig.start('Do it', settings);
    const { id: gateId } = await openGateOf(handle, 'plan');
    await handle.signal(stopSignal, { reason: 'changed my mind' });
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
    expect(asked.requests).toHaveLength(1);
    expect(await eventsOf(handle, 'gate_closed')).toMatchObject([{ gateId, by: 'superseded' }]);
  });
});

describe('clarification (F17, C34)', () => {
  test('the planner asks → the answer reaches it and costs no round', async () => {
    const asked = rig.play(
      byRole({ planner: [clarification('Which boat?'), planned], executor: [reported()] }),
    );
    const handle = await rig.start('Paint the boat', { attended: true, limits: { planning: 1 } });
    const gate = await openGateOf(handle, 'question');
    expect(gate).toMatchObject({ body: 'Which boat?', subject: { role: 'planner' } });
    await answer(handle, 'question', { text: 'The red one.' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    expect(JSON.stringify(asked.requests[1]?.body.messages.slice(-1))).toContain('The red one.');
  });

  test('the executor asks → the answer reaches it and the task goes on', async () => {
    const asked = rig.play(
      byRole({ planner: [planned], executor: [clarification('Which colour?'), reported()] }),
    );
    const handle = await rig.start('Paint the boat', { attended: true, limits: { execution: 1 } });
    expect(await openGateOf(handle, 'question')).toMatchObject({ subject: { role: 'executor' } });
    await answer(handle, 'question', { text: 'Blue.' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed', tasks: [{ status: 'completed' }] });
    expect(JSON.stringify(asked.requests[2]?.body.messages.slice(-1))).toContain('Blue.');
  });

  test('nobody attends → the planner makes the best plan it can', async () => {
    rig.play(byRole({ planner: [clarification('Which boat?'), planned], executor: [reported()] }));
    const { result } = await rig.run('Paint the boat');
    expect(result.outcome).toBe('completed');
  });
});

describe('client tools (T10, T11, K4)', () => {
  const clientTools: ClientTool[] = [
    {
      name: 'ask_crew',
      description: 'Asks the group.',
      inputSchema: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
    },
  ];
  const group: ScriptedToolCall = { name: 'ask_crew', arguments: { question: 'Ready?' } };

  test('mixed with server tools in one reply → results in call order, the client gives its own', async () => {
    const asked = rig.play(
      byRole({ planner: [planned], executor: [calls(group, read('a.txt'), group), reported()] }),
    );
    const handle = await rig.start('Ask', { clientTools });
    const first = await openGateOf(handle, 'clientTool');
    expect((await handle.query(stateQuery)).gates).toHaveLength(1);
    await submit(handle, { gateId: first.id, content: 'aye' });
    const second = await until('the second call waits', async () => {
      const [open] = (await handle.query(stateQuery)).gates;
      return open?.kind === 'clientTool' && open.id !== first.id && open;
    });
    await submit(handle, { callId: second.subject.callId, content: { ready: false }, isError: true });
    const result = (await handle.result()) as RunResult;
    expect(endings(result)).toEqual(['executed', 'executed', 'executed']);
    expect(toolTexts(asked.requests[2])).toEqual([
      expect.stringContaining('aye'),
      expect.stringContaining('alpha'),
      expect.stringContaining('{"ready":false}'),
    ]);
    expect(
      result.trace.steps.filter(step => step.action.type === 'tool').map(step => step.error !== undefined),
    ).toEqual([false, false, true]);
  });

  test('wrong submitters → refused with a reason, at no cost in history', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(group, write('c.txt', 'c')), reported()] }));
    const handle = await rig.start('Ask', { clientTools, ...attended });
    const client = await openGateOf(handle, 'clientTool');
    const approval = await openGateOf(handle, 'approval');
    // What was said before the wait is kept at its beginning.
    const { historyLength: before } = await until('it does nothing but wait', async () => {
      const seen = await handle.describe();
      const { pendingActivities = [], pendingWorkflowTask = null } = seen.raw;
      return pendingActivities?.length === 0 && pendingWorkflowTask === null && seen;
    });
    const refusals = [
      await refusal(submit(handle, { callId: 'c999_1', content: 'x' })),
      await refusal(submit(handle, { gateId: approval.id, content: 'x' })),
      await refusal(answerGate(handle, { gateId: client.id, decision: 'approve' })),
      await refusal(answerGate(handle, { gateId: 'g999', decision: 'approve' })),
      await refusal(answerGate(handle, { gateId: approval.id, decision: 'perhaps' })),
      await refusal(answerGate(handle, { gateId: approval.id, decision: 'deny', arguments: {} })),
      await refusal(submit(handle, { gateId: client.id })),
      await refusal(handle.executeUpdate(answerGateUpdate, { args: ['yes'] as never })),
      await refusal(handle.executeUpdate(editPlanUpdate, { args: [{ tasks: [] }] })),
      await refusal(
        handle.executeUpdate(editPlanUpdate, { args: [{ tasks: [{ id: 'task-1', description: 'x' }] }] }),
      ),
      await refusal(handle.executeUpdate(setBudgetUpdate, { args: [{ tokens: -1 }] })),
    ];
    expect(refusals).toEqual([
      expect.stringContaining('No call c999_1 waits for a result'),
      expect.stringContaining('answer it with answerGate'),
      expect.stringContaining('answer it with submitToolResult'),
      expect.stringContaining('There is no gate g999'),
      expect.stringContaining('one of approve, deny, always'),
      expect.stringContaining('not with deny'),
      expect.stringContaining('content'),
      expect.stringContaining('an object with gateId'),
      expect.stringContaining('at least one task'),
      expect.stringContaining('has begun already'),
      expect.stringContaining('`tokens` must be a whole number'),
    ]);
    expect((await handle.describe()).historyLength).toBe(before);
    await submit(handle, { gateId: client.id, content: 'aye' });
    expect(await refusal(submit(handle, { gateId: client.id, content: 'again' }))).toContain('is closed');
    await answer(handle, 'approval', { decision: 'approve' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    await expect(answerGate(handle, { gateId: approval.id, decision: 'approve' })).rejects.toThrow();
  });
});

describe('whatever clients send', () => {
  test('withdraw with a bare id, odd payloads, unknown signals, deep lists → taken or refused; no workflow task fails (ST4)', async () => {
    rig.play(byRole({ planner: [planned], executor: [calls(write('odd.txt', '1')), reported()] }));
    const handle = await rig.start('Write', attended);
    const { id: gateId } = await openGateOf(handle, 'approval');
    let deep: unknown = 1;
    for (let level = 0; level < 500; level++) deep = [deep];
    const odd = [null, 'u1', 7, [], [null], deep, { text: deep }, { id: {}, reason: [] }];
    for (const input of odd) {
      for (const signal of ['steer', 'followUp', 'pause', 'resume', 'noSuchSignal'])
        if (input !== 'u1') await handle.signal(signal, input);
      for (const update of ['answerGate', 'submitToolResult', 'editPlan', 'setBudget', 'withdraw'])
        await refusal(handle.executeUpdate(update, { args: [input] }));
    }
    await handle.signal('resume', null);
    await handle.signal('steer', { id: 'u1', text: 'Mind this.', when: 'after-batch' });
    expect(await handle.executeUpdate('withdraw', { args: ['u1'] })).toEqual({ text: 'Mind this.' });
    const ignored = (await eventsOf(handle, 'signal_ignored')).map(({ signal }) => signal);
    expect(new Set(ignored)).toEqual(new Set(['steer', 'followUp', 'resume', 'noSuchSignal']));
    await answerGate(handle, { gateId, decision: 'deny' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    const { events } = await handle.fetchHistory();
    expect(events?.filter(event => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });
});
