import { describe, expect, it } from 'vitest';
import { BUILT_IN_WORDS } from '../../../../src/base/words/words.js';
import { decideOrchestration, type OrchestrationCase } from '../../../../src/features/orchestrator/rules.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import {
  HANDLINGS,
  type OrchestrationOutput,
  type RESOURCES,
} from '../../../../src/run/outputs/contracts.js';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../../../src/run/plan/plan.js';
import { task as newTask } from '../../../support/core-values.js';

function task(id: string, status: TaskStatus, rounds = 0, retries = 0): Task {
  return newTask(id, { status, rounds, retries });
}

const BASE: OrchestrationCase = {
  tasks: [],
  canReplan: true,
  limits: DEFAULT_LIMITS,
  ceilings: {},
  used: { turns: 10, tokens: 1_000 },
  models: ['p/m'],
  roles: ['planner'],
  concerns: [],
  words: BUILT_IN_WORDS.en,
};

const BOTH = [true, false];
const outcome = (proposal: OrchestrationOutput, given: Partial<OrchestrationCase>) => {
  const { accepted, confirm, why, tellUser } = decideOrchestration(proposal, { ...BASE, ...given });
  expect(why).not.toBe('');
  expect(tellUser !== null).toBe(accepted);
  return accepted ? { none: 'yes', gate: 'confirm', person: 'person' }[confirm] : 'no';
};

/** To which phase → what it takes: `none` is about open tasks, `replan` about plans left. */
const LEGAL: Record<string, 'none' | 'replan' | 'confirm'> = {
  planning: 'replan',
  verification: 'none',
  wrap_up: 'confirm',
};

describe('decideOrchestration', () => {
  it('F21 F22 transitions: to every phase, with and without tasks, plans left and concerns → the table', () => {
    for (const to of ['planning', 'execution', 'verification', 'wrap_up'] as const) {
      for (const open of BOTH) {
        for (const canReplan of BOTH) {
          for (const worried of BOTH) {
            const need = LEGAL[to];
            const met = { none: !open, replan: canReplan, confirm: true };
            const legal = need !== undefined && met[need];
            const expected = !legal ? 'no' : worried || need === 'confirm' ? 'confirm' : 'yes';
            const tasks = [task('a', 'completed'), ...(open ? [task('b', 'pending')] : [])];
            const concerns = worried ? ['High risk: d.'] : [];
            const got = outcome(
              { action: 'PHASE_TRANSITION', to, reason: 'r' },
              { tasks, canReplan, concerns },
            );
            expect([to, open, canReplan, worried, got]).toEqual([to, open, canReplan, worried, expected]);
          }
        }
      }
    }
  });

  const allocate = (
    resource: (typeof RESOURCES)[number],
    fields: { target?: string; amount?: number; model?: string },
  ): OrchestrationOutput => ({
    action: 'RESOURCE_ALLOCATE',
    resource,
    target: fields.target ?? null,
    amount: fields.amount ?? null,
    model: fields.model ?? null,
    reason: 'r',
  });

  it.each([
    ['rounds', { target: 'a', amount: 10 }, 'yes'],
    ['rounds', { target: 'a', amount: 11 }, 'person'],
    ['rounds', { target: 'a', amount: 9 }, 'no'],
    ['rounds', { target: 'a', amount: 3 }, 'no'],
    ['rounds', { target: 'more', amount: 20 }, 'yes'],
    ['rounds', { target: 'more', amount: 21 }, 'person'],
    ['rounds', { target: 'once', amount: 1 }, 'yes'],
    ['rounds', { target: 'broken', amount: 11 }, 'person'],
    ['rounds', { target: 'broken', amount: 10 }, 'no'],
    ['rounds', { target: 'spent', amount: 20 }, 'no'],
    ['rounds', { target: 'done', amount: 15 }, 'no'],
    ['rounds', { target: 'ghost', amount: 15 }, 'no'],
    ['rounds', { amount: 15 }, 'no'],
    ['rounds', { target: 'a' }, 'no'],
    ['rounds', { target: 'a', amount: 0 }, 'no'],
    ['rounds', { target: 'a', amount: 14.5 }, 'no'],
    ['turns', { amount: 100 }, 'no'],
    ['turns', { amount: 101 }, 'person'],
    ['turns', { amount: 11 }, 'person'],
    ['turns', { amount: 10 }, 'no'],
    ['tokens', { amount: 1_000_001 }, 'person'],
    ['tokens', { amount: 1_001 }, 'person'],
    ['tokens', { amount: 1_000 }, 'no'],
    ['model', { target: 'planner', model: 'p/m' }, 'yes'],
    ['model', { target: 'planner-agent', model: 'p/m' }, 'yes'],
    ['model', { target: 'planner', model: 'p/other' }, 'no'],
    ['model', { target: 'planner' }, 'no'],
    ['model', { target: 'nobody', model: 'p/m' }, 'no'],
    ['model', { model: 'p/m' }, 'no'],
  ] as const)('F21 allocation: %s %j → %s (TR2, LI1)', (resource, fields, expected) => {
    const tasks = [
      task('a', 'executing', 3),
      { ...task('more', 'pending'), maxRounds: 20 },
      { ...task('once', 'pending'), maxRounds: 1 },
      task('broken', 'failed', 10),
      task('spent', 'failed', 10, DEFAULT_LIMITS.taskRetries),
      task('done', 'completed'),
    ];
    expect(outcome(allocate(resource, fields), { tasks })).toBe(expected);
    expect(outcome(allocate(resource, fields), { tasks, concerns: ['x'] })).toBe(
      expected === 'yes' ? 'confirm' : expected,
    );
  });

  it('F21 exceptions: every handling, status and rest of plans → the table', () => {
    for (const handling of HANDLINGS) {
      for (const status of [...TASK_STATUSES, null]) {
        for (const canReplan of BOTH) {
          const legal = {
            retry: status === 'failed',
            // What is executing is at work beside the failed task.
            skip: status === 'pending' || status === 'failed' || status === 'blocked',
            replan: canReplan,
            ask_user: true,
            stop: true,
          }[handling];
          const expected = !legal ? 'no' : handling === 'stop' ? 'confirm' : 'yes';
          const tasks = status === null ? [] : [task('t', status)];
          const proposal = { action: 'EXCEPTION_HANDLE', handling, taskId: 't', reason: 'r' } as const;
          expect([handling, status, outcome(proposal, { tasks, canReplan })]).toEqual([
            ...[handling, status, expected],
          ]);
        }
      }
    }
    const nameless = { action: 'EXCEPTION_HANDLE', handling: 'skip', taskId: null, reason: 'r' } as const;
    expect(outcome(nameless, { tasks: [task('t', 'pending')] })).toBe('no');
  });

  it('F21 allocation: more than the worker allows anybody → refused, no person is asked (TR2)', () => {
    const tasks = [task('a', 'executing', 3)];
    const ceilings = { turns: 150, execution: 12 };
    expect(outcome(allocate('turns', { amount: 151 }), { ceilings })).toBe('no');
    expect(outcome(allocate('turns', { amount: 150 }), { ceilings })).toBe('person');
    expect(outcome(allocate('rounds', { target: 'a', amount: 13 }), { tasks, ceilings })).toBe('no');
  });

  it('F21 retry of a failed task: until the limit of retries, then not (LI1)', () => {
    const proposal = { action: 'EXCEPTION_HANDLE', handling: 'retry', taskId: 't', reason: 'r' } as const;
    const after = (retries: number) => outcome(proposal, { tasks: [task('t', 'failed', 3, retries)] });
    expect([0, 1, 2, 50].map(after)).toEqual(['yes', 'yes', 'no', 'no']);
  });

  it('F22 what the user is told → what happens, why, and each concern with its mitigation', () => {
    const concerns = ['High risk: Deletes files. Mitigation: A copy is kept'];
    const proposal = { action: 'PHASE_TRANSITION', to: 'verification', reason: 'All is done.' } as const;
    expect(decideOrchestration(proposal, { ...BASE, concerns }).tellUser).toBe(
      'Goes from execution to verification. All is done. High risk: Deletes files. Mitigation: A copy is kept',
    );
  });
});
