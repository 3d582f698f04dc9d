import { ApplicationFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execution, plan } from '../../packages/test-kit/role-outputs.js';
import type { RunResult } from '../../src/workflows/run/definitions.js';
import { steerSignal } from '../../src/workflows/run/definitions.js';
import type { ScriptedReply } from '../support/endpoint/model.js';
import type { Rig } from '../support/rig.js';
import { sharedTemporal, startRig } from '../support/rig.js';
import { eventsOf, messagesOf, toolTexts } from '../support/run-views.js';
import {
  accepted,
  answer,
  byRole,
  calls,
  clarification,
  content,
  intent,
  latch,
  openGateOf,
  outline,
  planned,
  proposal,
  receiptsOf,
  reported,
  review,
  roleOf,
  settingsYaml,
  steeringPrompts,
} from '../support/steering.js';

let env: TestWorkflowEnvironment;
const rigs: Rig[] = [];

beforeAll(async () => {
  env = await sharedTemporal();
});
afterAll(async () => {
  for (const rig of rigs) await rig.close();
  await env?.teardown();
});

async function rigWith(...lines: string[]): Promise<Rig> {
  const config = { ...steeringPrompts(), 'steersman.yaml': settingsYaml(...lines) };
  const rig = await startRig({ env, config });
  rigs.push(rig);
  return rig;
}

const approved = review(true);
const attended = { attended: true };
const reviewsOf = async (handle: WorkflowHandle) =>
  (await eventsOf(handle, 'review')).map(({ subject, approved: good }) => [subject, good]);

/** Why a failed run failed: the result is in the failure's details. */
async function failedCauseOf(handle: WorkflowHandle): Promise<string | undefined> {
  const error: unknown = await handle.result().catch((reason: unknown) => reason);
  const failure = error instanceof WorkflowFailedError ? error.cause : undefined;
  const result = failure instanceof ApplicationFailure ? failure.details?.[0] : undefined;
  return (result as RunResult | undefined)?.cause;
}

describe('reviewer (F20, C8)', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await rigWith('review: { plans: true, results: true, actions: true }');
  });
  const write = { name: 'write_file', arguments: { path: 'x.txt', content: 'x' } };

  test('plan, result and action are approved → they go on', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(write), reported()],
        reviewer: [approved, approved, approved],
      }),
    );
    const { result, handle } = await rig.run('Do it', { autoApprove: true });
    expect(result.outcome).toBe('completed');
    expect(await reviewsOf(handle)).toEqual([
      ['the plan', true],
      ['write_file', true],
      ['task-1', true],
    ]);
  });

  test('a plan with fixes → the planner gets them; the next one runs', async () => {
    const script = rig.play(
      byRole({
        planner: [planned, { text: plan({ todos: ['Do it safely'] }) }],
        executor: [reported()],
        reviewer: [review(false, ['Make it safe.']), approved, approved],
      }),
    );
    const { result } = await rig.run('Do it');
    expect(result.tasks.map(task => task.description)).toEqual(['Do it safely']);
    expect(JSON.stringify(messagesOf(script.requests[2], 'user'))).toContain('Make it safe.');
  });

  test('a result with fixes → the executor gets them and reports again', async () => {
    const script = rig.play(
      byRole({
        planner: [planned],
        executor: [reported('Perhaps.'), reported('It is 42.')],
        reviewer: [approved, review(false, ['Give the number.']), approved],
      }),
    );
    const { result } = await rig.run('Do it');
    expect(result.tasks).toMatchObject([{ status: 'completed', result: 'It is 42.', rounds: 2 }]);
    const again = script.requests.filter(request => roleOf(request) === 'executor')[1];
    expect(JSON.stringify(messagesOf(again, 'user').at(-1))).toContain('Give the number.');
  });

  test('an action with fixes → not run, and to be mended and called again', async () => {
    const script = rig.play(
      byRole({
        planner: [planned],
        executor: [calls(write), calls({ name: 'list_allowed_directories' }), reported()],
        reviewer: [approved, review(false, ['Write elsewhere.']), approved],
      }),
    );
    const { result } = await rig.run('Do it', { autoApprove: true });
    expect(result.trace.steps.flatMap(step => step.ending ?? [])).toEqual(['denied', 'executed']);
    const after = script.requests.filter(request => roleOf(request) === 'executor')[1];
    const [told] = toolTexts(after);
    expect(told).toMatch(/^Not accepted: Not run: .* Mend it and call again:/);
    expect(told).toContain('Write elsewhere.');
  });

  test('a review that can not be read → a person confirms the plan', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [reported()],
        reviewer: [{ text: 'Fine?' }, { text: 'Yes.' }, approved],
      }),
    );
    const handle = await rig.start('Do it', attended);
    await answer(handle, 'plan', { decision: 'approve' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  });

  test('a reviewer that is unsure, or asks → a person sees why, and confirms the plan and the call (F22, F17)', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [calls(write), reported()],
        reviewer: [review(true, [], { confidence: 69 }), clarification('Which x.txt?'), approved],
      }),
    );
    const handle = await rig.start('Do it', { ...attended, autoApprove: false });
    expect((await openGateOf(handle, 'plan')).body).toContain('The role is only 69 % sure.');
    await answer(handle, 'plan', { decision: 'approve' });
    expect((await openGateOf(handle, 'approval')).body).toContain('Which x.txt?');
    await answer(handle, 'approval', { decision: 'approve' });
    expect(await handle.result()).toMatchObject({ outcome: 'completed' });
  });

  test('a reviewer of 70 % is sure enough → nobody is asked (C19)', async () => {
    rig.play(
      byRole({
        planner: [planned],
        executor: [reported()],
        reviewer: [review(true, [], { confidence: 70 }), approved],
      }),
    );
    const { handle } = await rig.run('Do it');
    expect(await eventsOf(handle, 'gate_opened')).toEqual([]);
  });

  test('a message while the reviewer is asked → for the role at work, not for the reviewer; none is lost', async () => {
    const hold = latch();
    const script = rig.play(
      byRole({
        planner: [planned],
        executor: [reported()],
        reviewer: [{ ...approved, hold: { until: hold.until } }, approved],
        understanding: [intent('same_task_no_change')],
      }),
    );
    const handle = await rig.start('Do it');
    await script.arrived(1);
    await handle.signal(steerSignal, { id: 'm1', text: 'In red.', when: 'interrupt' });
    await accepted(handle, 'm1');
    hold.open();
    await handle.result();
    expect(await receiptsOf(handle, 'm1')).toEqual(['accepted', 'applied']);
    expect((await outline(handle)).filter(line => line.startsWith('steer'))).toEqual(['steer: In red.']);
    expect(script.requests.map(roleOf)).toEqual([
      'planner',
      'reviewer',
      'understanding',
      'executor',
      'reviewer',
      'verifier',
    ]);
  });
});

describe('orchestrator (F21, F22)', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await rigWith('orchestrate: true');
  });
  const gaveUp: ScriptedReply = {
    text: execution({ summary: 'It cannot be done.', taskCompleted: false, shouldContinue: false }),
  };
  const play = (orchestrator: ScriptedReply[], executor: ScriptedReply[] = [gaveUp, reported()]) =>
    rig.play(
      byRole({
        planner: [planned, { text: plan({ todos: [{ id: 'other', description: 'Another way' }] }) }],
        executor,
        orchestrator,
        verifier: () => content,
        summary: () => ({ text: 'What there is.' }),
      }),
    );
  const orchestrationsOf = async (handle: WorkflowHandle) =>
    (await eventsOf(handle, 'orchestration')).map(({ accepted: yes, why }) => [yes, why]);

  test('retry of the failed task → it is tried again, and the user is told', async () => {
    play([proposal('EXCEPTION_HANDLE', { handling: 'retry', taskId: 'task-1' })]);
    const { result, handle } = await rig.run('Do it');
    expect(result.tasks).toMatchObject([{ id: 'task-1', status: 'completed' }]);
    expect(await orchestrationsOf(handle)).toEqual([[true, 'task-1 is tried again.']]);
    expect((await eventsOf(handle, 'user_message'))[0]?.text).toContain('task-1 is tried again.');
  });

  test('replan → another plan, finished work stays', async () => {
    play([proposal('EXCEPTION_HANDLE', { handling: 'replan', taskId: null })]);
    const { result } = await rig.run('Do it');
    expect(result.tasks.map(({ id, status }) => [id, status])).toEqual([
      ['task-1', 'failed'],
      ['other', 'completed'],
    ]);
  });

  test('a proposal that is not legal → refused, nothing changes', async () => {
    play([proposal('EXCEPTION_HANDLE', { handling: 'retry', taskId: 'task-9' })], [gaveUp]);
    const handle = await rig.start('Do it');
    expect(await failedCauseOf(handle)).toBe('failed:tasks');
    expect(await orchestrationsOf(handle)).toEqual([[false, 'There is no task task-9.']]);
  });

  test('wrap_up gives up work → confirmed by a person first; denied, the run goes on', async () => {
    const wrapUp = proposal('PHASE_TRANSITION', { to: 'wrap_up' });
    const script = play([wrapUp], [gaveUp]);
    const handle = await rig.start('Do it', attended);
    expect(await openGateOf(handle, 'route')).toMatchObject({ subject: { act: 'orchestration' } });
    await answer(handle, 'route', { decision: 'deny' });
    expect(await failedCauseOf(handle)).toBe('failed:tasks');
    expect(script.requests.map(roleOf)).toEqual(['planner', 'executor', 'orchestrator', 'verifier']);
    play([wrapUp], [gaveUp]);
    const agreed = await rig.start('Do it', attended);
    await answer(agreed, 'route', { decision: 'approve' });
    expect((await agreed.result()) as RunResult).toMatchObject({
      outcome: 'unverified',
      cause: 'ended_by_orchestrator',
      text: 'What there is.',
    });
  });

  test.each([
    ['ask_user', proposal('EXCEPTION_HANDLE', { handling: 'ask_user', taskId: 'task-1' })],
    ['a question', clarification('So that the goal is reached.')],
  ])('%s → a person is asked, and the executor tries again with the answer', async (_, said) => {
    const script = play([said]);
    const handle = await rig.start('Do it', attended);
    expect((await openGateOf(handle, 'question')).body).toBe('So that the goal is reached.');
    await answer(handle, 'question', { text: 'Use the other door.' });
    expect(await handle.result()).toMatchObject({ tasks: [{ id: 'task-1', status: 'completed' }] });
    const again = script.requests.filter(request => roleOf(request) === 'executor')[1];
    expect(JSON.stringify(messagesOf(again, 'user'))).toContain('Use the other door.');
    expect(await orchestrationsOf(handle)).toEqual([[true, "task-1 is tried again with a person's answer"]]);
  });

  test('a question that nobody is there to answer → the task stays failed', async () => {
    play([clarification('How?')], [gaveUp]);
    expect(await failedCauseOf(await rig.start('Do it'))).toBe('failed:tasks');
  });

  test('what can not be read → nothing changes', async () => {
    play([{ text: 'Hm.' }, { text: 'Hm, hm.' }], [gaveUp]);
    expect(await failedCauseOf(await rig.start('Do it'))).toBe('failed:tasks');
  });
});
