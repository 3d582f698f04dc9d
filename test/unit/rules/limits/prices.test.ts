import { describe, expect, test } from 'vitest';
import { pricedChains } from '../../../../src/rules/limits/prices.js';
import { modelFacts } from '../../../support/core-values.js';
import { testRole } from '../../../support/small-run.js';

const INFO = {
  'p/priced': modelFacts(1, true),
  'p/other': modelFacts(1, true),
  'p/free': modelFacts(1, false),
};

const role = (name: string, ...models: string[]) => testRole(name, { models });

describe('chains under a limit of cost (LI2)', () => {
  test.each([
    ['all prices known → as they are', ['p/priced', 'p/other'], [], ['p/priced', 'p/other'], [], 0],
    [
      'a fallback without a price → left out, with a warning',
      ['p/priced', 'p/free'],
      [],
      ['p/priced'],
      [],
      1,
    ],
    ['the same in the chain of a role', ['p/priced'], ['p/free', 'p/other'], ['p/priced'], ['p/other'], 1],
  ])('pricedChains: %s', (_what, models, own, keptModels, keptOwn, warnings) => {
    const chains = pricedChains({ models, roles: [role('planner'), role('executor', ...own)] }, INFO);
    expect(chains.fault).toBeNull();
    expect(chains.models).toEqual(keptModels);
    expect(chains.roles.map(({ models }) => models)).toEqual([[], keptOwn]);
    expect(chains.warnings).toHaveLength(warnings);
    if (warnings > 0) expect(chains.warnings[0]).toMatch(/no price is known and costUsd is limited: p\/free/);
  });

  test('pricedChains: a role left without a model → a fault that names model and role', () => {
    const { fault } = pricedChains({ models: ['p/priced'], roles: [role('executor', 'p/free')] }, INFO);
    expect(fault).toMatch(/no price is known for p\/free, and the role executor would have no other model/);
  });

  test('pricedChains: a default that no role uses has no price → no fault', () => {
    const chains = pricedChains({ models: ['p/free'], roles: [role('executor', 'p/priced')] }, INFO);
    expect(chains).toMatchObject({ fault: null, warnings: [] });
  });
});
