import { expect, test } from 'vitest';
import type { AgentEnd } from '../../../../src/run/agents/children.js';
import { newBranch } from '../../../../src/run/state/cursor.js';
import { goalTimeMs } from '../../../../src/run/state/goal.js';
import { hearAgent } from '../../../../src/workflows/agents/agents.js';
import { answerFromCaller, requestPause } from '../../../../src/workflows/inbox/inbox-handlers.js';
import { onBranch } from '../../../../src/workflows/run/branch-line.js';
import type { Run } from '../../../../src/workflows/run/run.js';
import { callSubagent } from '../../../../src/workflows/turn/tools/call-subagent.js';
import { runAtCalls, testRole } from '../../../support/small-run.js';

const HOUR = 3_600_000;
const OPTIONS = { summary: '', timeoutMs: 1, attempts: 1, interruptible: true };

/** Two tasks side by side, each with an agent at work. */
function world() {
  const clock = { now: 1_000 };
  const ends: ((end: AgentEnd) => void)[] = [];
  const { run } = runAtCalls([], {
    pinned: {
      roles: { executor: testRole('executor', { agents: ['search'] }) },
      agents: [{ name: 'search', description: '', requires: [] }],
    },
    ports: { now: () => clock.now, callSubagent: () => new Promise(end => ends.push(end)) },
  });
  run.state.goal.startedAt = clock.now;
  run.state.cursor.branches = ['task-1', 'task-2'].map(id => newBranch(id, 1));
  const lines = run.state.cursor.branches.map(branch => onBranch(run, branch));
  const calls = lines.map(line =>
    callSubagent(line, {
      role: 'executor',
      callId: 'c1',
      toolUseId: 't1',
      input: { agent_name: 'search', instruction: 'Look.' },
      options: OPTIONS,
    }),
  );
  /** Of the time that passes, what is the goal's. */
  const worked = (ms: number) => {
    const before = goalTimeMs(run.state.goal, clock.now);
    clock.now += ms;
    return goalTimeMs(run.state.goal, clock.now) - before;
  };
  return { run, ends, calls, worked };
}

function asks(run: Run, id: string): void {
  const subject = { tool: 'put', callId: 't1', arguments: '{}' };
  const gate = { id: 'g1', kind: 'approval', title: 'Put?', body: '', openedAt: 0, deadline: null, subject };
  hearAgent(run, { type: 'gate_opened', id, run: `run/${id}`, gate });
}

test('tasks side by side: the agent of each waits for a person → the time is none of the goal (A7, C21)', async () => {
  const { run, ends, calls, worked } = world();
  asks(run, 'search/1');
  expect(worked(HOUR)).toBe(HOUR);
  asks(run, 'search/2');
  expect(worked(HOUR)).toBe(0);
  // A call of one of the tasks begins and ends.
  let end = (_value: null) => {};
  const called = run.call(
    { kind: 'model', role: 'executor' },
    OPTIONS,
    () => new Promise<null>(done => (end = done)),
  );
  expect(worked(HOUR)).toBe(HOUR);
  end(null);
  await called;
  expect(worked(HOUR)).toBe(0);
  answerFromCaller(run, { gateId: run.state.people.gates[0]?.gate.id, decision: 'approve' });
  expect(worked(HOUR)).toBe(HOUR);
  ends[0]?.({ kind: 'cancelled' });
  await calls[0];
  expect(worked(HOUR)).toBe(0);
  ends[1]?.({ kind: 'cancelled' });
  await calls[1];
  expect(worked(HOUR)).toBe(HOUR);
});

test('tasks side by side: a pause holds their agents → the time is none of the goal (A7, C21)', () => {
  const { run, worked } = world();
  requestPause(run, {});
  expect(worked(HOUR)).toBe(0);
});
