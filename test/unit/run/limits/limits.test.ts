import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type BudgetUse,
  callTimeMs,
  ceilingFault,
  checkBudgets,
  DEFAULT_LIMITS,
  type Limits,
  limitsFault,
  NO_COUNTERS,
  plansLeft,
  underCeilings,
} from '../../../../src/run/limits/limits.js';

const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  turns: 10,
  totalTurns: 50,
  tokens: 1000,
  wallTimeMs: 5000,
  costUsd: 2,
};
const UNUSED: BudgetUse = { turns: 0, totalTurns: 0, tokens: 0, wallTimeMs: 0, costUsd: 0 };

describe('checkBudgets', () => {
  test.each<[string, Partial<Limits>, Partial<BudgetUse>, string[], string[]]>([
    ['nothing used → nothing', {}, {}, [], []],
    ['just below 80 % → nothing', {}, { tokens: 799, wallTimeMs: 3999, costUsd: 1.59 }, [], []],
    ['exactly 80 % of turns → warned', {}, { turns: 8 }, [], ['turns']],
    ['exactly 80 % of tokens → warned', {}, { tokens: 800 }, [], ['tokens']],
    ['one below the limit → warned, not exhausted', {}, { turns: 9 }, [], ['turns']],
    ['exactly at the limit → exhausted, no longer warned', {}, { turns: 10 }, ['turns'], []],
    ['over the limit → exhausted', {}, { wallTimeMs: 5001 }, ['wallTimeMs'], []],
    ['turns of the run, not of the goal → totalTurns alone (S3)', {}, { totalTurns: 50 }, ['totalTurns'], []],
    ['limit of 1 and one used → exhausted', { turns: 1 }, { turns: 1 }, ['turns'], []],
    ['cost exactly at the limit → exhausted', {}, { costUsd: 2 }, ['costUsd'], []],
    ['no limit of cost → never', { costUsd: null }, { costUsd: 1e9 }, [], []],
    [
      'cost not known → used up, for nobody can say that the limit holds (LI2)',
      {},
      { costUsd: null },
      ['costUsd'],
      [],
    ],
    ['cost not known, no limit of it → never', { costUsd: null }, { costUsd: null }, [], []],
    [
      'several at once → each in its list, in a fixed order',
      {},
      { costUsd: 2, tokens: 1000, turns: 9, totalTurns: 41 },
      ['tokens', 'costUsd'],
      ['turns', 'totalTurns'],
    ],
  ])('checkBudgets: %s (L19)', (_, limits, used, exhausted, warned) => {
    expect(checkBudgets({ ...LIMITS, ...limits }, { ...UNUSED, ...used })).toEqual({ exhausted, warned });
  });

  test('checkBudgets: any whole limit and use → exhausted, warned or neither, as whole numbers say (L19)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000_000 }), fc.nat(2_500_000), (tokens, used) => {
        const found = checkBudgets({ ...LIMITS, tokens }, { ...UNUSED, tokens: used });
        expect(found.exhausted).toEqual(used >= tokens ? ['tokens'] : []);
        expect(found.warned).toEqual(used < tokens && used * 10 >= tokens * 8 ? ['tokens'] : []);
      }),
    );
  });
});

describe('ceilings', () => {
  const ceilings = { tokens: 1_000, costUsd: 2 };

  test.each<[string, Partial<Limits>, string | null]>([
    ['at the ceiling', { tokens: 1_000, costUsd: 2 }, null],
    ['of a limit without one', { turns: 1_000_000 }, null],
    ['above', { tokens: 1_001 }, 'This worker allows at most: tokens 1000.'],
    ['no limit of cost', { costUsd: null }, 'This worker allows at most: costUsd 2.'],
  ])('ceilings: a limit %s → named where it is over (TR1)', (_, limits, fault) => {
    expect(ceilingFault(limits, ceilings)).toBe(fault);
  });

  test('ceilings: limits above them → brought down, the others stay (TR1)', () => {
    expect(underCeilings(DEFAULT_LIMITS, ceilings)).toEqual({ ...DEFAULT_LIMITS, ...ceilings });
    expect(underCeilings({ ...DEFAULT_LIMITS, tokens: 7 }, ceilings)).toMatchObject({ tokens: 7 });
  });
});

describe('limitsFault', () => {
  test.each<[string, unknown]>([
    ['one limit', { turns: 1 }],
    ['all defaults', DEFAULT_LIMITS],
    ['no limit of cost', { costUsd: null }],
    ['part of a dollar', { costUsd: 0.25 }],
  ])('limitsFault: %s → no fault (L19)', (_, input) => {
    expect(limitsFault(input)).toBeNull();
  });

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /Give an object with at least one of: planning, .*costUsd/],
    ['null', null, /Give an object/],
    ['a list', [1], /Give an object/],
    ['an empty object', {}, /Give an object/],
    ['an unknown name', { rounds: 3 }, /Unknown limit: rounds\. The limits are: planning/],
    ['a name that every object answers to', { constructor: 3 }, /Unknown limit: constructor/],
    ['zero', { turns: 0 }, /turns` must be a whole number from 1, got 0/],
    ['a negative number', { tokens: -1 }, /tokens` must be .* got -1/],
    ['a fraction', { turns: 1.5 }, /got 1\.5/],
    ['a number as text', { turns: '5' }, /got "5"/],
    ['null for another limit than cost', { turns: null }, /got null/],
    ['a cost of nothing', { costUsd: 0 }, /costUsd` must be/],
    ['a good one before a bad one', { turns: 5, tasks: false }, /tasks` must be .* got false/],
  ])('limitsFault: %s → says what is wrong (L19)', (_, input, text) => {
    expect(limitsFault(input)).toMatch(text);
  });
});

describe('limitsFault: what is used already', () => {
  const used = { turns: 8, totalTurns: 20, tokens: 500, wallTimeMs: 1_000, costUsd: 0.5 };

  test.each<[Record<string, number | null>, RegExp | null]>([
    [{ turns: 5 }, /turns: 8 of 100 are used already, and 5 would be used up at once\. Give more than 8/],
    [{ turns: 8 }, /8 of 100 are used already/],
    [{ turns: 9 }, null],
    [{ totalTurns: 20 }, /totalTurns: 20 of 500 are used/],
    [{ tokens: 501, wallTimeMs: 900 }, /wallTimeMs: 1000 of 3600000 are used/],
    [{ costUsd: 0.25 }, /costUsd: 0\.5 of no limit are used/],
    [{ costUsd: null }, null],
    [{ planning: 1, tasks: 1, taskRetries: 0 }, null],
  ])('limitsFault: %j after 8 turns → %s (PR9)', (input, fault) => {
    if (fault === null) expect(limitsFault(input, { limits: DEFAULT_LIMITS, used })).toBeNull();
    else expect(limitsFault(input, { limits: DEFAULT_LIMITS, used })).toMatch(fault);
  });

  test('limitsFault: a cost that is not known → no limit of it, for it would count as used up at once (PR9)', () => {
    const standing = { limits: DEFAULT_LIMITS, used: { ...used, costUsd: null } };
    expect(limitsFault({ costUsd: 0.1 }, standing)).toMatch(/costUsd: .* not known/);
    expect(limitsFault({ costUsd: null, turns: 9 }, standing)).toBeNull();
  });
});

test('plansLeft: verifications and replans of the orchestrator → each takes one (LI1)', () => {
  const left = (verification: number, replans: number) =>
    plansLeft({ ...NO_COUNTERS, verification, replans }, DEFAULT_LIMITS);
  expect([left(0, 0), left(1, 0), left(0, 1), left(1, 1), left(2, 5)]).toEqual([3, 2, 2, 1, -4]);
});

test('limits: every default → a limit of its own that passes its own check (L19)', () => {
  expect(limitsFault(DEFAULT_LIMITS)).toBeNull();
  expect(new Set(Object.keys(DEFAULT_LIMITS)).size).toBe(16);
  expect(Object.values(NO_COUNTERS).every(value => value === 0)).toBe(true);
});

describe('time of a model call (LI3)', () => {
  test.each([
    ['what is left of the goal', 10_000, 50_000],
    ['never so little that no call could succeed', 59_999, 5_000],
    ['the same when it is over', 90_000, 5_000],
    ['outside the count: its own', null, 120_000],
  ])('callTimeMs: %s', (_what, usedMs, timeMs) => {
    expect(callTimeMs({ ...DEFAULT_LIMITS, wallTimeMs: 60_000 }, usedMs)).toBe(timeMs);
  });
});
