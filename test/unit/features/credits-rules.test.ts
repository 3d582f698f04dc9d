import { expect, test } from 'vitest';
import {
  type CreditTerms,
  type KeyedCharge,
  limitsPaidFor,
  newCharged,
} from '../../../src/features/credits/rules.js';
import { DEFAULT_LIMITS, type Limits } from '../../../src/run/limits/limits.js';
import { NO_USAGE } from '../../../src/run/messages/message.js';

const TERMS: CreditTerms = {
  account: 'ann',
  ...{ perUsd: 0, perTurn: 0, perThousandTokens: 0, tokensPerDay: null, runsAtOnce: null },
  ...{ balance: 10, dayTokens: 0 },
};
const LIMITS: Limits = { ...DEFAULT_LIMITS, turns: 100, tokens: 100_000 };
const USED = { turns: 4, totalTurns: 4, tokens: 1_000, wallTimeMs: 9, costUsd: 0.5 };

/** `turns`, `tokens`: used and not charged yet. `open`: charged, and nobody knows whether they were taken. */
function paid(
  terms: Partial<CreditTerms>,
  { turns = 0, tokens = 0, open = [] as KeyedCharge[] } = {},
  limits: Partial<Limits> = {},
) {
  const all = { ...TERMS, ...terms };
  const total = { turns, usage: { ...NO_USAGE, inputTokens: tokens }, usageBy: [] };
  const charged = { ...newCharged(all), open };
  return limitsPaidFor({ ...LIMITS, ...limits }, USED, { terms: all, total, charged });
}

const OPEN: KeyedCharge[] = [{ key: 'turn-1', credits: 4, tokens: 300 }];

test.each<[string, Limits, Partial<Limits>]>([
  ['nothing is charged → as they are', paid({}), {}],
  ['by turns → as many more as are paid for', paid({ perTurn: 2 }), { turns: 9 }],
  ['a part of a turn → that turn', paid({ perTurn: 4 }), { turns: 7 }],
  ['by tokens → as many more', paid({ perThousandTokens: 5 }), { tokens: 3_000 }],
  ['by cost → so much more, without a limit of one', paid({ perUsd: 100 }), { costUsd: 0.6 }],
  ['a limit of cost below that → it holds', paid({ perUsd: 1 }, {}, { costUsd: 2 }), { costUsd: 2 }],
  ['what is not charged yet → is no more there', paid({ perTurn: 2 }, { turns: 2, tokens: 0 }), { turns: 7 }],
  [
    'tokens of the day → what is left of them',
    paid({ tokensPerDay: 900, dayTokens: 400 }),
    { tokens: 1_500 },
  ],
  [
    'of the day, some not charged',
    paid({ tokensPerDay: 900, dayTokens: 400 }, { tokens: 300 }),
    { tokens: 1_200 },
  ],
  ['what may have been taken → is no more there', paid({ perTurn: 2 }, { open: OPEN }), { turns: 7 }],
  [
    'of the day, some that may have been counted',
    paid({ tokensPerDay: 900, dayTokens: 400 }, { open: OPEN }),
    { tokens: 1_200 },
  ],
  ['more than the limits → they hold', paid({ perTurn: 0.01, perThousandTokens: 0.01 }), {}],
  ['an account below zero → nothing', paid({ perTurn: 1, balance: -3 }), { turns: 4 }],
])('E7 limitsPaidFor: %s', (_title, limits, changed) => {
  expect(limits).toEqual({ ...LIMITS, ...changed });
});
