/** What the account of a simulated run is charged. */
import type { MomentInput } from '../../src/activities/types.js';
import type { CreditTerms } from '../../src/features/credits/rules.js';
import { budgetTokens } from '../../src/run/limits/budget-tokens.js';
import type { RunState } from '../../src/run/state/run-state.js';
import { expectThat } from './expect-that.js';

/** Of an account that never comes to its end. */
export const CREDITS: CreditTerms = {
  account: 'a1',
  perUsd: 0,
  perTurn: 1,
  perThousandTokens: 1,
  tokensPerDay: null,
  runsAtOnce: null,
  balance: 1e9,
  dayTokens: 0,
};

export class ChargeBook {
  /** Tokens by key. */
  readonly #charged = new Map<string, number>();

  /** Whatever was charged when: with this charge it is all that the run has used. */
  hears({ charges }: MomentInput, state: RunState): string | null {
    if (!charges) return null;
    for (const charge of charges.all) {
      expectThat(!this.#charged.has(charge.key), () => `${charge.key} is charged twice`);
      this.#charged.set(charge.key, charge.tokens);
    }
    const charged = [...this.#charged.values()].reduce((sum, tokens) => sum + tokens, 0);
    const used = budgetTokens(state.total.usage);
    expectThat(charged === used, () => `${used} tokens are used, and ${charged} charged`);
    return 'a turn is charged';
  }
}
