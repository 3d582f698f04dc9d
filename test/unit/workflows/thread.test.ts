import { expect, test } from 'vitest';
import { execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import { runTeam } from '../../support/scripted-team.js';

test('thread: notes for people → in the journal alone; all that is in the thread goes to the model (G3)', async () => {
  const tasks = [{ id: 'task-1', completed: true, feedback: '' }];
  const replies = [
    { text: plan({ todos: ['Read'] }) },
    { text: execution({ summary: 'The file says 42.', taskCompleted: true }) },
    { text: verdict({ summary: 'It says 42.', tasks }) },
  ];
  const note = 'The server notes did not start.';
  const { run, requests } = await runTeam(replies, { pinned: { warnings: [note] } });
  expect(JSON.stringify(run.state.log.journal.events)).toContain(note);
  expect(JSON.stringify(run.state.threads)).not.toContain(note);
  const thread = Object.values(run.state.threads).flatMap(({ messages }) => messages);
  // The last reply is kept, and not sent.
  expect(requests.at(-1)?.messages).toEqual(thread.slice(0, -1));
});
