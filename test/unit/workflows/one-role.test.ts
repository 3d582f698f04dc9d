import { describe, expect, test } from 'vitest';
import type { PinnedRole } from '../../../src/run/agents/role.js';
import type { Check } from '../../../src/run/checks/check.js';
import type { GateAnswer } from '../../../src/run/gates/gate.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { stepsOf } from '../../../src/run/state/trace.js';
import { receive } from '../../../src/workflows/inbox/inbox-handlers.js';
import { planEditReader } from '../../../src/workflows/inbox/read-input.js';
import { modelFacts } from '../../support/core-values.js';
import { runTeam, type TeamReply } from '../../support/scripted-team.js';
import { fileTool, testRole } from '../../support/small-run.js';

interface Given {
  limits?: Partial<typeof DEFAULT_LIMITS>;
  role?: Partial<PinnedRole>;
  /** Of a person, at gates: somebody attends. */
  answers?: GateAnswer[];
  models?: string[];
  checks?: Check[];
}

function runReact(
  replies: readonly TeamReply[],
  { limits, role, answers, models = ['p/a'], checks }: Given = {},
) {
  return runTeam(replies, {
    settings: { mode: 'react', ...(answers ? { attended: true } : {}) },
    pinned: {
      roles: { react: testRole('react', { output: 'text', ...role }) },
      limits: { ...DEFAULT_LIMITS, ...limits },
      models,
      ...(checks && { checks }),
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

const heard = (run: ReactRun) => said(run);

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
    expect(said(run)).toContain('Replies that call tools: at most 40, each with at most 16 calls');
  });

  test('its replies come to an end → it is told once how many are left, and all of them may call tools (SE6)', async () => {
    const { run, end } = await runReact([...Array<TeamReply>(40).fill(READ), ANSWER]);
    expect(said(run).split('Replies left: 2. Do not call tools in the last.')).toHaveLength(2);
    expect(end.cause).toBe('direct_answer');
  });

  test.each<[string, TeamReply[], string]>([
    ['answers', [READ, ANSWER], 'direct_answer'],
    ['answers at its wrap-up', [READ, { calls: ['put'] }, READ, ANSWER], 'execution_cap'],
  ])(
    'direct: a role with a final response %s → the answer stands in it, and in the conversation alone (P12)',
    async (_, replies, cause) => {
      const finalResponse = '# Answer\n\n{{content}}\n\n{{toolCount}} calls:\n{{toolHistory}}';
      const given = { limits: { replies: 2 }, role: { finalResponse } };
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
    expect(stepsOf(run.state.log.journal.events).flatMap(({ ending }) => ending ?? [])).toEqual([
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
      [expect.stringContaining('allowed them, so they ask again: put')],
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
      expect(stepsOf(run.state.log.journal.events).flatMap(({ ending }) => ending ?? [])).toEqual(endings);
      expect(eventsOf(run, 'run_loaded')).toMatchObject([{ warnings }]);
    },
  );

  test('direct: its rounds are used up → one reply of the same role without tools, execution_cap (L18, L21)', async () => {
    const { run, end, asked, ran } = await runReact([READ, { calls: ['put'] }, READ, ANSWER], {
      limits: { replies: 2 },
    });
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'execution_cap', answer: 'The file says 42.' });
    expect(asked).toHaveLength(4);
    expect(ran).toHaveLength(1);
    expect(run.state.models.calls.map(call => call.toolsOffered)).toEqual([true, true, true, false]);
    expect(eventsOf(run, 'limit_reached')).toMatchObject([{ limit: 'replies', taskId: null }]);
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
    ['says nothing, twice', [{ text: '' }, { text: ' ' }], 'failed:model.bad_response'],
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

describe('a person and a text answer', () => {
  const said = (params: object, more: object = {}): TeamReply => ({
    text: JSON.stringify({
      ...{ thought: 'So.', action: 'ANSWER', params, expectedOutcome: 'It is said.' },
      ...{ risk: { level: 'low', description: '' }, confidence: 90, ...more },
    }),
  });
  const asks = said({ question: 'Which file?' }, { action: 'CLARIFICATION_REQUIRED' });
  const escalates = said({ message: 'Too bold.' }, { action: 'ESCALATE' });
  const unsure = said({ text: 'The file says 42.' }, { confidence: 60 });
  const reply = (text: string | null): GateAnswer => ({ kind: 'question', text });
  const decide = (decision: 'approve' | 'deny', reason: string | null = null): GateAnswer => ({
    kind: 'route',
    decision,
    reason,
  });
  const rounds = ({ state }: ReactRun) => {
    const { turns } = state.cursor.position;
    return turns.round;
  };

  test.each<[string, TeamReply, string]>([
    ['asks in an envelope', asks, 'Which file?'],
    ['escalates', escalates, 'The role wants a person to decide: Too bold.'],
  ])(
    'answer: a role %s, one round is left → its answer is told to the role, costs none, and stays with its question (F17, G12)',
    async (_, first, question) => {
      const { run, end, asked } = await runReact([first, ANSWER], {
        role: { maxRounds: 1 },
        answers: [reply('The second.')],
      });
      expect(asked).toEqual(['react', 'react']);
      expect(end).toMatchObject({ cause: 'direct_answer', answer: 'The file says 42.' });
      expect(rounds(run)).toBe(1);
      expect(run.state.goal.userNotes).toEqual([`Asked "${question}": The second.`]);
      expect(heard(run)).toContain('The second.');
    },
  );

  test('answer: a long answer of a person → no less of it stays than without its question (OU10)', async () => {
    const long = 'The second. '.repeat(165).trim();
    const { run } = await runReact([asks, ANSWER], { role: { maxRounds: 1 }, answers: [reply(long)] });
    expect(run.state.goal.userNotes).toEqual([long]);
  });

  test.each<[string, TeamReply[], string, string]>([
    ['answers', [asks, ANSWER], 'direct_answer', 'The file says 42.'],
    ['asks again', [asks, asks], 'not_answered', 'Which file?'],
  ])(
    'answer: a role asks and nobody attends, then it %s → told at once to decide itself: %s',
    async (_, replies, cause, answer) => {
      const { run, end } = await runReact(replies, { role: { maxRounds: 1 } });
      expect(end).toMatchObject({ cause, answer });
      expect(heard(run)).toContain('decide yourself');
    },
  );

  test('answer: a role reports an error → the goal has failed, and says why (G12)', async () => {
    const error = said({ errorType: 'tool_unavailable', message: 'No disk.' }, { action: 'ERROR' });
    const { end, asked } = await runReact([error], { answers: [] });
    expect(asked).toEqual(['react']);
    expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:role_error' });
    expect(end.answer).toContain('No disk.');
  });

  test.each<[string, TeamReply]>([
    ['is not sure', unsure],
    [
      'sees a high risk',
      said({ text: 'The file says 42.' }, { risk: { level: 'high', description: 'It goes.' } }),
    ],
    ['asks for it', said({ answer: 'The file says 42.' }, { requiresUserConfirmation: true })],
  ])('answer: its role %s → a person confirms its text before the goal ends (F22)', async (_, first) => {
    const yes = await runReact([first], { answers: [decide('approve')] });
    expect(yes.end).toMatchObject({ cause: 'direct_answer', answer: 'The file says 42.' });
    const [gate] = eventsOf(yes.run, 'gate_opened');
    expect(gate).toMatchObject({ kind: 'route', body: expect.stringMatching(/\n\nThe file says 42\.$/) });
    const alone = await runReact([first]);
    expect(alone.end).toMatchObject({
      outcome: 'unverified',
      cause: 'not_confirmed',
      answer: 'The file says 42.',
    });
  });

  test('answer: its role is not sure, nobody attends, and every check passes → not confirmed all the same (F22)', async () => {
    const { run, end } = await runReact([unsure], { checks: [{ run: 'true' }] });
    expect(run.state.goal.checks.results).toMatchObject([{ status: 'passed' }]);
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'not_confirmed' });
  });

  test('answer: a person does not confirm it → back to its role with what they said, as often as a verification may (F22)', async () => {
    const no = decide('deny', 'Look at line 7.');
    const mended = await runReact([unsure, ANSWER], { role: { maxRounds: 1 }, answers: [no] });
    expect(mended.end).toMatchObject({ cause: 'direct_answer', answer: 'The file says 42.' });
    expect(heard(mended.run)).toContain('Look at line 7.');
    const { end, asked } = await runReact([unsure, unsure, ANSWER], {
      limits: { verification: 2 },
      answers: [no, decide('deny')],
    });
    expect(asked).toHaveLength(2);
    expect(end).toMatchObject({ cause: 'not_confirmed', answer: 'The file says 42.' });
  });
});
