/** What a run keeps and tells of requests that were changed because an endpoint refused them. */
import { expect, test } from 'vitest';
import { runTeam, type TeamReply } from '../../../support/scripted-team.js';
import { testRole } from '../../../support/small-run.js';

test('changes of requests → each told once; kept but for those of one call (FE6)', async () => {
  const kept = { id: 'option temperature 1', told: 'No temperature.' };
  const once = { id: 'pictures 1', told: 'No pictures this time.', once: true } as const;
  const replies: TeamReply[] = [
    { calls: ['read'], lessons: [kept, once] },
    { text: 'It says 42.', lessons: [once] },
  ];
  const { run } = await runTeam(replies, {
    settings: { mode: 'react' },
    pinned: { roles: { react: testRole('react', { output: 'text' }) } },
  });
  expect(run.state.models.lessons).toEqual({ 'p/a': [kept.id] });
  const warnings = run.state.log.journal.events.filter(({ type }) => type === 'warning');
  expect(warnings).toMatchObject([{ text: kept.told }, { text: once.told }]);
});
