import { describe, expect, test } from 'vitest';
import { orchestrate } from '../../../../src/features/orchestrator/feature.js';
import type { RunSettings } from '../../../../src/run/agents/run-config.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import type { OrchestrationOutput } from '../../../../src/run/outputs/contracts.js';
import type { Task } from '../../../../src/run/plan/plan.js';
import { executionAt } from '../../../../src/run/position/position.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import { task as newTask } from '../../../support/core-values.js';
import { answer, runAtCalls, testRole } from '../../../support/small-run.js';

/** A run whose `task-1` has just failed, with another task open. */
function runAtFailure(settings: Partial<RunSettings>): Run {
  const roles = { executor: testRole('executor'), orchestrator: testRole('orchestrator') };
  const { run } = runAtCalls([], { settings, pinned: { roles, orchestrate: true } });
  run.state.cursor.position = executionAt(1);
  run.state.tasks = [newTask('task-1', { status: 'failed', rounds: 10 }), newTask('task-2')];
  return run;
}

/** The orchestrator has answered this; it is disposed of. */
function propose(run: Run, proposal: Partial<OrchestrationOutput>) {
  const { state } = run;
  const [failed] = state.tasks as [Task];
  const { cycle } = state.cursor.position;
  state.cursor.position = executionAt(cycle, { kind: 'failed', taskId: failed.id });
  state.cursor.answered = {
    key: `orchestrate:${state.goal.number}:${cycle}:${failed.id}`,
    value: { reason: 'It helps.', target: null, amount: null, model: null, taskId: null, ...proposal },
    envelope: null,
    special: null,
  };
  return orchestrate(run, failed);
}

function accepted(run: Run): boolean[] {
  return run.state.log.journal.events.flatMap(event =>
    event.type === 'orchestration' ? [event.accepted] : [],
  );
}

const MORE_TURNS = { action: 'RESOURCE_ALLOCATE', resource: 'turns', amount: 1_000_000 } as const;
const MORE_ROUNDS = {
  action: 'RESOURCE_ALLOCATE',
  resource: 'rounds',
  target: 'task-1',
  amount: 20,
} as const;

describe('orchestrator: what changes a limit', () => {
  test.each([
    ['turns', MORE_TURNS],
    ['rounds of a task', MORE_ROUNDS],
  ])(
    'a raise of %s, with --yes and nobody to ask → refused, and nothing changes (TR2)',
    async (_, proposal) => {
      const run = runAtFailure({ autoApprove: true, attended: false });
      await propose(run, proposal);
      expect(accepted(run)).toEqual([false]);
      expect(run.limits).toEqual(DEFAULT_LIMITS);
      expect(run.state.tasks[0]).toMatchObject({ status: 'failed', maxRounds: null });
    },
  );

  test('a raise of turns, with --yes and a person there → the person is asked, and it is theirs (TR2)', async () => {
    const run = runAtFailure({ autoApprove: true });
    const disposed = propose(run, MORE_TURNS);
    expect(run.state.people.gates.map(({ gate }) => gate.kind)).toEqual(['route']);
    answer(run, { gateId: run.state.people.gates[0]?.gate.id, decision: 'approve' });
    await disposed;
    expect(run.limits).toEqual({ ...DEFAULT_LIMITS, turns: 1_000_000 });
    const set = run.state.log.journal.events.find(event => event.type === 'budget_set');
    expect(set).toMatchObject({ limits: { turns: 1_000_000 }, by: 'gate' });
  });

  test('20 rounds for a failed task, approved → it is tried again with them, and the others keep theirs (LI1)', async () => {
    const run = runAtFailure({});
    const disposed = propose(run, MORE_ROUNDS);
    answer(run, { gateId: run.state.people.gates[0]?.gate.id, decision: 'approve' });
    await disposed;
    expect(run.limits).toEqual(DEFAULT_LIMITS);
    expect(run.state.tasks).toMatchObject([
      { id: 'task-1', status: 'pending', maxRounds: 20, retries: 1 },
      { id: 'task-2', maxRounds: null },
    ]);
  });
});

describe('orchestrator: what a person says to it', () => {
  const STOP = { action: 'EXCEPTION_HANDLE', handling: 'stop' } as const;

  test.each([
    ['its proposal is denied with a reason', STOP, { decision: 'deny', reason: 'Try the other file.' }, ''],
    [
      'its question is answered',
      { action: 'EXCEPTION_HANDLE', handling: 'ask_user' },
      { text: 'Try the other file.' },
      'Asked "It helps.": ',
    ],
  ] as const)(
    '%s → said in the conversation, and a part of the goal (S6)',
    async (_, proposal, said, asked) => {
      const run = runAtFailure({});
      const disposed = propose(run, proposal);
      answer(run, { gateId: run.state.people.gates[0]?.gate.id, ...said });
      await disposed;
      expect(run.state.goal.userNotes).toEqual([`${asked}Try the other file.`]);
      expect(run.mainThread().messages.at(-1)).toMatchObject({
        purpose: 'steer',
        content: [{ text: expect.stringContaining('Try the other file.') }],
      });
    },
  );
});

describe('orchestrator: what it may do again and again', () => {
  test('a task that fails and is to be tried again 50 times → as often as limits.taskRetries, then not (LI1)', async () => {
    const run = runAtFailure({ attended: false });
    for (let time = 0; time < 50; time++) {
      run.state.tasks = run.state.tasks.map(one =>
        one.id === 'task-1' ? { ...one, status: 'failed' } : one,
      );
      await propose(run, { action: 'EXCEPTION_HANDLE', handling: 'retry', taskId: 'task-1' });
    }
    expect(accepted(run).filter(Boolean)).toHaveLength(DEFAULT_LIMITS.taskRetries);
  });

  test('a goal that is to be planned anew 34 times → no more plans than limits.verification (LI1)', async () => {
    const run = runAtFailure({ attended: false });
    for (let time = 0; time < 34; time++) {
      await propose(run, { action: 'EXCEPTION_HANDLE', handling: 'replan' });
    }
    expect(run.state.cursor.position.cycle).toBe(DEFAULT_LIMITS.verification);
  });

  test.each([
    [
      'a failed task tried again, the plan filled since',
      'retry',
      ['task-1 failed', 'task-2 pending', 'task-3 pending'],
    ],
    [
      'a failed task skipped whose dependants would be open',
      'skip',
      ['task-1 failed', 'task-2 pending', 'task-3 pending', 'task-4 blocked'],
    ],
  ] as const)(
    '%s → refused, for the limit of open tasks holds whoever opens them (LI1)',
    async (_, handling, tasks) => {
      const run = runAtFailure({ attended: false });
      run.state.limits = { tasks: 2 };
      run.state.tasks = tasks.map(line => {
        const [id = '', status] = line.split(' ');
        return newTask(id, {
          status: status as Task['status'],
          dependencies: id === 'task-4' ? ['task-1'] : [],
        });
      });
      await propose(run, { action: 'EXCEPTION_HANDLE', handling, taskId: 'task-1' });
      expect(run.state.tasks.map(({ id, status }) => `${id} ${status}`)).toEqual(tasks);
      expect(run.state.log.journal.events.find(event => event.type === 'orchestration')).toMatchObject({
        accepted: false,
        why: 'The plan would have 3 open tasks, and the limit tasks is 2.',
      });
    },
  );

  test("a person's answer to the orchestrator, the plan filled meanwhile → read, and the task stays failed, which is said (LI1)", async () => {
    const run = runAtFailure({});
    run.state.limits = { tasks: 1 };
    const disposed = propose(run, { action: 'EXCEPTION_HANDLE', handling: 'ask_user' });
    answer(run, { gateId: run.state.people.gates[0]?.gate.id, text: 'Try the other file.' });
    await disposed;
    expect(accepted(run)).toEqual([false]);
    expect(run.state.tasks[0]?.status).toBe('failed');
    expect(JSON.stringify(run.state.threads)).toContain('Try the other file.');
    expect(run.state.log.journal.events.find(event => event.type === 'user_message')).toMatchObject({
      text: 'task-1 is not tried again. The plan would have 2 open tasks, and the limit tasks is 1.',
    });
  });
});
