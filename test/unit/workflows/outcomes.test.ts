import { describe, expect, test } from 'vitest';
import { envelope, execution, plan, verdict } from '../../../packages/test-kit/role-outputs.js';
import { DEFAULT_LIMITS } from '../../../src/run/limits/limits.js';
import { textOf } from '../../../src/run/messages/message.js';
import { stepsOf } from '../../../src/run/state/trace.js';
import { endCancelled } from '../../../src/workflows/goals.js';
import { modelFacts } from '../../support/core-values.js';
import { runTeam, type TeamGiven, type TeamReply } from '../../support/scripted-team.js';

const planned = (...todos: string[]): TeamReply => ({ text: plan({ todos }) });
const done: TeamReply = { text: execution({ summary: 'The file says 42.', taskCompleted: true }) };
const gaveUp: TeamReply = {
  text: execution({ summary: 'There is no such file.', taskCompleted: false, shouldContinue: false }),
};
const tasks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `task-${index + 1}`, completed: true, feedback: '' }));
const accepted = (count: number, summary = 'It says 42.'): TeamReply => ({
  text: verdict({ summary, tasks: tasks(count) }),
});
const LOW_RISK = { level: 'low', description: 'None.' };

function eventsOf(run: Awaited<ReturnType<typeof runTeam>>['run'], type: string) {
  return run.state.log.journal.events.filter(event => event.type === type);
}

describe('outcomes', () => {
  test('outcome: every task completed and named → completed, verified (OU1)', async () => {
    const { end, run } = await runTeam([planned('Read'), done, accepted(1)]);
    expect(end).toMatchObject({ outcome: 'completed', cause: 'verified', answer: 'It says 42.' });
    expect(run.state.goals).toMatchObject([{ outcome: 'completed', cause: 'verified' }]);
    expect(eventsOf(run, 'goal_ended')).toMatchObject([{ outcome: 'completed', cause: 'verified' }]);
  });

  test("outcome: the plan's only task failed, and the verdict says done → failed; the answer is its report and says so (OU1)", async () => {
    const { end } = await runTeam([planned('Read'), gaveUp, accepted(1)]);
    expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:tasks' });
    expect(end.answer).toBe(
      '## Read (failed)\n\nThere is no such file.\n\nNot done: task-1 (Read) [failed: gave_up].',
    );
  });

  test.each([
    ['says that it is done → the verifier judges it: verified', true, 'verified', 'completed'],
    ['says that it is not → failed, whatever the verdict says', false, 'failed:tasks', 'failed'],
  ])('outcome: the last report, without tools, %s (L6, OU1)', async (_, taskCompleted, cause, status) => {
    const report = {
      text: execution({ summary: 'The file says 42.', taskCompleted, shouldContinue: false }),
    };
    const pinned = { limits: { ...DEFAULT_LIMITS, execution: 1 } };
    const replies = [planned('Write'), { calls: ['put'] }, report, accepted(1)];
    const { end, run } = await runTeam(replies, { pinned, settings: { autoApprove: true } });
    expect([end.cause, run.state.tasks[0]?.status]).toEqual([cause, status]);
  });

  test('outcome: one of two tasks failed, and the verdict says done → unverified, tasks_failed; the answer names it (OU1)', async () => {
    const { end } = await runTeam([planned('Read', 'Write'), done, gaveUp, accepted(2)]);
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'tasks_failed' });
    expect(end.answer).toBe('It says 42.\n\nNot done: task-2 (Write) [failed: gave_up].');
  });

  test('outcome: a verdict without tasks → asked for them by name, once; then verdict_incomplete (OU1)', async () => {
    const silent: TeamReply = { text: verdict({ summary: 'It says 42.', tasks: [] }) };
    const mended = await runTeam([planned('Read'), done, silent, accepted(1)]);
    expect(mended.end.cause).toBe('verified');
    expect(eventsOf(mended.run, 'reask')).toMatchObject([
      { errors: ['`tasks` must name every task of the plan, task-1 left out.'] },
    ]);
    const kept = await runTeam([planned('Read'), done, silent, silent]);
    expect(kept.end).toMatchObject({ outcome: 'unverified', cause: 'verdict_incomplete' });
  });

  test('outcome: an empty phrase for the answer, twice → verified all the same, and the reports are the answer (OU1, F6)', async () => {
    const empty = accepted(1, 'All tasks are completed.');
    const { end } = await runTeam([planned('Read'), done, empty, empty]);
    expect(end).toMatchObject({ outcome: 'completed', cause: 'verified' });
    expect(end.answer).toContain('The file says 42.');
  });

  test('outcome: an answer without a word, twice → unverified, and the reports are the answer (OU1)', async () => {
    const empty = accepted(1, '—');
    const { end } = await runTeam([planned('Read'), done, empty, empty]);
    expect(end).toMatchObject({ outcome: 'unverified', cause: 'empty_answer' });
    expect(end.answer).toContain('The file says 42.');
  });

  test('outcome: a wrap-up that fails after finished work → the reports are the answer, wrap_up_failed (OU1)', async () => {
    const limits = { pinned: { limits: { ...DEFAULT_LIMITS, turns: 2 } } };
    const found = await runTeam([planned('Read'), done, { fails: 'model.auth' }], limits);
    expect(found.end).toMatchObject({ outcome: 'unverified', cause: 'wrap_up_failed' });
    expect(found.end.answer).toContain('The file says 42.');
    const nothing = await runTeam([planned('Read'), { fails: 'model.auth' }], {
      pinned: { limits: { ...DEFAULT_LIMITS, turns: 1 } },
    });
    expect(nothing.end).toMatchObject({ outcome: 'failed', cause: 'failed:model.auth' });
  });

  test('outcome: the model fails in the midst of the work → answered without tools from what there is, and failed (M7)', async () => {
    const replies = [planned('Read', 'Write'), done, { fails: 'model.overloaded' }, { text: 'It says 42.' }];
    const { end, asked, requests, run } = await runTeam(replies);
    expect(asked).toEqual(['planner', 'executor', 'executor', 'summary']);
    expect(end).toMatchObject({
      outcome: 'failed',
      cause: 'failed:model.overloaded',
      failure: { type: 'model.overloaded', message: 'It failed.' },
      answer: 'It says 42.\n\nNot done: task-2 (Write).',
    });
    const instruction = run.state.threads.main?.messages.map(textOf).join('\n');
    expect(instruction).toContain('failed (model.overloaded): parts of it are missing');
    expect(requests.at(-1)?.head).toMatchObject({ toolChoice: 'none' });
  });

  test('outcome: the model fails, and its wrap-up as well → the reports, and why the work failed (M7)', async () => {
    const replies = [
      planned('Read', 'Write'),
      done,
      { fails: 'model.overloaded' },
      { fails: 'model.stalled' },
    ];
    const { end, asked } = await runTeam(replies, { settings: { attended: false } });
    expect(asked).toHaveLength(4);
    expect(end).toMatchObject({ outcome: 'failed', cause: 'failed:model.overloaded' });
    expect(end.answer).toContain('The file says 42.');
  });

  test.each<[string, TeamReply[], TeamGiven]>([
    ['nothing was found', [planned('Read'), { fails: 'model.overloaded' }], {}],
    ['its only model is out', [planned('Read', 'Write'), done, { fails: 'model.auth' }], {}],
    [
      'its only model takes no such request',
      [planned('Read', 'Write'), done, { fails: 'model.bad_request' }],
      {},
    ],
    ['the worker was lost', [planned('Read', 'Write'), done, { fails: 'worker.lost' }], {}],
    [
      'a person says stop',
      [planned('Read', 'Write'), done, { fails: 'model.overloaded' }],
      { settings: { attended: true }, answers: [{ kind: 'failure', decision: 'stop' }] },
    ],
  ])('outcome: the model fails, and %s → no call more (M7)', async (_, replies, given) => {
    const { end, asked } = await runTeam(replies, given);
    expect(end.outcome).toBe('failed');
    expect(asked).toHaveLength(replies.length);
  });

  test('models: one fails a role for a reason that lasts → no other role is called with it in this goal (M7)', async () => {
    const facts = modelFacts(100_000, true);
    const pinned = { models: ['p/a', 'p/b'], modelInfo: { 'p/a': facts, 'p/b': facts } };
    const { run, end } = await runTeam([{ fails: 'model.auth' }, planned('Read'), done, accepted(1)], {
      pinned,
    });
    expect(end.cause).toBe('verified');
    expect(run.state.models.calls.map(({ role, model }) => `${role} ${model}`)).toEqual([
      'planner p/a',
      'planner p/b',
      'executor p/b',
      'verifier p/b',
    ]);
    const passing = await runTeam([{ fails: 'model.overloaded' }, planned('Read'), done, accepted(1)], {
      pinned,
    });
    expect(passing.run.state.models.calls.map(({ model }) => model)).toEqual(['p/a', 'p/b', 'p/a', 'p/a']);
  });

  test.each<[string, TeamReply[], string]>([
    ['no task, planning over', [planned(), planned(), { text: 'Hello.' }], 'no_plan'],
    [
      'no task at the last planning round',
      [
        { text: plan({ todos: [], needsMorePlanning: true, summary: 'Which?' }) },
        { text: plan({ todos: [], needsMorePlanning: true, summary: 'Which?' }) },
        { text: plan({ todos: [], needsMorePlanning: true, summary: 'Which?' }) },
        { text: 'Hello.' },
      ],
      'planning_cap',
    ],
    [
      'a verdict that cannot be read',
      [planned('Read'), done, { text: 'Fine.' }, { text: 'Fine.' }, { text: 'It says 42.' }],
      'no_verdict',
    ],
  ])('outcome: %s → unverified, and the cause says which (OU1)', async (_name, replies, cause) => {
    const { end } = await runTeam(replies);
    expect(end).toMatchObject({ outcome: 'unverified', cause });
  });
});

describe('what a reply says', () => {
  test('verifier: a stray tool call beside a verdict → closed with a result, and the verdict counts (OU2)', async () => {
    const beside = { ...(accepted(1) as { text: string }), calls: ['read'] };
    const { end, asked, ran } = await runTeam([planned('Read'), done, beside]);
    expect(end.cause).toBe('verified');
    expect(asked).toEqual(['planner', 'executor', 'verifier']);
    expect(ran).toEqual([]);
  });

  test('verifier: a stray tool call alone → asked again, and its verdict counts (OU2)', async () => {
    const { end, run } = await runTeam([planned('Read'), done, { calls: ['read'] }, accepted(1)]);
    expect(end.cause).toBe('verified');
    expect(eventsOf(run, 'tool_call_ended')).toMatchObject([{ ending: 'unavailable' }]);
  });

  test('executor: another task echoed as completed → it is begun in its turn and reports itself (OU2)', async () => {
    const both = execution({
      summary: 'Did both.',
      taskCompleted: true,
      todos: [{ id: 'task-2', status: 'completed' }],
    });
    const { run, asked } = await runTeam([planned('Read', 'Write'), { text: both }, done, accepted(2)]);
    expect(asked).toEqual(['planner', 'executor', 'executor', 'verifier']);
    expect(run.state.tasks).toMatchObject([{ result: 'Did both.' }, { result: 'The file says 42.' }]);
  });

  test("executor: the planner's form → sent back, and what it says of tasks changes nothing (OU2)", async () => {
    const { run, end } = await runTeam([planned('Read'), planned('Read'), done, accepted(1)]);
    expect(eventsOf(run, 'reask')).toMatchObject([
      { role: 'executor', errors: ['`component` must be executor-response, got "planner-response".'] },
    ]);
    expect(end.cause).toBe('verified');
  });
});

describe('envelopes of the team', () => {
  const report = (parts: object) =>
    envelope(
      'COMPLETE',
      { summary: 'The file says 42.', taskCompleted: true },
      { risk: LOW_RISK as never, ...parts },
    );
  const judged = (parts: object, exceptions: string[] = []) =>
    envelope(
      'VERIFICATION_RESULT',
      {
        allCompleted: true,
        userNeedsSatisfied: true,
        overallFeedback: '',
        summary: 'It says 42.',
        tasks: tasks(1),
        exceptions,
      },
      parts,
    );
  const doubts: [string, object][] = [
    ['asks for confirmation', { requiresUserConfirmation: true }],
    ['sees high risk', { risk: { level: 'high', description: 'Much.' } }],
    ['is under 70 % sure', { confidence: 60 }],
  ];
  const yes = { kind: 'route', decision: 'approve', reason: null } as const;
  const no = { kind: 'route', decision: 'deny', reason: 'Read the other file.' } as const;

  test.each(doubts)(
    'executor: its result %s and nobody can be asked → goes on, unverified (OU3)',
    async (_n, parts) => {
      const { end, run } = await runTeam([planned('Read'), { text: report(parts) }, accepted(1)]);
      expect(run.state.tasks).toMatchObject([{ status: 'completed', reason: 'unconfirmed' }]);
      expect(end).toMatchObject({ outcome: 'unverified', cause: 'not_confirmed' });
    },
  );

  test('executor: a person confirms its result → completed; the gate shows what else could be done (OU3)', async () => {
    const parts = { confidence: 60, alternativeActions: ['Ask the owner.'], userMessage: 'I am not sure.' };
    const { end, run } = await runTeam([planned('Read'), { text: report(parts) }, accepted(1)], {
      settings: { attended: true },
      answers: [yes],
    });
    expect(end.cause).toBe('verified');
    expect(eventsOf(run, 'gate_opened')).toMatchObject([
      { kind: 'route', body: expect.stringContaining('It could be done otherwise: Ask the owner.') },
    ]);
    expect(eventsOf(run, 'user_message')).toMatchObject([{ role: 'executor', text: 'I am not sure.' }]);
  });

  test('executor: a person denies its result → the reason reaches it, and the task goes on (OU3)', async () => {
    const { asked, end, run } = await runTeam(
      [planned('Read'), { text: report({ confidence: 60 }) }, done, accepted(1)],
      { settings: { attended: true }, answers: [no] },
    );
    expect(asked).toEqual(['planner', 'executor', 'executor', 'verifier']);
    expect(JSON.stringify(run.mainThread().messages)).toContain('Read the other file.');
    expect(end.cause).toBe('verified');
  });

  test('verifier: its verdict wants confirmation → the person decides; nobody there → not_confirmed (OU3)', async () => {
    const wants = { text: judged({ confidence: 60 }) };
    const attended = { settings: { attended: true } };
    const approved = await runTeam([planned('Read'), done, wants], { ...attended, answers: [yes] });
    expect(approved.end.cause).toBe('verified');
    const alone = await runTeam([planned('Read'), done, wants]);
    expect(alone.end).toMatchObject({ outcome: 'unverified', cause: 'not_confirmed', answer: 'It says 42.' });
    const denied = await runTeam(
      [planned('Read'), done, wants, planned('Read'), done, { text: judged({}) }],
      {
        ...attended,
        answers: [no],
      },
    );
    const said = denied.run.mainThread().messages.filter(({ kind }) => kind === 'user');
    expect(said.map(textOf).join()).toContain('<improvements>\n- Read the other file.\n</improvements>');
  });

  test('verifier: a person refuses its verdict, and then stops → the answer has none of its exceptions', async () => {
    const wants = { text: judged({ confidence: 60 }, ['No network here.']) };
    const stop = { kind: 'failure', decision: 'stop' } as const;
    const { end, run } = await runTeam([planned('Read'), done, wants, { fails: 'model.unauthorized' }], {
      settings: { attended: true },
      answers: [no, stop],
    });
    expect(end.outcome).not.toBe('completed');
    expect(end.answer).not.toContain('No network here.');
    expect(run.state.goals[0]?.exceptions).toBeUndefined();
  });

  test.each(['CLARIFICATION_REQUIRED', 'ESCALATE'])(
    'verifier: %s → the person is asked, and the answer costs no round (OU3)',
    async action => {
      const question = { text: envelope(action, { question: 'Which file?', message: 'Which file?' }) };
      const { end, run } = await runTeam([planned('Read'), done, question, accepted(1)], {
        settings: { attended: true },
        answers: [{ kind: 'question', text: 'The first.' }],
      });
      expect(end.cause).toBe('verified');
      expect(JSON.stringify(run.mainThread().messages)).toContain('The first.');
    },
  );

  test('verifier: a question that nobody can answer → one more reply, and its verdict counts (OU3)', async () => {
    const question = { text: envelope('CLARIFICATION_REQUIRED', { question: 'Which file?' }) };
    const { end } = await runTeam([planned('Read'), done, question, accepted(1)]);
    expect(end.cause).toBe('verified');
    const again = await runTeam([planned('Read'), done, question, question, { text: 'It says 42.' }]);
    expect(again.end.cause).toBe('no_verdict');
  });

  test('planner: its plan wants confirmation and nobody can be asked → nothing is carried out (OU3)', async () => {
    const params = { summary: '', needsMorePlanning: false, todos: [{ id: 't', description: 'Write it.' }] };
    const text = envelope('TASK_PLAN', params, { confidence: 60 });
    const { end, run } = await runTeam([{ text }]);
    expect(end).toMatchObject({ outcome: 'stopped', cause: 'plan_not_approved' });
    expect(eventsOf(run, 'gate_closed')).toMatchObject([{ kind: 'plan', by: 'rule' }]);
  });

  test('executor: a call with effects of high risk, allowed by permission → a person is asked all the same (OU3)', async () => {
    const text = envelope('put', { path: 'a' }, { risk: { level: 'high', description: 'Overwrites a.' } });
    const permissions = { auto: ['*'], confirm: [], deny: [] };
    const { ran, run } = await runTeam([planned('Write'), { text, calls: ['put'] }, done, accepted(1)], {
      pinned: { permissions },
    });
    expect(ran).toEqual([]);
    expect(eventsOf(run, 'gate_closed')).toMatchObject([{ kind: 'approval', by: 'rule', decision: 'deny' }]);
  });
});

describe('trace of a goal', () => {
  test('trace: final replies → words, time in the model, tokens, and by which field a task was decided (O2, O5)', async () => {
    const { run } = await runTeam([planned('Read'), { calls: ['read', 'read'] }, done, accepted(1)]);
    const steps = stepsOf(run.state.log.journal.events);
    expect(steps.map(({ action, thought, decidedBy }) => [action.type, thought, decidedBy])).toEqual([
      ['final', 'A plan of 1 tasks.', undefined],
      ['tool', '', undefined],
      ['tool', '', undefined],
      ['final', 'The file says 42.', 'taskCompleted'],
      ['final', 'It says 42.', undefined],
    ]);
    expect(steps.filter(({ action }) => action.type === 'final').map(step => step.elapsedMs)).toEqual([
      7, 7, 7,
    ]);
    expect(steps.map(({ tokens }) => tokens !== undefined)).toEqual([true, true, false, true, true]);
    const results = run.mainThread().messages.filter(({ kind }) => kind === 'tool_result');
    expect([steps[1]?.resultId, steps[2]?.resultId]).toEqual(results.map(({ id }) => id));
  });

  test('messages: each reply → what it did is kept with it (G1)', async () => {
    const { run } = await runTeam([planned('Read'), { calls: ['read'] }, done, accepted(1)]);
    const actions = run.mainThread().messages.flatMap(m => (m.kind === 'assistant' ? [m.action] : []));
    expect(actions).toEqual(['planning', 'calling_tool', 'executing', 'verifying']);
  });
});

test('cancelled: while a run that is kept open waits for the next goal → the answer that it gave stays its answer (C9)', async () => {
  const noTask = { text: plan({ needsMorePlanning: false, todos: [] }) };
  const { run } = await runTeam([noTask, noTask, { text: 'Three boats.' }]);
  expect(endCancelled(run)).toMatchObject({
    outcome: 'cancelled',
    cause: 'cancelled',
    answer: 'Three boats.',
  });
});
