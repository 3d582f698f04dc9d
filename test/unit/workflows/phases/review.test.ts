import { expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../../packages/test-kit/role-outputs.js';
import { pinnedRun } from '../../../support/core-values.js';
import { runTeam, type TeamReply } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

const planned: TeamReply = { text: plan({ todos: ['Read'] }) };
const done: TeamReply = { text: execution({ summary: 'The file says 42.', taskCompleted: true }) };
const accepted: TeamReply = {
  text: verdict({ summary: 'It says 42.', tasks: [{ id: 'task-1', completed: true, feedback: '' }] }),
};

test('review of a call: the reviewer wants it mended → told so, and not that it is denied (F20, C8)', async () => {
  const review = { ...pinnedRun().review, actions: true };
  const risk = { level: 'high', description: 'It overwrites.' };
  const risky = { thought: 'Writes.', expectedOutcome: 'It is there.', risk, confidence: 90 };
  const { requests } = await runTeam(
    [planned, { text: JSON.stringify(risky), calls: ['put'] }, done, accepted],
    { pinned: { review } },
  );
  const told = JSON.stringify(requests[2]?.messages);
  expect(told).toContain(
    'Not accepted: Not run: a review did not accept this call as it is. Mend it and call again:',
  );
  expect(told).not.toContain('Denied');
});

test("review of a result: the task's calls all succeeded → no objection, the task is completed (F20)", async () => {
  const review = { ...pinnedRun().review, results: true };
  const { run, asked } = await runTeam([planned, { calls: ['read'] }, done, accepted], {
    pinned: { review },
  });
  const reviews = run.state.log.journal.events.filter(({ type }) => type === 'review');
  expect(reviews).toMatchObject([{ subject: 'task-1', approved: true, fixes: [] }]);
  expect(asked).toEqual(['planner', 'executor', 'executor', 'verifier']);
  expect(run.state.tasks).toMatchObject([{ status: 'completed', reason: null }]);
});

test('CF8 review of a result by a reviewer → the event has its score and feedback', async () => {
  const review = { ...pinnedRun().review, results: true };
  const verdictOf = { approved: true, score: 87, feedback: 'Each figure has its source.', requiredFixes: [] };
  const roles = {
    planner: testRole('planner', { tools: [], output: 'plan' }),
    executor: testRole('executor'),
    reviewer: testRole('reviewer', { tools: [], output: 'review', memory: 'private' }),
    verifier: testRole('verifier', { tools: [], output: 'verdict' }),
    summary: testRole('summary', { tools: [], output: 'text' }),
  };
  const { run } = await runTeam(
    [planned, { calls: ['read'] }, done, { text: JSON.stringify(verdictOf) }, accepted],
    { pinned: { review, roles } },
  );
  const reviews = run.state.log.journal.events.filter(({ type }) => type === 'review');
  expect(reviews).toMatchObject([{ score: 87, feedback: 'Each figure has its source.' }]);
});
