import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { plan } from '../../packages/test-kit/role-outputs.js';
import { WORKFLOW_TYPE } from '../../src/run/agents/run-config.js';
import type { Control, IntentAction } from '../../src/run/outputs/contracts.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import {
  followUpSignal,
  resumeSignal,
  stateQuery,
  steerSignal,
} from '../../src/workflows/run/definitions.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import type { Script } from '../support/rig.js';
import { runSettings } from '../support/rig.js';
import { rigOfFile } from '../support/rig-of-file.js';
import { eventsOf, messagesOf } from '../support/run-views.js';
import {
  accepted,
  answer,
  byRole,
  clarification,
  content,
  intent,
  latch,
  openGateOf,
  outline,
  receiptsOf,
  reported,
  roleOf,
  route,
  settingsYaml,
  steeringPrompts,
} from '../support/steering.js';
import { until } from '../support/wait.js';

const rig = rigOfFile({ config: { ...steeringPrompts(), 'steersman.yaml': settingsYaml() } });

const TWO: ScriptedReply = { text: plan({ todos: ['Paint the hull', 'Paint the mast'] }) };
const OTHER: ScriptedReply = { text: plan({ todos: [{ id: 'sail', description: 'Sew a sail' }] }) };
const attended = { attended: true };

interface Steered {
  handle: WorkflowHandle;
  script: Script;
}

/**
 * Starts a run of two tasks and says something while the second is worked on: the first is finished then.
 * Planner, executor and verifier do whatever comes.
 */
async function steered(
  replies: { understanding?: ScriptedReply[]; router?: ScriptedReply[]; planner?: ScriptedReply[] },
  settings = {},
  start = () => rig.start('Paint the boat', settings),
): Promise<Steered> {
  const hold = latch();
  const { planner = [TWO, OTHER], ...roles } = replies;
  const script = rig.play(
    byRole({
      ...roles,
      planner,
      executor: (_request, nth) => ({
        ...(nth === 1
          ? { text: 'Still painting.', hold: { until: hold.until } }
          : reported(`Result ${nth + 1}.`)),
      }),
      verifier: () => content,
    }),
  );
  const handle = await start();
  await until('the second task is worked on', () => script.requests.length === 3);
  await handle.signal(steerSignal, { id: 'm1', text: 'In red, please.' });
  await accepted(handle, 'm1');
  hold.open();
  return { handle, script };
}

const tasksOf = ({ tasks }: RunResult) => tasks.map(({ id, status }) => `${id} ${status}`);
const routesOf = async (handle: WorkflowHandle) =>
  (await eventsOf(handle, 'route')).map(({ act, confirmed }) => [act, confirmed]);
const rolesAsked = ({ requests }: Script) => requests.map(roleOf);

describe('routes (F15, F16)', () => {
  test('no change → goes on with a note; only the understanding role is asked, in a thread of its own', async () => {
    const { handle, script } = await steered({
      understanding: [intent('same_task_no_change', { userMessage: 'I keep that in mind.' })],
    });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 completed']);
    expect(rolesAsked(script)).toEqual([
      'planner',
      'executor',
      'executor',
      'understanding',
      'executor',
      'verifier',
    ]);
    expect(await routesOf(handle)).toEqual([['continue', null]]);
    expect(await eventsOf(handle, 'user_message')).toMatchObject([
      { role: 'understanding', text: 'I keep that in mind.' },
    ]);
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual([
      'steer: In red, please.',
    ]);
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'applied']);
    const instruction = JSON.stringify(messagesOf(script.requests[3], 'user'));
    for (const part of ['In red, please.', 'Paint the boat', 'task-2', 'SYSTEM_STATE'])
      expect(instruction).toContain(part);
  });

  test('minor change → planned again without the router, finished tasks stay (F13, SE7)', async () => {
    const { handle, script } = await steered({
      understanding: [intent('same_task_minor_change', { confidence: 0.71 })],
    });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 completed', 'sail completed']);
    expect(await routesOf(handle)).toEqual([['minor_replan', null]]);
    expect(script.requests.map(roleOf)).not.toContain('router');
    expect(JSON.stringify(messagesOf(script.requests[4], 'user'))).toContain('In red, please.');
    expect((await eventsOf(handle, 'task_started')).filter(({ taskId }) => taskId === 'task-1')).toHaveLength(
      1,
    );
  });

  test('70 % sure of a change → the user is asked; the answer is understood and carried out (C19)', async () => {
    const { handle, script } = await steered(
      {
        understanding: [
          intent('same_task_minor_change', { confidence: 0.7 }),
          intent('same_task_no_change', { confidence: 0.9 }),
        ],
        router: [route('minor_replan'), route('continue_execution')],
      },
      attended,
    );
    const gate = await openGateOf(handle, 'question');
    expect(gate.body).toContain('In red, please.');
    expect(gate.subject.options?.[0]).toBe('Go on with it in mind');
    const text = 'Only have it in mind.';
    await answer(handle, 'question', { text });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 completed']);
    expect(await routesOf(handle)).toEqual([['continue', null]]);
    const again = script.requests.filter(request => roleOf(request) === 'understanding')[1];
    expect(JSON.stringify(messagesOf(again, 'user').at(-1))).toContain(text);
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual([
      `steer: In red, please.\n${text}`,
    ]);
  });

  test('not sure and nobody attends → goes on with a note', async () => {
    const { handle } = await steered({
      understanding: [intent('same_task_minor_change', { confidence: 0.5 })],
      router: [route('minor_replan')],
    });
    await handle.result();
    expect(await routesOf(handle)).toEqual([['continue', null]]);
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'applied']);
  });

  test('major change, approved → open tasks are dropped, finished ones stay', async () => {
    const { handle } = await steered(
      { understanding: [intent('same_task_major_change')], router: [route('full_replan')] },
      attended,
    );
    expect(await openGateOf(handle, 'route')).toMatchObject({
      subject: { act: 'full_replan', messageId: 'm1' },
    });
    await answer(handle, 'route', { decision: 'approve' });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 skipped', 'sail completed']);
    expect(await routesOf(handle)).toEqual([['full_replan', true]]);
  });

  test('major change, denied → goes on as it was, with a note', async () => {
    const { handle } = await steered(
      { understanding: [intent('same_task_major_change')], router: [route('full_replan')] },
      attended,
    );
    await answer(handle, 'route', { decision: 'deny' });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 completed']);
    expect(await routesOf(handle)).toEqual([['continue', false]]);
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toHaveLength(1);
  });

  test('a minor change of high risk → confirmed first, with the mitigation shown (F22)', async () => {
    const risk = { level: 'high', description: 'It may ruin the hull', mitigation: 'Keep a copy.' } as const;
    const { handle } = await steered(
      { understanding: [intent('same_task_minor_change', { risk })], router: [route('minor_replan')] },
      attended,
    );
    expect((await openGateOf(handle, 'route')).body).toContain('Keep a copy.');
    await answer(handle, 'route', { decision: 'approve' });
    await handle.result();
    expect(await routesOf(handle)).toEqual([['minor_replan', true]]);
  });

  test('another task, approved → a run of its own under another workflow id; this one goes on', async () => {
    const { handle } = await steered(
      {
        understanding: [intent('different_task', { action: 'create' })],
        router: [route('new_task')],
        planner: [TWO, TWO],
      },
      attended,
    );
    await answer(handle, 'route', { decision: 'approve' });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 completed']);
    const [started] = await eventsOf(handle, 'new_run');
    expect(started?.id).toMatch(new RegExp(`^${handle.workflowId}-[0-9a-f]{6}-s\\d+$`));
    const other = rig.env.client.workflow.getHandle(started?.id ?? '');
    expect(await other.result()).toMatchObject({ goal: 'In red, please.', outcome: 'completed' });
    const how = (await eventsOf(handle, 'receipt')).find(({ state }) => state === 'applied')?.how;
    expect(how).toContain(started?.id);
  });

  test('another task of a run whose id is as long as ids may be → its run starts, and this one goes on', async () => {
    const { handle } = await steered(
      {
        understanding: [intent('different_task', { action: 'create' })],
        router: [route('new_task')],
        planner: [TWO, TWO],
      },
      {},
      () =>
        rig.env.client.workflow.start(WORKFLOW_TYPE, {
          args: [
            { goal: 'Paint the boat', settings: runSettings(rig.project.workspace, { autoApprove: true }) },
          ],
          taskQueue: rig.taskQueue,
          workflowId: 'p'.repeat(1_000),
        }),
    );
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    const [started] = await eventsOf(handle, 'new_run');
    const other = rig.env.client.workflow.getHandle(started?.id ?? '');
    expect(await other.result()).toMatchObject({ goal: 'In red, please.', outcome: 'completed' });
  });

  test('a role asks in place of its output → the question reaches the user (F17)', async () => {
    const { handle } = await steered(
      {
        understanding: [clarification('Red paint or red light?'), intent('same_task_no_change')],
        router: [route('continue_execution')],
      },
      attended,
    );
    expect((await openGateOf(handle, 'question')).title).toBe('Red paint or red light?');
    await answer(handle, 'question', { text: 'Paint.' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  });

  test('understanding can not be read → asks where a person is there, else goes on with a note', async () => {
    const bad = [{ text: 'Hm.' }, { text: 'Hm, hm.' }];
    const alone = await steered({ understanding: bad });
    await alone.handle.result();
    expect(await routesOf(alone.handle)).toEqual([['continue', null]]);
    expect(rolesAsked(alone.script)).not.toContain('router');
    const asked = await steered(
      { understanding: [...bad, intent('same_task_no_change')], router: [route('continue_execution')] },
      attended,
    );
    await answer(asked.handle, 'question', { text: 'Red paint.' });
    await asked.handle.result();
    expect(await routesOf(asked.handle)).toEqual([['continue', null]]);
  });

  test('unclear with the answer of a person too → goes on with a note, and is not called unanswered', async () => {
    const { handle } = await steered(
      { understanding: [clarification('Paint or light?'), clarification('Which paint?')] },
      attended,
    );
    await answer(handle, 'question', { text: 'The harbour one.' });
    await handle.result();
    expect(await eventsOf(handle, 'route')).toMatchObject([
      { act: 'continue', reason: 'Even with your answer it is unclear what the message means.' },
    ]);
  });

  test('the router can not be read → the table goes by the understanding alone', async () => {
    const { handle } = await steered({
      understanding: [intent('same_task_minor_change')],
      router: [{ text: 'Left.' }, { text: 'Right.' }],
    });
    await handle.result();
    expect(await routesOf(handle)).toEqual([['minor_replan', null]]);
  });
});

describe('control instructions (S5)', () => {
  const control = (action: IntentAction, named: Control) => ({
    understanding: [intent('control_instruction', { action })],
    router: [route('control_action', { control: named })],
  });

  test('pause → held until it is resumed', async () => {
    const { handle, script } = await steered(control('modify', 'pause'));
    await until('it is paused', async () => (await handle.query(stateQuery)).paused);
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'applied']);
    const before = script.requests.length;
    await handle.signal(resumeSignal);
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    expect(before).toBe(5);
  });

  test('cancel → stopped with what there is', async () => {
    const { handle } = await steered(control('cancel', 'cancel'));
    expect(await handle.result()).toMatchObject({ outcome: 'stopped' });
    expect(await eventsOf(handle, 'stop_requested')).toMatchObject([{ reason: 'In red, please.' }]);
  });

  test('status → told to the user, the run goes on and the message is no note', async () => {
    const { handle } = await steered(control('query', 'status'));
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    const [status] = await eventsOf(handle, 'user_message');
    expect(status?.text).toContain('1 of 2 tasks completed');
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual([]);
  });

  test('continue → goes on', async () => {
    const { handle } = await steered(control('continue', 'continue'));
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
    expect(await routesOf(handle)).toEqual([['control', null]]);
  });
});

describe('what comes meanwhile', () => {
  test('more messages while one is understood → read after it, none lost', async () => {
    const hold = latch();
    const work = latch();
    const script = rig.play(
      byRole({
        planner: [TWO],
        executor: (_request, nth) => ({
          ...reported(`Result ${nth}.`),
          ...(nth === 0 ? { hold: work } : {}),
        }),
        understanding: [
          { ...intent('same_task_no_change'), hold: { until: hold.until } },
          intent('same_task_no_change'),
        ],
        router: [route('continue_execution'), route('continue_execution')],
      }),
    );
    const handle = await rig.start('Paint the boat');
    await until('the first task is worked on', () => script.requests.length === 2);
    await handle.signal(steerSignal, { id: 'm1', text: 'one' });
    await accepted(handle, 'm1');
    work.open();
    await until('it is being understood', () => script.requests.length === 3);
    await handle.signal(steerSignal, { id: 'm2', text: 'two', when: 'interrupt' });
    await handle.signal(steerSignal, { id: 'm3', text: 'three' });
    await accepted(handle, 'm3');
    hold.open();
    await handle.result();
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual([
      'steer: one',
      'steer: two',
      'steer: three',
    ]);
    expect(await routesOf(handle)).toHaveLength(2);
  });

  test('a follow-up → understood too, and the next goal of this run (F15)', async () => {
    const hold = latch();
    const script = rig.play(
      byRole({
        planner: [TWO, TWO],
        executor: (_request, nth) => ({ ...reported(`Result ${nth}.`), ...(nth === 0 ? { hold } : {}) }),
        verifier: () => content,
        understanding: [intent('different_task', { action: 'create' })],
        router: [route('new_task')],
      }),
    );
    const handle = await rig.start('Paint the boat');
    await until('the first task is worked on', () => script.requests.length === 2);
    await handle.signal(followUpSignal, { id: 'f1', text: 'Now the oars' });
    await accepted(handle, 'f1');
    hold.open();
    const result = (await handle.result()) as RunResult;
    expect(result.goals.map(({ text }) => text)).toEqual(['Paint the boat', 'Now the oars']);
    expect(await routesOf(handle)).toEqual([['next_goal', null]]);
  });

  test('continue-as-new at every safe point → understood, routed and confirmed once (L20)', async () => {
    const { handle } = await steered(
      { understanding: [intent('same_task_major_change')], router: [route('full_replan')] },
      { attended: true, continueAsNew: 'every-safe-point' },
    );
    await answer(handle, 'route', { decision: 'approve' });
    const result = (await handle.result()) as RunResult;
    expect(tasksOf(result)).toEqual(['task-1 completed', 'task-2 skipped', 'sail completed']);
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toHaveLength(1);
  });
});
