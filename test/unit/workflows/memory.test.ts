import { expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { runTeam } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

const judged = ['t1', 't2'].map(id => ({ id, completed: true, feedback: 'Seen.' }));
const done = (summary: string) => ({ text: execution({ summary, taskCompleted: true }) });

/** Two tasks of an executor that keeps to itself, each of as many rounds as it may have. */
const twoTasks = () =>
  runTeam(
    [
      { text: plan({ todos: ['t1', 't2'].map(id => ({ id, description: `Do ${id}` })) }) },
      { calls: ['read'] },
      done('The first is 42.'),
      { calls: ['put'] },
      done('The second is 43.'),
      { text: verdict({ summary: 'It is 42 and 43.', tasks: judged }) },
    ],
    {
      settings: { autoApprove: true },
      pinned: {
        limits: { ...DEFAULT_LIMITS, execution: 2 },
        roles: {
          planner: testRole('planner', { tools: [], output: 'plan' }),
          executor: testRole('executor', { memory: 'private' }),
          verifier: testRole('verifier', { tools: [], output: 'verdict' }),
          summary: testRole('summary', { tools: [], output: 'text' }),
        },
      },
    },
  );

test('a role with its own memory, invoked twice → it has all its calls and results, and its rounds begin anew (Y1)', async () => {
  const { run, end, requests, asked } = await twoTasks();
  expect(end.outcome).toBe('completed');
  expect(run.state.tasks.map(({ status, rounds }) => [status, rounds])).toEqual([
    ['completed', 2],
    ['completed', 2],
  ]);
  const last = requests[asked.lastIndexOf('executor')]?.messages ?? [];
  expect(
    last.flatMap(message => (message.kind === 'tool_result' ? [message.content[0].toolName] : [])),
  ).toEqual(['read', 'put']);
});

test('a role with its own memory → sees its instruction and its own work; the others see its reports, not its calls (C26)', async () => {
  const { run, requests, asked } = await twoTasks();
  const { main, executor } = run.state.threads;
  expect(executor?.messages.filter(({ kind }) => kind === 'tool_result')).toHaveLength(2);
  expect(main?.messages.filter(({ kind }) => kind === 'tool_result')).toEqual([]);
  expect(main?.messages.flatMap(message => (message.kind === 'assistant' ? [message.role] : []))).toEqual([
    'planner',
    'verifier',
  ]);
  const verifier = requests[asked.indexOf('verifier')]?.messages ?? [];
  const told = verifier.map(message => textOf(message)).join('\n');
  expect(told).toContain('The first is 42.');
  expect(told).toContain('The second is 43.');
});

test('the state of a run → plain data: as JSON and back it is the same (Y3)', async () => {
  const { run } = await twoTasks();
  expect(JSON.parse(JSON.stringify(run.state))).toStrictEqual(run.state);
});
