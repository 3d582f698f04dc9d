import { describe, expect, test } from 'vitest';
import { statusMarkdown } from '../../../src/rules/steering/status.js';
import { modeOf } from '../../../src/run/state/run-state.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

const choice = (mode: string): TeamReply => ({ text: JSON.stringify({ mode, reason: 'One file.' }) });
const ANSWER: TeamReply = { text: 'The file says 42.' };

async function runAuto(replies: readonly TeamReply[]) {
  const ran = await runTeam(replies, {
    settings: { mode: 'auto' },
    pinned: {
      roles: {
        selector: testRole('selector', { output: 'choice', tools: [] }),
        react: testRole('react', { output: 'text' }),
        direct: testRole('direct', { output: 'text', tools: [], maxRounds: 1 }),
        planner: testRole('planner', { output: 'plan', tools: [] }),
        executor: testRole('executor'),
        summary: testRole('summary', { output: 'text', tools: [] }),
      },
    },
  });
  const chosen = ran.run.state.log.journal.events.filter(({ type }) => type === 'mode_chosen');
  return { ...ran, chosen };
}

describe('auto mode', () => {
  test.each(['react', 'direct'])(
    'auto: %s is chosen → the goal is pursued so, and why stands in the journal (L18)',
    async mode => {
      const { run, end, asked, chosen } = await runAuto([choice(mode), ANSWER]);
      expect(asked).toEqual(['selector', mode]);
      expect(modeOf(run.state)).toEqual({ mode, roles: null });
      expect(chosen).toMatchObject([{ mode, why: 'One file.' }]);
      expect(run.state.goal.modeWhy).toBe('One file.');
      run.state.idleSince = null;
      expect(statusMarkdown(run.state)).toContain(`Mode ${mode}: One file.`);
      expect(end).toMatchObject({
        outcome: 'answered',
        cause: 'direct_answer',
        answer: 'The file says 42.',
      });
    },
  );

  test('auto: plan is chosen → plan, task, and a summary of what came of them, which nobody verified (L15, L18)', async () => {
    const plan = { summary: '', needsMorePlanning: false, todos: [{ id: 't1', description: 'Read it.' }] };
    const { end, asked } = await runAuto([
      choice('plan'),
      { text: JSON.stringify(plan) },
      { text: JSON.stringify({ summary: 'It says 42.', taskCompleted: true }) },
      ANSWER,
    ]);
    expect(asked).toEqual(['selector', 'planner', 'executor', 'summary']);
    expect(end).toMatchObject({ outcome: 'answered', cause: 'carried_out', answer: 'The file says 42.' });
  });

  test('auto: no choice that can be read, twice → one role with tools, and a line that says so (L18)', async () => {
    const { asked, chosen } = await runAuto([choice('best'), { text: 'I like it.' }, ANSWER]);
    expect(asked).toEqual(['selector', 'selector', 'react']);
    expect(chosen).toMatchObject([{ mode: 'react' }]);
  });
});
