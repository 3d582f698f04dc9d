import { describe, expect, it, test } from 'vitest';
import {
  type AnswerCandidates,
  decideTask,
  decideVerdict,
  finalAnswer,
  planningDecision,
} from '../../../../src/rules/plan/decide.js';
import { causeText } from '../../../../src/run/limits/cause.js';
import type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../../../src/run/outputs/contracts.js';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../../../src/run/plan/plan.js';
import { plannedTask, task as taskWith } from '../../../support/core-values.js';

const BOOLEANS = [true, false, null] as const;
const ACTIONS = ['continue', 'complete', 'skip', 'retry', null] as const;
const OWN: (TaskStatus | null)[] = [...TASK_STATUSES, null];

function output(fields: Partial<ExecutionOutput>): ExecutionOutput {
  return { summary: 's', taskCompleted: null, shouldContinue: null, nextAction: null, todos: [], ...fields };
}

/**
 * The table, row by row, first match: taskCompleted, nextAction, shouldContinue, own echoed
 * status (`*` for any, `-` for absent) → decision.
 */
const TABLE: readonly (readonly [string, string, string, string, string])[] = [
  ['true', '*', '*', '*', 'completed'],
  ['false', 'skip', '*', '*', 'skipped'],
  ['false', 'retry', '*', '*', 'retry'],
  ['false', '*', 'false', '*', 'failed'],
  ['false', '*', '*', '*', 'continue'],
  ['-', 'complete', '*', '*', 'completed'],
  ['-', 'skip', '*', '*', 'skipped'],
  ['-', 'retry', '*', '*', 'retry'],
  ['-', '*', '*', 'completed', 'completed'],
  ['-', '*', 'false', '*', 'failed'],
  ['-', '*', '*', '*', 'continue'],
];

const CASES = BOOLEANS.flatMap(taskCompleted =>
  ACTIONS.flatMap(nextAction =>
    BOOLEANS.flatMap(shouldContinue => OWN.map(own => ({ taskCompleted, nextAction, shouldContinue, own }))),
  ),
);

describe('decideTask', () => {
  it('F1 F2 F3 decideTask: all 315 combinations → the table of the design', () => {
    expect(CASES).toHaveLength(3 * 5 * 3 * 7);
    for (const { own, ...fields } of CASES) {
      const todos = [
        { id: 'other', status: 'completed' as const },
        ...(own ? [{ id: 't', status: own }] : []),
      ];
      const key = [fields.taskCompleted, fields.nextAction, fields.shouldContinue, own].map(f =>
        String(f ?? '-'),
      );
      const row = TABLE.find(cells =>
        key.every((field, index) => cells[index] === '*' || cells[index] === field),
      );
      expect([key, decideTask(output({ ...fields, todos }), 't').decision]).toEqual([key, row?.[4]]);
    }
  });

  it('F1 decideTask: taskCompleted false and nextAction complete → goes on', () => {
    expect(decideTask(output({ taskCompleted: false, nextAction: 'complete' }), 't')).toEqual({
      decision: 'continue',
      by: 'taskCompleted',
    });
  });

  it.each([
    [{ taskCompleted: true }, 'taskCompleted'],
    [{ nextAction: 'skip' as const }, 'nextAction'],
    [{ todos: [{ id: 't', status: 'completed' as const }] }, 'todos'],
    [{ shouldContinue: false }, 'shouldContinue'],
    [{}, 'none'],
  ])('O5 decideTask: %j → decided by %s', (fields, by) => {
    expect(decideTask(output(fields), 't').by).toBe(by);
  });

  it('F5 decideTask: another task echoed as completed → says nothing of this one', () => {
    expect(decideTask(output({ todos: [{ id: 'u', status: 'completed' }] }), 't').decision).toBe('continue');
  });
});

const done = (id: string, more: Partial<Task> = {}) => taskWith(id, { status: 'completed', ...more });
const judged = (id: string, completed: boolean, feedback = '') => ({ id, completed, feedback, evidence: [] });
const named = (...ids: string[]) => ids.map(id => judged(id, true));

function verdict(fields: Partial<VerdictOutput>): VerdictOutput {
  return {
    allCompleted: true,
    userNeedsSatisfied: true,
    overallFeedback: '',
    summary: 'The answer is 7.',
    improvements: [],
    tasks: [],
    exceptions: [],
    ...fields,
  };
}

describe('decideVerdict', () => {
  it('F8 F10 decideVerdict: every combination → done only when nothing speaks against it', () => {
    for (const allCompleted of [true, false]) {
      for (const userNeedsSatisfied of [true, false]) {
        for (const summary of ['The answer is 7.', null]) {
          for (const completed of [true, false]) {
            const given = verdict({
              allCompleted,
              userNeedsSatisfied,
              summary,
              tasks: [judged('t', completed)],
            });
            const decided = decideVerdict(given, [done('t')]);
            expect(decided.done).toBe(allCompleted && userNeedsSatisfied && summary !== null && completed);
            expect(decided.improvements.length > 0).toBe(!decided.done);
          }
        }
      }
    }
  });

  it('F10 decideVerdict: allCompleted with an open task → not done, and the feedback becomes an improvement', () => {
    const tasks = [judged('t', false, 'Count the lines too.')];
    expect(decideVerdict(verdict({ tasks }), [done('t')])).toEqual({
      done: false,
      cause: null,
      improvements: ['Task t: Count the lines too.'],
      contradictions: ['allCompleted is true, but task t is not completed.'],
    });
  });

  it('F5 decideVerdict: an open task that the plan does not have → ignored', () => {
    const tasks = [judged('ghost', false)];
    expect(decideVerdict(verdict({ tasks: [...tasks, ...named('t')] }), [done('t')]).cause).toBe('verified');
  });

  it('F10 decideVerdict: success without a summary → not done', () => {
    const decided = decideVerdict(verdict({ summary: null }), []);
    expect(decided).toEqual({
      done: false,
      cause: null,
      improvements: ['Success is claimed without a summary.'],
      contradictions: ['Success is claimed without a summary.'],
    });
  });

  it('F13 decideVerdict: not done with improvements → exactly those', () => {
    const given = verdict({ userNeedsSatisfied: false, improvements: ['a', 'b'], overallFeedback: 'no' });
    expect(decideVerdict(given, [])).toEqual({
      done: false,
      cause: null,
      improvements: ['a', 'b'],
      contradictions: [],
    });
  });

  it('F13 decideVerdict: not done and no word why → still something for the planner', () => {
    expect(decideVerdict(verdict({ allCompleted: false }), []).improvements).toHaveLength(1);
    expect(
      decideVerdict(verdict({ allCompleted: false, overallFeedback: 'Too short.' }), []).improvements,
    ).toEqual(['Too short.']);
  });

  it('F6 F11 decideVerdict: an empty phrase as the summary → words decide nothing', () => {
    expect(decideVerdict(verdict({ summary: 'Task completed.' }), []).done).toBe(true);
  });

  it.each<[string, Task[], string[], string]>([
    ['every task completed and named', [done('a'), done('b')], ['a', 'b'], 'verified'],
    ['a task left out', [done('a'), done('b')], ['a'], 'verdict_incomplete'],
    ['no task named', [done('a')], [], 'verdict_incomplete'],
    ['a skipped task, named', [done('a'), done('b', { status: 'skipped' })], ['a', 'b'], 'verified'],
    ['a skipped task, not named', [done('a'), done('b', { status: 'skipped' })], ['a'], 'verdict_incomplete'],
    ['the only task failed', [done('a', { status: 'failed' })], ['a'], 'failed:tasks'],
    [
      'the one failed, the other behind it blocked',
      [done('a', { status: 'failed' }), done('b', { status: 'blocked' })],
      ['a', 'b'],
      'failed:tasks',
    ],
    ['one of two failed', [done('a'), done('b', { status: 'failed' })], ['a', 'b'], 'tasks_failed'],
    ['a task not carried out', [done('a'), done('b', { status: 'blocked' })], ['a', 'b'], 'tasks_open'],
    ['a task skipped', [done('a'), done('b', { status: 'skipped' })], ['a', 'b'], 'verified'],
    [
      'a task of a person skipped',
      [done('a'), done('b', { status: 'skipped', byPerson: true })],
      ['a', 'b'],
      'tasks_open',
    ],
    [
      'a task of a person that failed under an earlier plan',
      [done('a', { cycle: 2 }), done('b', { status: 'failed', byPerson: true })],
      ['a', 'b'],
      'tasks_failed',
    ],
    [
      'a task removed by a person',
      [done('a'), done('b', { status: 'skipped', reason: 'removed by a person' })],
      ['a'],
      'verified',
    ],
    ['a result that nobody confirmed', [done('a', { reason: 'unconfirmed' })], ['a'], 'not_confirmed'],
    [
      'a failure of an earlier plan, replaced by a later one',
      [done('a', { status: 'failed', cycle: 1 }), done('b', { cycle: 2 })],
      ['b'],
      'verified',
    ],
    [
      'a failure of an earlier plan, and a later plan that brought nothing',
      [done('a', { status: 'failed', cycle: 1 }), done('c', { cycle: 1 })],
      ['a', 'c'],
      'tasks_failed',
    ],
    [
      'a task that a person had dropped with its plan',
      [done('a', { status: 'skipped', reason: 'replanned', cycle: 2 }), done('b')],
      ['b'],
      'verified',
    ],
  ])(
    'OU1 decideVerdict: a verdict of success, %s → ends as the stricter of the two says',
    (_name, tasks, ids, cause) => {
      expect(decideVerdict(verdict({ tasks: named(...ids) }), tasks)).toMatchObject({ done: true, cause });
    },
  );
});

describe('planningDecision', () => {
  const plan = (needsMorePlanning: boolean, tasks: number): PlanOutput => ({
    summary: '',
    needsMorePlanning,
    tasks: Array.from({ length: tasks }, () => plannedTask('t')),
    dropped: [],
    checks: [],
    begin: [],
  });

  it.each([
    ['L2 a finished plan', plan(false, 1), 1, true, 1, 'execute'],
    ['L2 more wanted, rounds left', plan(true, 1), 1, true, 1, 'plan_again'],
    ['L2 more wanted at the last round', plan(true, 1), 3, true, 1, 'execute'],
    ['L2 more wanted beyond the last round', plan(true, 1), 4, true, 1, 'execute'],
    ['F7 more wanted, the same plan again', plan(true, 1), 2, false, 1, 'execute'],
    ['F7 more wanted, nothing planned yet', plan(true, 0), 1, false, 0, 'plan_again'],
    ['F7 more wanted, nothing planned twice', plan(true, 0), 2, false, 0, 'direct_answer'],
    ['F7 a new cycle that repeats the old plan', plan(true, 1), 1, false, 1, 'execute'],
    ['L8 no task at the last round', plan(true, 0), 3, false, 0, 'direct_answer'],
    ['L8 no task', plan(false, 0), 1, false, 0, 'direct_answer'],
    ['L8 no new task, but old ones', plan(false, 0), 1, false, 2, 'execute'],
    ['L8 unreadable, nothing planned', null, 1, false, 0, 'direct_answer'],
    ['L8 unreadable, a plan stands', null, 2, false, 2, 'execute'],
  ] as const)('%s → as the table says', (_name, given, round, changed, taskCount, decision) => {
    expect(planningDecision({ output: given, round, limit: 3, changed, taskCount })).toBe(decision);
  });
});

describe('finalAnswer', () => {
  const all: AnswerCandidates = {
    cause: 'verified',
    lastWord: null,
    verifierSummary: 'summary',
    cutShort: 'cut',
    tasks: [
      { description: 'Count', status: 'completed', result: '42 files' },
      { description: 'Read', status: 'failed', result: null },
    ],
  };
  const nothing = { lastWord: null, verifierSummary: null, cutShort: null, tasks: [] };

  it.each([
    ['a last word', { lastWord: 'last' }, 'last_word'],
    ['no last word', {}, 'verifier'],
    ['no summary either', { verifierSummary: ' ' }, 'cut_short'],
    ['nothing but reports', { verifierSummary: null, cutShort: '' }, 'tasks'],
    ['an empty phrase as the last word', { lastWord: 'Task completed.' }, 'verifier'],
  ] as const)('C9 finalAnswer: %s → from %s', (_name, given, from) => {
    expect(finalAnswer({ ...all, cause: 'turn_cap', ...given })).toMatchObject({ from, cause: 'turn_cap' });
  });

  it('C9 finalAnswer: reports → each under its task', () => {
    expect(finalAnswer({ ...all, cause: 'verification_cap', verifierSummary: null, cutShort: null })).toEqual(
      {
        answer: '## Count (completed)\n\n42 files',
        cause: 'verification_cap',
        outcome: 'unverified',
        from: 'tasks',
      },
    );
  });

  it.each([
    ['All tasks are completed.', 'verified', 'completed'],
    ['—', 'empty_answer', 'unverified'],
    [null, 'empty_answer', 'unverified'],
  ])(
    'OU1 F6 finalAnswer: verified with %j for the answer → %s, and the reports are the answer',
    (verifierSummary, cause, outcome) => {
      const given = { ...all, verifierSummary, cutShort: null };
      expect(finalAnswer(given)).toMatchObject({ from: 'tasks', cause, outcome });
    },
  );

  it.each([
    '{"type":"component","component":"planner-response","todos":[{"id":"a"',
    '{"component":"verifier-response","allCompleted":true}',
    '```json\n{ "thought": "I plan", "action": "TASK_PLAN"',
    '```json\n{ "thought": "I plan", "action": "TASK_PLAN", "params": {} }\n```',
  ])('OU1 finalAnswer: a last word that is the cut form of a role → no answer: %s', lastWord => {
    const { answer, cause } = finalAnswer({ ...nothing, cause: 'direct_answer', lastWord });
    expect([answer, cause]).toEqual(['', 'failed:no_answer']);
  });

  const PLAN = '{"type":"component","component":"planner-response","summary":"I plan.","todos":[]}';
  it.each([PLAN, `\`\`\`json\n${PLAN}\n\`\`\``])(
    'OU1 R1 finalAnswer: a last word that is a whole component of a role, and nobody says more → the answer as it stands: %s',
    lastWord => {
      const { answer, cause } = finalAnswer({ ...nothing, cause: 'direct_answer', lastWord });
      expect([answer, cause]).toEqual([lastWord, 'direct_answer']);
    },
  );

  it('OU1 finalAnswer: a last word that is a whole component of a role, and there are reports → the reports', () => {
    const { tasks } = all;
    const given = { ...nothing, tasks, cause: 'turn_cap' as const, lastWord: PLAN };
    expect(finalAnswer(given)).toMatchObject({ from: 'tasks', cause: 'turn_cap' });
  });

  it.each([
    '{"boats": 3}',
    '{"type":"component","component":"order-card","orderId":"A-1"}',
    '{"component":"order-response","orderId":"A-1"}',
    '{"thought":"Three of them","boats":3}',
  ])(
    'OU1 finalAnswer: a last word that is JSON of no form of a role → the answer as it stands: %s',
    lastWord => {
      const { answer, cause } = finalAnswer({ ...nothing, cause: 'direct_answer', lastWord });
      expect([answer, cause]).toEqual([lastWord, 'direct_answer']);
    },
  );

  it.each([
    ['verified', 'failed:no_answer', 'failed'],
    ['budget:tokens', 'failed:no_answer', 'failed'],
    ['failed:tasks', 'failed:tasks', 'failed'],
    ['stopped', 'stopped', 'stopped'],
  ] as const)('OU1 finalAnswer: %s and nothing was said → %s, %s', (cause, ended, outcome) => {
    expect(finalAnswer({ ...nothing, cause })).toEqual({ answer: '', cause: ended, outcome, from: 'none' });
  });
});

test.each([
  [{ basis: 'evidence' as const }, 'The answer was verified, by evidence for each task.'],
  [
    { basis: 'checks' as const, exceptions: ['no network'] },
    'The answer was verified, and every check passed, but for one part that is impossible here.',
  ],
  [{ basis: null }, 'The answer was verified.'],
])('causeText: verified, with %j → says on what it rests, and but for what', (rest, text) => {
  expect(causeText('verified', rest)).toBe(text);
});
