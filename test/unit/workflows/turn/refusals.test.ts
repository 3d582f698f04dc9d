/** What a run keeps and tells of requests that were changed because an endpoint refused them. */
import { expect, test } from 'vitest';
import { LESSONS_BYTES, withLesson } from '../../../../src/run/models/lessons.js';
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

const MUCH = { 'p/b': [`option ${'x'.repeat(LESSONS_BYTES - 40)} 1`] };

test.each([
  ['the first', undefined, 'pictures 1', { 'p/a': ['pictures 1'] }],
  ['another', { 'p/a': ['pictures 1'] }, 'tools 1', { 'p/a': ['pictures 1', 'tools 1'] }],
  ['another level of one', { 'p/a': ['pictures 1'] }, 'pictures 2', { 'p/a': ['pictures 2'] }],
  [
    'one that is known',
    { 'p/a': ['pictures 1', 'tools 1'] },
    'pictures 1',
    { 'p/a': ['pictures 1', 'tools 1'] },
  ],
  ['one without room for it', MUCH, 'option temperature 1', MUCH],
])('a lesson: %s → kept by its subject, within the bound (FE6)', (_, lessons, id, kept) => {
  expect(withLesson(lessons, 'p/a', id)).toEqual(kept);
});
