import { describe, expect, test } from 'vitest';
import { textOf } from '../../../src/run/messages/message.js';
import { runTeam, type TeamGiven, type TeamReply, type TeamRun } from '../../support/scripted-team.js';
import { testRole } from '../../support/small-run.js';

const task = (id: string, ...dependencies: string[]) => ({ id, description: `Do ${id}.`, dependencies });
const plan = (...todos: object[]): TeamReply => ({
  text: JSON.stringify({ summary: '', needsMorePlanning: false, todos }),
});
const done = (summary: string): TeamReply => ({ text: JSON.stringify({ summary, taskCompleted: true }) });
const gaveUp = (summary: string): TeamReply => ({
  text: JSON.stringify({ summary, taskCompleted: false, shouldContinue: false }),
});
const SUMMARY: TeamReply = { text: 'One of two came about.' };
/** The second depends on the first, the third on nothing. */
const THREE = plan(task('t1'), task('t2', 't1'), task('t3'));

const runPlan = (replies: readonly TeamReply[], given: TeamGiven = {}) =>
  runTeam(replies, { ...given, settings: { mode: 'plan', ...given.settings } });

const statuses = ({ run }: TeamRun) => run.state.tasks.map(({ id, status }) => `${id} ${status}`);
const instructions = ({ run }: TeamRun) =>
  Object.values(run.state.threads).flatMap(thread =>
    thread.messages.filter(({ kind }) => kind !== 'assistant'),
  );
const lastInstruction = (ran: TeamRun) => textOf(instructions(ran).at(-1) as never);

describe('plan mode: a task fails', () => {
  test('skip → what waits for it is blocked, the others go on, and the summary is told of both (L16)', async () => {
    const ran = await runPlan([THREE, gaveUp('No key.'), done('Three.'), SUMMARY]);
    expect(ran.asked).toEqual(['planner', 'executor', 'executor', 'summary']);
    expect(statuses(ran)).toEqual(['t1 failed', 't2 blocked', 't3 completed']);
    expect(ran.end).toMatchObject({ outcome: 'unverified', cause: 'carried_out_partly' });
    expect(lastInstruction(ran)).toContain('not all were carried out');
    expect(lastInstruction(ran)).toContain('- t1 [failed (gave_up)');
    expect(lastInstruction(ran)).toContain('- t2 [blocked (dependency_failed)');
  });

  test('abort → summed up at once; nothing was achieved, so the goal has failed (L16)', async () => {
    const ran = await runPlan([THREE, gaveUp('No key.'), SUMMARY], {
      pinned: { onStepFailure: 'abort' },
    });
    expect(ran.asked).toEqual(['planner', 'executor', 'summary']);
    expect(statuses(ran)).toEqual(['t1 failed', 't2 blocked', 't3 blocked']);
    expect(ran.end).toMatchObject({ outcome: 'failed', cause: 'failed:tasks' });
    expect(ran.end.answer).toContain('One of two');
    expect(lastInstruction(ran)).toContain('t1 has failed');
  });

  test('replan → the planner reads the failure, and its next plan is carried out (L16)', async () => {
    const ran = await runPlan(
      [
        THREE,
        gaveUp('No key.'),
        plan(task('t1b'), task('t2', 't1b')),
        done('A.'),
        done('B.'),
        done('C.'),
        SUMMARY,
      ],
      { pinned: { onStepFailure: 'replan' } },
    );
    expect(ran.asked).toEqual([
      'planner',
      'executor',
      'planner',
      'executor',
      'executor',
      'executor',
      'summary',
    ]);
    expect(
      instructions(ran)
        .map(message => textOf(message as never))
        .join(),
    ).toContain('t1 [gave_up] Do t1.');
    expect(ran.end).toMatchObject({ outcome: 'answered', cause: 'carried_out' });
  });

  test('replan again and again → within the limit of plans, then the others go on, and a line says so (L5, L16)', async () => {
    const again = (id: string) => [plan(task(id)), gaveUp('No.')];
    const ran = await runPlan([...again('a'), ...again('b'), ...again('c'), SUMMARY], {
      pinned: { onStepFailure: 'replan' },
    });
    expect(ran.asked.filter(role => role === 'planner')).toHaveLength(ran.run.limits.verification);
    expect(ran.end).toMatchObject({ outcome: 'failed', cause: 'failed:tasks' });
    const limits = ran.run.state.log.journal.events.filter(({ type }) => type === 'limit_reached');
    expect(limits).toMatchObject([{ limit: 'verification', taskId: 'c' }]);
  });

  test.each([
    ['skip', ['planner', 'executor', 'executor', 'summary'], 'carried_out_partly'],
    ['abort', ['planner', 'executor', 'summary'], 'failed:tasks'],
  ] as const)(
    'ask, and a person says %s, and why → so it goes on, and the roles are told why (C23, S6)',
    async (decision, asked, cause) => {
      const ran = await runPlan(
        [THREE, gaveUp('No key.'), ...(decision === 'skip' ? [done('C.')] : []), SUMMARY],
        {
          pinned: { onStepFailure: 'ask' },
          settings: { attended: true, approvePlan: false },
          answers: [{ kind: 'step', decision, reason: 'The key comes tomorrow.' }],
        },
      );
      expect(ran.asked).toEqual(asked);
      expect(ran.end.cause).toBe(cause);
      expect(lastInstruction(ran)).toMatch(/<user_notes>[\s\S]*The key comes tomorrow\./);
    },
  );

  test('ask, and nobody attends → the others go on (C23)', async () => {
    const ran = await runPlan([THREE, gaveUp('No key.'), done('C.'), SUMMARY], {
      pinned: { onStepFailure: 'ask' },
    });
    expect(ran.end.cause).toBe('carried_out_partly');
  });
});

describe('plan mode: approval', () => {
  test.each([
    [{}, 0],
    [{ attended: true }, 1],
    [{ attended: true, approvePlan: false }, 0],
    [{ attended: true, autoApprove: true }, 0],
  ])('%j → %i plans wait for a person (L15)', async (settings, waits) => {
    const { run, end } = await runPlan([plan(task('t1')), done('A.'), SUMMARY], {
      settings,
      answers: [{ kind: 'plan', decision: 'approve' }],
    });
    const gates = run.state.log.journal.events.filter(({ type }) => type === 'gate_opened');
    expect(gates).toHaveLength(waits);
    expect(end.cause).toBe('carried_out');
  });
});

describe('plan mode: what later steps know', () => {
  test.each(['shared', 'private'] as const)(
    'an executor whose memory is %s → the next task is asked with the report of the one before',
    async memory => {
      const { requests, asked } = await runPlan(
        [plan(task('t1'), task('t2', 't1')), done('The key is 42.'), done('Used.'), SUMMARY],
        {
          pinned: {
            roles: {
              planner: testRole('planner', { tools: [], output: 'plan' }),
              executor: testRole('executor', { memory }),
              summary: testRole('summary', { tools: [], output: 'text', memory }),
            },
          },
        },
      );
      for (const index of [asked.lastIndexOf('executor'), asked.indexOf('summary')])
        expect(JSON.stringify(requests[index])).toContain('The key is 42.');
    },
  );
});
