import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MODEL_FAILURES } from '../../../../src/run/limits/failure.js';
import { DEFAULT_LIMITS } from '../../../../src/run/limits/limits.js';
import { STOP_REASONS } from '../../../../src/run/messages/message.js';
import type { ModelSituation, ResolverRow, RowConditions } from '../../../../src/run/models/resolver.js';
import { budgetShares, resolveModel, rowWords } from '../../../../src/run/models/resolver.js';
import { PHASES } from '../../../../src/run/position/position.js';

const SITUATION: ModelSituation = {
  role: 'executor',
  mode: 'team',
  phase: 'execution',
  round: 4,
  turn: 12,
  used: { tokens: 0.5, costUsd: 0.8, wallTimeMs: 0.1, turns: 0.2 },
  lastStop: 'max_tokens',
  lastFailure: 'model.rate_limited',
  inputTokens: 50_000,
  credits: 40,
};

describe('resolveModel: a row', () => {
  test.each<[string, RowConditions, boolean]>([
    ['no condition → holds', {}, true],
    ['fewer credits than its limit → holds (H5)', { creditsBelow: 41 }, true],
    ['as many → not (H5)', { creditsBelow: 40 }, false],
    ['its role → holds', { role: 'executor' }, true],
    ['another role → not', { role: 'verifier' }, false],
    ['another mode → not', { mode: 'direct' }, false],
    ['its phase → holds', { phase: 'execution' }, true],
    ['another phase → not', { phase: 'steering' }, false],
    ['at its round → holds', { roundFrom: 4 }, true],
    ['before its round → not', { roundFrom: 5 }, false],
    ['at its turn → holds', { turnFrom: 12 }, true],
    ['before its turn → not', { turnFrom: 13 }, false],
    ['any budget at its share → holds', { budgetFrom: 0.8 }, true],
    ['every budget below its share → not', { budgetFrom: 0.81 }, false],
    ['a budget by name at its share → holds', { budgetFrom: { tokens: 0.5 } }, true],
    ['one of two budgets below → not', { budgetFrom: { tokens: 0.5, turns: 0.5 } }, false],
    ['how the last reply ended → holds', { lastStop: 'max_tokens' }, true],
    ['another end → not', { lastStop: 'refusal' }, false],
    ['the last failure → holds', { lastFailure: 'model.rate_limited' }, true],
    ['another failure → not', { lastFailure: 'model.auth' }, false],
    ['at its size → holds', { inputTokensFrom: 50_000 }, true],
    ['below its size → not', { inputTokensFrom: 50_001 }, false],
    ['two conditions, one fails → not', { role: 'executor', roundFrom: 5 }, false],
    ['two conditions that hold → holds', { role: 'executor', roundFrom: 3 }, true],
  ])('resolveModel: %s (M4)', (_, when, holds) => {
    expect(resolveModel([{ when, use: ['p/x'] }], SITUATION)).toBe(holds ? 0 : null);
  });

  test('resolveModel: several rows hold → the first (M4)', () => {
    const rows = [{ role: 'planner' }, { roundFrom: 2 }, {}].map(when => ({ when, use: ['p/x'] }));
    expect(resolveModel(rows, SITUATION)).toBe(1);
    expect(resolveModel(rows, { ...SITUATION, round: 1 })).toBe(2);
  });

  test('resolveModel: a row that a limit of cost left without a model → passed over (LI2)', () => {
    expect(resolveModel([{ when: {}, use: [] }], SITUATION)).toBeNull();
  });
});

const conditions = fc.record<RowConditions>(
  {
    role: fc.constantFrom('planner', 'executor'),
    mode: fc.constantFrom('team', 'direct'),
    phase: fc.constantFrom(...PHASES),
    roundFrom: fc.integer({ min: 1, max: 5 }),
    turnFrom: fc.integer({ min: 1, max: 5 }),
    budgetFrom: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.record({ tokens: fc.constant(0.5) })),
    lastStop: fc.constantFrom(...STOP_REASONS),
    lastFailure: fc.constantFrom(...MODEL_FAILURES),
    inputTokensFrom: fc.integer({ min: 1, max: 100 }),
    creditsBelow: fc.integer({ min: 0, max: 100 }),
  },
  { requiredKeys: [] },
);
const rows = fc.array(fc.record<ResolverRow>({ when: conditions, use: fc.constant(['p/x']) }));
const situations = fc.record<ModelSituation>({
  role: fc.constantFrom('planner', 'executor'),
  mode: fc.constantFrom('team', 'direct'),
  phase: fc.constantFrom(...PHASES),
  round: fc.integer({ min: 1, max: 6 }),
  turn: fc.integer({ min: 1, max: 6 }),
  used: fc.record({
    tokens: fc.double({ min: 0, max: 2, noNaN: true }),
    costUsd: fc.constant(0),
    wallTimeMs: fc.constant(0),
    turns: fc.constant(0),
  }),
  lastStop: fc.constantFrom(null, ...STOP_REASONS),
  lastFailure: fc.constantFrom(null, ...MODEL_FAILURES),
  inputTokens: fc.integer({ min: 0, max: 120 }),
  credits: fc.constantFrom(null, -1, 0, 50),
});

test('resolveModel: any table → a row that is chosen holds alone, and none before it does (M4)', () => {
  fc.assert(
    fc.property(rows, situations, (table, situation) => {
      const chosen = resolveModel(table, situation);
      const alone = table.map(row => resolveModel([row], situation) === 0);
      expect(chosen).toBe(alone.includes(true) ? alone.indexOf(true) : null);
    }),
  );
});

test('resolveModel: a condition more → the row holds in no more situations (M4)', () => {
  fc.assert(
    fc.property(conditions, conditions, situations, (when, more, situation) => {
      const holds = (given: RowConditions) => resolveModel([{ when: given, use: ['p/x'] }], situation) === 0;
      expect(!holds({ ...more, ...when }) || holds(when)).toBe(true);
    }),
  );
});

test.each([
  ['half of the tokens → 0.5', { tokens: 500_000 }, {}, { tokens: 0.5 }],
  ['a cost without a limit → 0', { costUsd: 3 }, {}, { costUsd: 0 }],
  ['a cost that is not known, and limited → used up', { costUsd: null }, { costUsd: 1 }, { costUsd: 1 }],
  ['a cost that is not known, without a limit → 0', { costUsd: null }, {}, { costUsd: 0 }],
  ['more than allowed → over 1', { turns: 150 }, {}, { turns: 1.5 }],
])('budgetShares: %s (LI2)', (_, used, limits, shares) => {
  const none = { turns: 0, totalTurns: 0, tokens: 0, wallTimeMs: 0, costUsd: 0 };
  const given = budgetShares({ ...DEFAULT_LIMITS, ...limits }, { ...none, ...used });
  expect(given).toEqual({ tokens: 0, costUsd: 0, wallTimeMs: 0, turns: 0, ...shares });
});

test('rowWords: a row → its number from 1 and its conditions', () => {
  const when = { role: 'executor', budgetFrom: { tokens: 0.5 } };
  expect(
    rowWords(
      [
        { when: {}, use: [] },
        { when, use: [] },
      ],
      1,
    ),
  ).toBe('models.resolver, row 2: role executor, budgetFrom {"tokens":0.5}');
  expect(rowWords([{ when: {}, use: [] }], 0)).toBe('models.resolver, row 1: always');
});
