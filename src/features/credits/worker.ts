/** Credits on workers: the account data that a run pins, and the handler that charges it. */
import type { WorkerFeature, WorkerParts } from '../../activities/feature.js';
import { ownValue } from '../../base/json/json.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import { settlesAccounts } from './activity.js';
import type { CreditSettings } from './config.js';
import type { CreditTerms } from './rules.js';

export const credits: WorkerFeature = {
  name: 'credits',
  hears: ({ accounts }) => settlesAccounts(accounts),
  pins: async (parts, settings, run) => {
    const terms = await accountOf(parts, settings.credits, run);
    return terms ? { credits: terms } : {};
  },
  needsPrices: (settings, run) => isPaidByCost(settings.credits, run),
};

/** Returns the account data that a run pins; null if its start names no account. */
async function accountOf(
  { accounts }: WorkerParts,
  settings: CreditSettings | undefined,
  run: RunSettings,
): Promise<CreditTerms | null> {
  const account = accountNamed(settings, run);
  // A sub-agent's usage is charged by its caller.
  if (!settings || account === undefined || isSubagent(run)) return null;
  const { perUsd, perTurn, perThousandTokens, tokensPerDay, runsAtOnce } = settings;
  const { balance = 0, day, dayTokens = 0 } = (await accounts.show(account)) ?? {};
  const isToday = day === new Date().toISOString().slice(0, 10);
  const rates = { perUsd, perTurn, perThousandTokens, tokensPerDay, runsAtOnce };
  return { account, ...rates, balance, dayTokens: isToday ? dayTokens : 0 };
}

/** True if each model needs a price, also a sub-agent's, because its caller is charged by cost. */
function isPaidByCost(settings: CreditSettings | undefined, run: RunSettings): boolean {
  return accountNamed(settings, run) !== undefined && (settings?.perUsd ?? 0) > 0;
}

function accountNamed(settings: CreditSettings | undefined, { context }: RunSettings): string | undefined {
  return settings && ownValue(context ?? {}, settings.account);
}
