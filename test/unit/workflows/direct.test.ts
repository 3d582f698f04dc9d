import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.js';
import { textOf } from '../../../src/core/message.js';
import type { PinnedRole } from '../../../src/core/role.js';
import { receive } from '../../../src/workflows/platform/inbox-handlers.js';
import { planEditReader } from '../../../src/workflows/platform/read-input.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

interface Given {
  limits?: Partial<typeof DEFAULT_LIMITS>;
  role?: Partial<PinnedRole>;
}

function runDirect(replies: readonly TeamReply[], { limits, role }: Given = {}) {
  return runTeam(replies, {
    settings: { mode: 'direct' },
    pinned: {
      roles: { direct: testRole('direct', { output: 'text', ...role }) },
      limits: { ...DEFAULT_LIMITS, ...limits },
    },
  });
}

type DirectRun = Awaited<ReturnType<typeof runDirect>>['run'];

function eventsOf({ state }: DirectRun, type: string) {
  return state.log.journal.events.filter(event => event.type === type);
}

function said({ state }: DirectRun, thread = 'main'): string {
  return (state.threads[thread]?.messages ?? []).map(textOf).join('\n');
}

const READ: TeamReply = { calls: ['read'] };
const ANSWER: TeamReply = { text: 'The file says 42.' };

describe('direct mode', () => {
  test('direct: calls tools, then says something without a call → that is the answer, and nothing was verified (L18)', async () => {
    const { run, end, asked, ran } = await runDirect([READ, READ, ANSWER]);
    expect(end).toMatchObject({
      outcome: 'unverified',
      cause: 'direct_answer',
      answer: 'The file says 42.',
    });
    expect(asked).toEqual(['direct', 'direct', 'direct']);
    // The second is the same call: its result still holds.
    expect(ran).toHaveLength(1);
    expect(run.state.tasks).toEqual([]);
    expect(eventsOf(run, 'phase_started')).toMatchObject([{ phase: 'answering', cycle: 1 }]);
    expect(said(run)).toContain('in at most 10 rounds');
  });

  test('direct: its rounds are used up → one reply of the same role without tools, execution_cap (L18)', async () => {
    const { run, end, asked, ran } = await runDirect([READ, { calls: ['put'] }, ANSWER], {
      limits: { execution: 2 },
    });
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'execution_cap', answer: 'The file says 42.' });
    expect(asked).toHaveLength(3);
    expect(ran).toHaveLength(1);
    expect(run.state.models.calls.map(call => call.toolsOffered)).toEqual([true, true, false]);
    expect(eventsOf(run, 'limit_reached')).toMatchObject([{ limit: 'execution', taskId: null }]);
  });

  test('direct: a budget is used up → the same wrap-up, and its cause (L11)', async () => {
    const { end } = await runDirect([READ, ANSWER], { limits: { turns: 1 } });
    expect(end).toMatchObject({ cause: 'turn_cap', answer: 'The file says 42.' });
  });

  test.each<[string, TeamReply[], string]>([
    ['declines', [{ text: 'No.', stopReason: 'refusal' }], 'failed:model.refused'],
    [
      'is withheld by its endpoint',
      [{ text: 'N', stopReason: 'content_filter' }],
      'failed:model.content_filter',
    ],
    ['says nothing, twice, then wraps up', [{ text: '' }, { text: ' ' }, ANSWER], 'direct_answer'],
    ['fails for good', [{ fails: 'model.auth' }], 'failed:model.auth'],
  ])('direct: the model %s → %s', async (_, replies, cause) => {
    expect((await runDirect(replies)).end.cause).toBe(cause);
  });

  test('direct: an envelope that asks the person → the question is the answer, for the next goal to reply to', async () => {
    const question = JSON.stringify({
      action: 'CLARIFICATION_REQUIRED',
      params: { question: 'Which file?' },
    });
    const { end } = await runDirect([{ text: question }], { role: { dialect: 'envelope' } });
    expect(end).toMatchObject({ outcome: 'unverified', answer: expect.stringContaining('Which file?') });
  });

  test('direct: a conversation of its own → the goal stands in its brief', async () => {
    const { run } = await runDirect([ANSWER], { role: { memory: 'private' } });
    expect(said(run, 'direct')).toContain('<goal>\nDo it.\n</goal>');
  });

  test('direct: a task of a person, a message to a role of the team → refused, with what there is (PR2, PR3)', async () => {
    const { run } = await runDirect([ANSWER]);
    run.state.idleSince = null;
    const edit = planEditReader(run.state)({ tasks: [{ id: 'p1', description: 'Do p1' }] });
    expect(edit).toEqual({ error: expect.stringContaining('mode direct have no plan') });
    receive(run, { text: 'Hurry', to: 'planner' }, 'steer');
    receive(run, { text: 'Hurry', to: 'direct' }, 'steer');
    expect(eventsOf(run, 'signal_ignored')).toMatchObject([{ reason: expect.stringContaining('(direct)') }]);
    expect(run.state.people.inbox.items).toMatchObject([{ to: 'direct' }]);
  });
});
