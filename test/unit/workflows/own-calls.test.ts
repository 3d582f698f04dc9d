import { expect, test } from 'vitest';
import { workspaceTools } from '../../../packages/workspace-tools/tools.js';
import type { ToolResultMessage } from '../../../src/run/messages/message.js';
import { stepsOf } from '../../../src/run/state/trace.js';
import { runTeam, type TeamGiven, type TeamReply, type TeamRun } from '../../support/scripted-team.js';
import { fileTool, testRole } from '../../support/small-run.js';

const steps: TeamReply = {
  text: JSON.stringify({
    steps: [
      { step: 1, description: 'Look at a.', tool: 'read', parameters: { path: 'a' } },
      { step: 2, description: 'Write b.', tool: 'put', parameters: { path: 'b' } },
    ],
  }),
};
const DONE: TeamReply = { text: JSON.stringify({ summary: 'It is in b.', taskCompleted: true }) };
const VERDICT: TeamReply = {
  text: JSON.stringify({
    allCompleted: true,
    userNeedsSatisfied: true,
    overallFeedback: 'Well.',
    summary: 'It says 42.',
    tasks: ['1', '2'].map(id => ({ id, completed: true, feedback: 'Seen.' })),
  }),
};
const ALL: TeamGiven = { settings: { autoApprove: true } };

const results = ({ run }: TeamRun) =>
  Object.values(run.state.threads)
    .flatMap(({ messages }) => messages)
    .filter((message): message is ToolResultMessage => message.kind === 'tool_result')
    .map(({ content: [{ toolName, ending }] }) => [toolName, ending]);
const states = ({ run }: TeamRun) => run.state.tasks.map(({ id, status, result }) => [id, status, result]);

test('L22 a plan of steps with tools → they run in order without a model, and the verifier reads what they gave', async () => {
  const ran = await runTeam([steps, VERDICT], ALL);
  expect(ran.asked).toEqual(['planner', 'verifier']);
  expect(ran.ran.map(({ tool, arguments: given }) => [tool, given])).toEqual([
    ['read', { path: 'a' }],
    ['put', { path: 'b' }],
  ]);
  expect(states(ran)).toEqual([
    ['1', 'completed', 'done'],
    ['2', 'completed', 'done'],
  ]);
  const said = JSON.stringify(ran.requests[1]);
  expect(said).toContain('Look at a.');
  expect(said).toContain('"type":"tool_result"');
  expect(ran.end.outcome).toBe('completed');
  const told = stepsOf(ran.run.state.log.journal.events).filter(({ action }) => action.type === 'tool');
  expect(told.map(({ role, taskId }) => [role, taskId])).toEqual([
    ['executor', '1'],
    ['executor', '2'],
  ]);
});

test('L22 a step that needs leave and has none → denied, and its role works on the task', async () => {
  const ran = await runTeam([steps, DONE, VERDICT]);
  expect(ran.asked).toEqual(['planner', 'executor', 'verifier']);
  expect(results(ran)).toEqual([
    ['read', 'executed'],
    ['put', 'denied'],
  ]);
  expect(states(ran)[1]).toEqual(['2', 'completed', 'It is in b.']);
});

test('L22 a step that needs leave and gets it → it runs', async () => {
  const answers = [{ decision: 'approve' } as never];
  const ran = await runTeam([steps, VERDICT], { settings: { attended: true }, answers });
  expect(results(ran)[1]).toEqual(['put', 'executed']);
});

test.each<[string, string, boolean]>([
  ['a tool that is not there', 'teleport', false],
  ['a tool that fails', 'put', true],
])('L22 a step of %s → its role works on the task', async (_what, tool, isError) => {
  const plan = { steps: [{ step: 1, description: 'Do it.', tool, parameters: {} }] };
  const ran = await runTeam([{ text: JSON.stringify(plan) }, DONE, VERDICT], {
    ...ALL,
    callTool: async () => ({ ok: true, value: { ending: 'executed', content: [], isError, durationMs: 1 } }),
  });
  expect(ran.asked).toEqual(['planner', 'executor', 'verifier']);
  expect(states(ran)[0]).toEqual(['1', 'completed', 'It is in b.']);
});

test('L22 a step whose arguments do not fit its tool → nobody is asked about it, and its role works on the task', async () => {
  const put = { ...fileTool('put'), inputSchema: { type: 'object', required: ['content'] } };
  const ran = await runTeam([steps, DONE, VERDICT], {
    settings: { attended: true },
    pinned: { tools: [put, fileTool('read', { readOnly: true })] },
  });
  expect(ran.run.state.log.journal.events.some(({ type }) => type === 'gate_opened')).toBe(false);
  expect(results(ran)[1]).toEqual(['put', 'invalid']);
  expect(states(ran)[1]).toEqual(['2', 'completed', 'It is in b.']);
});

const COMMAND = workspaceTools({ workspace: '/w' }).find(({ name }) => name === 'run')?.inputSchema ?? {};

test.each([
  ['exit code 1 (0.4 s)\n1 failed', ['planner', 'executor', 'verifier']],
  ['timed out after 120.0 s; all that it started was ended', ['planner', 'executor', 'verifier']],
  ['exit code 0 (0.4 s)\nwill exit with 1 if it fails', ['planner', 'verifier']],
])(
  "L22 a step that is a command: %j → a command that failed is its role's to work on",
  async (text, asked) => {
    const tool = { ...fileTool('run'), inputSchema: COMMAND };
    const plan = {
      steps: [{ step: 1, description: 'Test.', tool: 'run', parameters: { command: 'npm test' } }],
    };
    const content = [{ type: 'text' as const, text }];
    const ran = await runTeam(
      [{ text: JSON.stringify(plan) }, ...(asked.length > 2 ? [DONE] : []), VERDICT],
      {
        ...ALL,
        pinned: { tools: [tool] },
        callTool: async () => ({
          ok: true,
          value: { ending: 'executed', content, isError: false, durationMs: 1 },
        }),
      },
    );
    expect(ran.asked).toEqual(asked);
  },
);

test('L22 a step by a name and in a form that models know from elsewhere → the call that it means (WK17)', async () => {
  const tool = { ...fileTool('run'), inputSchema: COMMAND };
  const plan = { steps: [{ step: 1, description: 'Test.', tool: 'bash', parameters: { cmd: 'npm test' } }] };
  const ran = await runTeam([{ text: JSON.stringify(plan) }, VERDICT], { ...ALL, pinned: { tools: [tool] } });
  expect(ran.ran.map(({ tool, arguments: given }) => [tool, given])).toEqual([
    ['run', { command: 'npm test' }],
  ]);
});

test('L22 roles with conversations of their own → the call has the task before it', async () => {
  const roles = {
    planner: testRole('planner', { tools: [], output: 'plan', memory: 'private' }),
    executor: testRole('executor', { memory: 'private' }),
    verifier: testRole('verifier', { tools: [], output: 'verdict', memory: 'private' }),
    summary: testRole('summary', { tools: [], output: 'text', memory: 'private' }),
  };
  const ran = await runTeam([steps, VERDICT], { ...ALL, pinned: { roles } });
  expect(ran.run.state.threads.executor?.messages.map(({ kind }) => kind)).toEqual([
    'user',
    'assistant',
    'tool_result',
    'user',
    'assistant',
    'tool_result',
  ]);
  expect(JSON.stringify(ran.requests[1])).toContain('done');
});

test('L22 a message while a step runs → it is read before the next step, which then runs as planned', async () => {
  const planned = { ...steps, said: 'Hurry.' };
  const ran = await runTeam([planned, VERDICT], ALL);
  expect(ran.ran).toHaveLength(2);
  expect(JSON.stringify(ran.requests[1])).toContain('Hurry.');
});

test('L22 steps side by side → each runs once', async () => {
  const given = { ...ALL, settings: { autoApprove: true, limits: { parallelTasks: 2 } } };
  const ran = await runTeam([steps, VERDICT], given);
  expect(ran.ran.map(({ tool }) => tool).sort()).toEqual(['put', 'read']);
  expect(ran.asked).toEqual(['planner', 'verifier']);
});

test('L22 a run that began with an earlier version → a call in its plan is left to the role, and steps are no plan', async () => {
  const todos = [{ id: '1', description: 'Write b.', tool: 'put', parameters: { path: 'b' } }];
  const pinned = { behaviour: 3 };
  const ran = await runTeam([{ text: JSON.stringify({ todos }) }, DONE, VERDICT], { ...ALL, pinned });
  expect([ran.asked, ran.ran]).toEqual([['planner', 'executor', 'verifier'], []]);
  const again = await runTeam([steps, { text: JSON.stringify({ todos }) }, DONE, VERDICT], {
    ...ALL,
    pinned,
  });
  expect(again.asked).toEqual(['planner', 'planner', 'executor', 'verifier']);
});
