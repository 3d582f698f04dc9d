import { expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../../packages/test-kit/role-outputs.js';
import { runTeam } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

test('request: what a role says of its calls → in each of its requests, and in no other (M10, A3, C17)', async () => {
  const said = {
    temperature: 0.3,
    topP: 0.8,
    reasoning: 'low',
    toolSyntax: 'xml',
    stop: ['END'],
    maxOutputTokens: 700,
    streaming: false,
  } as const;
  const roles = {
    planner: testRole('planner', { tools: [], output: 'plan' }),
    executor: testRole('executor', { ...said, stop: [...said.stop] }),
    verifier: testRole('verifier', { tools: [], output: 'verdict' }),
  };
  const tasks = [{ id: 'task-1', completed: true, feedback: 'Seen.' }];
  const replies = [
    { text: plan({ todos: ['Read'] }) },
    { text: execution({ summary: 'The file says 42.', taskCompleted: true }) },
    { text: verdict({ summary: 'It says 42.', tasks }) },
  ];
  const { requests } = await runTeam(replies, { pinned: { roles } });
  const heads = Object.fromEntries(requests.map(({ role, head }) => [role, head]));
  expect(heads.executor).toMatchObject(said);
  const unsaid = { temperature: null, topP: null, reasoning: null, toolSyntax: null, stop: [] };
  for (const role of ['planner', 'verifier']) expect(heads[role]).toMatchObject(unsaid);
  for (const role of ['planner', 'verifier']) expect(heads[role]).not.toHaveProperty('streaming');
});
