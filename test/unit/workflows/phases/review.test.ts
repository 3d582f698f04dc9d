import { expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../../src/testing/role-outputs.js';
import { pinnedRun } from '../../../support/core-values.js';
import { runTeam, type TeamReply } from '../../../support/scripted-team.js';

const planned: TeamReply = { text: plan({ todos: ['Read'] }) };
const done: TeamReply = { text: execution({ summary: 'The file says 42.', taskCompleted: true }) };
const accepted: TeamReply = {
  text: verdict({ summary: 'It says 42.', tasks: [{ id: 'task-1', completed: true, feedback: '' }] }),
};

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
