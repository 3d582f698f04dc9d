import { describe, expect, test } from 'vitest';
import type { PinnedRole } from '../../../src/core/agents/role.js';
import type { GateAnswer } from '../../../src/core/gates/gate.js';
import { DEFAULT_LIMITS } from '../../../src/core/limits/limits.js';
import { textOf } from '../../../src/core/state/message.js';
import { receive } from '../../../src/workflows/platform/inbox-handlers.js';
import { planEditReader } from '../../../src/workflows/platform/read-input.js';
import { modelFacts } from '../../support/core-values.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { fileTool, testRole } from '../../support/small-run.js';

interface Given {
  limits?: Partial<typeof DEFAULT_LIMITS>;
  role?: Partial<PinnedRole>;
  /** Of a person, at gates: somebody attends. */
  answers?: GateAnswer[];
  models?: string[];
}

function runReact(replies: readonly TeamReply[], { limits, role, answers, models = ['p/a'] }: Given = {}) {
  return runTeam(replies, {
    settings: { mode: 'react', ...(answers ? { attended: true } : {}) },
    pinned: {
      roles: { react: testRole('react', { output: 'text', ...role }) },
      limits: { ...DEFAULT_LIMITS, ...limits },
      models,
      modelInfo: Object.fromEntries(models.map(model => [model, modelFacts(100_000, true)])),
    },
    ...(answers ? { answers } : {}),
  });
}

type ReactRun = Awaited<ReturnType<typeof runReact>>['run'];

function eventsOf({ state }: ReactRun, type: string) {
  return state.log.journal.events.filter(event => event.type === type);
}

function said({ state }: ReactRun, thread = 'main'): string {
  return (state.threads[thread]?.messages ?? []).map(textOf).join('\n');
}

const READ: TeamReply = { calls: ['read'] };
const ANSWER: TeamReply = { text: 'The file says 42.' };

describe('a mode of one role', () => {
  test('direct: calls tools, then says something without a call → that is the answer, and nothing was verified (L14)', async () => {
    const { run, end, asked, ran } = await runReact([READ, READ, ANSWER]);
    expect(end).toMatchObject({
      outcome: 'answered',
      cause: 'direct_answer',
      answer: 'The file says 42.',
    });
    expect(asked).toEqual(['react', 'react', 'react']);
    // The second is the same call: its result still holds.
    expect(ran).toHaveLength(1);
    expect(run.state.tasks).toEqual([]);
    expect(eventsOf(run, 'phase_started')).toMatchObject([{ phase: 'answering', cycle: 1 }]);
    expect(said(run)).toContain('in at most 10 rounds');
  });

  test.each<[string, TeamReply[], string]>([
    ['answers', [READ, ANSWER], 'direct_answer'],
    ['answers at its wrap-up', [READ, { calls: ['put'] }, ANSWER], 'execution_cap'],
  ])(
    'direct: a role with a final response %s → the answer stands in it, and in the conversation alone (P12)',
    async (_, replies, cause) => {
      const finalResponse = '# Answer\n\n{{content}}\n\n{{toolCount}} calls:\n{{toolHistory}}';
      const given = { limits: { execution: 2 }, role: { finalResponse } };
      const { run, end } = await runReact(replies, given);
      expect(end.cause).toBe(cause);
      expect(end.answer).toMatch(/^# Answer\n\nThe file says 42\.\n\n\d calls:\n- react: read /);
      expect(said(run)).not.toContain('# Answer');
    },
  );

  test('direct: a role with a final response says nothing, and fails → nothing is made of it (P12)', async () => {
    const given = { role: { finalResponse: '# Answer\n\n{{content}}' } };
    expect((await runReact([{ fails: 'model.auth' }], given)).end.answer).toBe('');
  });

  test('direct: a role that only reads calls what writes, and what nobody lists, approved or not → neither is offered, neither runs (A4, T9)', async () => {
    const { run, requests, ran, end } = await runTeam(
      [{ calls: ['put'] }, { calls: ['unlisted'] }, READ, ANSWER],
      {
        settings: { mode: 'react', autoApprove: true },
        pinned: {
          roles: { react: testRole('react', { output: 'text', readOnly: true }) },
          fallbackServer: 'default',
        },
      },
    );
    expect(requests[0]?.head?.tools.map(({ name }) => name)).toEqual(['read']);
    expect(ran).toHaveLength(1);
    expect(run.state.log.trace.steps.flatMap(({ ending }) => ending ?? [])).toEqual([
      'unavailable',
      'unavailable',
      'executed',
    ]);
    expect(end.answer).toBe('The file says 42.');
  });

  test.each([
    ['as it is', 'put#d1', ['executed'], []],
    [
      'as it was once',
      'put#d0',
      ['denied'],
      [expect.stringContaining('allowed for good, so that they ask: put')],
    ],
  ])(
    'direct: a tool that was allowed for good, %s → runs, or asks again and the journal says why (T23)',
    async (_, entry, endings, warnings) => {
      const { run } = await runTeam([{ calls: ['put'] }, ANSWER], {
        settings: { mode: 'react', allowTools: [entry] },
        pinned: {
          roles: { react: testRole('react', { output: 'text' }) },
          tools: [{ ...fileTool('put'), digest: 'd1' }],
        },
      });
      expect(run.state.log.trace.steps.flatMap(({ ending }) => ending ?? [])).toEqual(endings);
      expect(eventsOf(run, 'run_loaded')).toMatchObject([{ warnings }]);
    },
  );

  test('direct: its rounds are used up → one reply of the same role without tools, execution_cap (L18)', async () => {
    const { run, end, asked, ran } = await runReact([READ, { calls: ['put'] }, ANSWER], {
      limits: { execution: 2 },
    });
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'execution_cap', answer: 'The file says 42.' });
    expect(asked).toHaveLength(3);
    expect(ran).toHaveLength(1);
    expect(run.state.models.calls.map(call => call.toolsOffered)).toEqual([true, true, false]);
    expect(eventsOf(run, 'limit_reached')).toMatchObject([{ limit: 'execution', taskId: null }]);
  });

  test('direct: a budget is used up → the same wrap-up, and its cause (L11)', async () => {
    const { end } = await runReact([READ, ANSWER], { limits: { turns: 1 } });
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
    expect((await runReact(replies)).end.cause).toBe(cause);
  });

  test.each(['refusal', 'content_filter'] as const)(
    'direct: a reply ends with %s, and somebody attends → asked; another model answers, and reads nothing of it (M13)',
    async stopReason => {
      const { run, end, requests } = await runReact([{ text: 'I will not.', stopReason }, ANSWER], {
        role: { models: ['p/a'] },
        models: ['p/a', 'p/b'],
        answers: [{ kind: 'failure', decision: 'other_model', model: 'p/b' }],
      });
      expect(eventsOf(run, 'gate_opened')).toMatchObject([{ kind: 'failure' }]);
      expect(end).toMatchObject({ outcome: 'answered', answer: 'The file says 42.' });
      expect(JSON.stringify(requests[1])).not.toContain('I will not.');
      expect(eventsOf(run, 'provider_switch')).toMatchObject([{ fromModel: 'p/a', toModel: 'p/b' }]);
    },
  );

  test('direct: the model declines, and the person says stop → failed, and nobody is asked again (M13)', async () => {
    const { end, asked } = await runReact([{ text: 'No.', stopReason: 'refusal' }], {
      answers: [{ kind: 'failure', decision: 'stop' }],
    });
    expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:model.refused' });
    expect(asked).toHaveLength(1);
  });

  test('direct: an envelope that asks the person → the question is the answer, for the next goal to reply to', async () => {
    const question = JSON.stringify({
      action: 'CLARIFICATION_REQUIRED',
      params: { question: 'Which file?' },
    });
    const { end } = await runReact([{ text: question }], { role: { dialect: 'envelope' } });
    expect(end).toMatchObject({ outcome: 'answered', answer: expect.stringContaining('Which file?') });
  });

  test('direct: a conversation of its own → the goal stands in its instruction', async () => {
    const { run } = await runReact([ANSWER], { role: { memory: 'private' } });
    expect(said(run, 'react')).toContain('<goal>\nDo it.\n</goal>');
  });

  test('direct: a task of a person, a message to a role of the team → refused, with what there is (PR2, PR3)', async () => {
    const { run } = await runReact([ANSWER]);
    run.state.idleSince = null;
    const edit = planEditReader(run.state)({ tasks: [{ id: 'p1', description: 'Do p1' }] });
    expect(edit).toEqual({ error: expect.stringContaining('mode react have no plan') });
    receive(run, { text: 'Hurry', to: 'planner' }, 'steer');
    receive(run, { text: 'Hurry', to: 'react' }, 'steer');
    expect(eventsOf(run, 'signal_ignored')).toMatchObject([{ reason: expect.stringContaining('(react)') }]);
    expect(run.state.people.inbox.items).toMatchObject([{ to: 'react' }]);
  });
});
