import { describe, expect, it } from 'vitest';
import {
  type AnswerCandidates,
  decideTask,
  decideVerdict,
  finalAnswer,
  modelFailureDecision,
  planningDecision,
  toolEnding,
  toolFailureDecision,
} from '../../../src/core/decide.js';
import { type CallFailure, FAILURE } from '../../../src/core/failure.js';
import type { ExecutionOutput, PlanOutput, VerdictOutput } from '../../../src/core/parse-output.js';
import { TASK_STATUSES, type TaskStatus } from '../../../src/core/plan.js';

const BOOLEANS = [true, false, null] as const;
const ACTIONS = ['continue', 'complete', 'skip', 'retry', null] as const;
const OWN: (TaskStatus | null)[] = [...TASK_STATUSES, null];

function output(fields: Partial<ExecutionOutput>): ExecutionOutput {
  return { summary: 's', taskCompleted: null, shouldContinue: null, nextAction: null, todos: [], ...fields };
}

/**
 * The table of DESIGN.md, row by row, first match: taskCompleted, nextAction, shouldContinue, own echoed
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

function verdict(fields: Partial<VerdictOutput>): VerdictOutput {
  return {
    allCompleted: true,
    userNeedsSatisfied: true,
    overallFeedback: '',
    summary: 'The answer is 7.',
    improvements: [],
    tasks: [],
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
              tasks: [{ id: 't', completed, feedback: '' }],
            });
            const decided = decideVerdict(given, ['t']);
            expect(decided.done).toBe(allCompleted && userNeedsSatisfied && summary !== null && completed);
            expect(decided.improvements.length > 0).toBe(!decided.done);
          }
        }
      }
    }
  });

  it('F10 decideVerdict: allCompleted with an open task → not done, and the feedback becomes an improvement', () => {
    const tasks = [{ id: 't', completed: false, feedback: 'Count the lines too.' }];
    expect(decideVerdict(verdict({ tasks }), ['t'])).toEqual({
      done: false,
      improvements: ['Task t: Count the lines too.'],
      contradictions: ['allCompleted is true, but task t is not completed.'],
    });
  });

  it('F5 decideVerdict: an open task that the plan does not have → ignored', () => {
    const tasks = [{ id: 'ghost', completed: false, feedback: '' }];
    expect(decideVerdict(verdict({ tasks }), ['t']).done).toBe(true);
  });

  it('F10 decideVerdict: success without a summary → not done', () => {
    const decided = decideVerdict(verdict({ summary: null }), []);
    expect(decided).toEqual({
      done: false,
      improvements: ['Success is claimed without a summary.'],
      contradictions: ['Success is claimed without a summary.'],
    });
  });

  it('F13 decideVerdict: not done with improvements → exactly those', () => {
    const given = verdict({ userNeedsSatisfied: false, improvements: ['a', 'b'], overallFeedback: 'no' });
    expect(decideVerdict(given, [])).toEqual({ done: false, improvements: ['a', 'b'], contradictions: [] });
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
});

describe('planningDecision', () => {
  const task = {
    id: 't',
    description: 'd',
    priority: 1,
    dependencies: [],
    requiredCapabilities: [],
    estimatedDurationMs: null,
    completionCriteria: null,
  };
  const plan = (needsMorePlanning: boolean, tasks: number): PlanOutput => ({
    summary: '',
    needsMorePlanning,
    tasks: Array.from({ length: tasks }, () => task),
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

const failure = (kind: CallFailure['kind'], type = ''): CallFailure => ({ kind, type, message: '' });

describe('toolEnding', () => {
  it.each([
    [failure('cancelled'), 'cancelled', 'cancelled'],
    [failure('lost'), 'unavailable', 'outcome_unknown'],
    [failure('timedOut'), 'timed_out', 'outcome_unknown'],
    [failure('application', FAILURE.tool.timeout), 'timed_out', 'outcome_unknown'],
    [failure('application', FAILURE.tool.connectionLost), 'unavailable', 'outcome_unknown'],
    [failure('application', FAILURE.tool.notSent), 'unavailable', 'unavailable'],
    [failure('application', FAILURE.stateUnavailable), 'unavailable', 'unavailable'],
    [failure('application', FAILURE.workerShutdown), 'unavailable', 'outcome_unknown'],
    [failure('application', 'TypeError'), 'unavailable', 'outcome_unknown'],
    [failure('application', ''), 'unavailable', 'outcome_unknown'],
    [failure('lost', FAILURE.stateUnavailable), 'unavailable', 'unavailable'],
    [failure('lost', FAILURE.workerShutdown), 'unavailable', 'outcome_unknown'],
  ])('toolEnding: %j → %s when idempotent, else %s', (given, idempotent, other) => {
    expect(toolEnding(given, true)).toBe(idempotent);
    expect(toolEnding(given, false)).toBe(other);
  });
});

describe('toolFailureDecision', () => {
  it.each([
    [failure('lost'), 'reschedule', 'end'],
    [failure('lost', FAILURE.workerShutdown), 'reschedule', 'end'],
    [failure('lost', 'WorkerShutdown'), 'reschedule', 'end'],
    [failure('lost', FAILURE.stateUnavailable), 'reschedule', 'reschedule'],
    [failure('application', FAILURE.stateUnavailable), 'reschedule', 'reschedule'],
    [failure('application', FAILURE.tool.notSent), 'reschedule', 'reschedule'],
    [failure('application', FAILURE.workerShutdown), 'reschedule', 'end'],
    [failure('application', FAILURE.tool.timeout), 'end', 'end'],
    [failure('application', FAILURE.tool.connectionLost), 'end', 'end'],
    [failure('application', 'TypeError'), 'end', 'end'],
    [failure('timedOut'), 'end', 'end'],
    [failure('cancelled'), 'end', 'end'],
  ] as const)('E1 toolFailureDecision: %j → %s when idempotent, else %s', (given, idempotent, other) => {
    const asked = (is: boolean) =>
      toolFailureDecision(given, { idempotent: is, rescheduled: 2, stopped: false });
    expect([asked(true), asked(false)]).toEqual([idempotent, other]);
  });

  it.each([
    ['made again three times already', { rescheduled: 3, stopped: false }],
    ['the run is to stop', { rescheduled: 0, stopped: true }],
  ])('E1 toolFailureDecision: %s → end, whatever the failure', (_name, given) => {
    for (const lost of [failure('lost'), failure('application', FAILURE.tool.notSent)]) {
      expect(toolFailureDecision(lost, { idempotent: true, ...given })).toBe('end');
    }
  });
});

describe('modelFailureDecision', () => {
  it.each(Object.values(FAILURE.model).filter(type => type !== FAILURE.model.contextTooLong))(
    'modelFailureDecision: %s → the next model, or the end of the chain',
    type => {
      expect(modelFailureDecision(failure('application', type), true)).toBe('next_model');
      expect(modelFailureDecision(failure('application', type), false)).toBe('fail');
    },
  );

  it.each([
    [failure('lost'), 'reschedule'],
    [failure('timedOut'), 'reschedule'],
    [failure('application', FAILURE.stateUnavailable), 'reschedule'],
    [failure('application', FAILURE.workerShutdown), 'reschedule'],
    [failure('application', FAILURE.model.contextTooLong), 'compact'],
    [failure('application', 'TypeError'), 'fail'],
    [failure('application', 'model.never_heard_of'), 'fail'],
    [failure('application', ''), 'fail'],
    [failure('cancelled'), 'fail'],
  ])('modelFailureDecision: %j → %s, whatever the chain has', (given, decision) => {
    expect(modelFailureDecision(given, true)).toBe(decision);
    expect(modelFailureDecision(given, false)).toBe(decision);
  });
});

describe('finalAnswer', () => {
  const all: AnswerCandidates = {
    cause: 'verified',
    verifierSummary: 'summary',
    leadText: 'lead',
    tasks: [
      { description: 'Count', status: 'completed', result: '42 files' },
      { description: 'Read', status: 'failed', result: null },
    ],
  };

  it.each([
    ['verified', 'verifier', 'completed'],
    ['verification_cap', 'verifier', 'unverified'],
    ['stopped', 'verifier', 'stopped'],
    ['direct', 'lead', 'unverified'],
    ['turn_cap', 'lead', 'unverified'],
    ['budget', 'lead', 'budget_exhausted'],
  ] as const)('C9 finalAnswer: %s with all candidates → from %s, %s', (cause, from, outcome) => {
    expect(finalAnswer({ ...all, cause })).toMatchObject({ from, outcome });
  });

  it('C9 finalAnswer: no summary → lead text, then task reports', () => {
    expect(finalAnswer({ ...all, cause: 'verification_cap', verifierSummary: null }).from).toBe('lead');
    expect(finalAnswer({ ...all, cause: 'verification_cap', verifierSummary: ' ', leadText: '' })).toEqual({
      answer: '## Count (completed)\n\n42 files',
      outcome: 'unverified',
      from: 'tasks',
    });
  });

  it('C9 finalAnswer: nothing was said → failed, or stopped when a person stopped it', () => {
    const nothing = { verifierSummary: null, leadText: null, tasks: [] };
    expect(finalAnswer({ ...nothing, cause: 'budget' })).toEqual({
      answer: '',
      outcome: 'failed',
      from: 'none',
    });
    expect(finalAnswer({ ...nothing, cause: 'stopped' }).outcome).toBe('stopped');
  });
});
