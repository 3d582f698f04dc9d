/** Credits on workers: the account data that a run pins, and the handler that charges it. */
import type { WorkerFeature, WorkerParts } from '../../activities/feature.js';
import { ownValue } from '../../base/json/json.js';
import { matchesAny } from '../../base/text/glob.js';
import { isSubagent } from '../../rules/agents/subagent.js';
import type { RunSettings } from '../../run/agents/run-config.js';
import { checkAccount } from '../../shared/store/store.js';
import { settlesAccounts } from './activity.js';
import type { CreditSettings } from './config.js';
import type { CreditTerms, Pool } from './rules.js';

export const credits: WorkerFeature = {
  name: 'credits',
  hears: ({ accounts }) => settlesAccounts(accounts),
  pins: async (parts, settings, run) => {
    // A sub-agent's usage is charged by its caller; it sees the account only if a row asks for credits.
    const isAgent = isSubagent(run);
    const asks = settings.models.resolver.some(({ when }) => when.creditsBelow !== undefined);
    if (isAgent && !asks) return {};
    const terms = await accountOf(parts, settings.credits, run);
    if (terms === null) return {};
    return isAgent ? { creditsSeen: terms } : { credits: terms };
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
  if (!settings || account === undefined) return null;
  const { perUsd, perTurn, perThousandTokens, tokensPerDay, runsAtOnce } = settings;
  const { secondPool, goOn, warnBelow } = settings;
  const second = secondPool === undefined ? null : `${account}/${secondPool}`;
  const rates = { perUsd, perTurn, perThousandTokens, tokensPerDay, runsAtOnce };
  return {
    ...{ account, ...rates, ...(await poolOf(accounts, account)) },
    ...(second !== null && { second: { account: second, ...(await poolOf(accounts, second)) } }),
    ...(matchesAny(account, goOn) && { goesOn: true as const }),
    ...(warnBelow !== null && { warnBelow }),
  };
}

async function poolOf(accounts: WorkerParts['accounts'], account: string): Promise<Pool> {
  checkAccount(account);
  const { balance = 0, day, dayTokens = 0 } = (await accounts.show(account)) ?? {};
  const isToday = day === new Date().toISOString().slice(0, 10);
  return { balance, dayTokens: isToday ? dayTokens : 0 };
}

/** True if each model needs a price, also a sub-agent's, because its caller is charged by cost. */
function isPaidByCost(settings: CreditSettings | undefined, run: RunSettings): boolean {
  return accountNamed(settings, run) !== undefined && (settings?.perUsd ?? 0) > 0;
}

function accountNamed(settings: CreditSettings | undefined, { context }: RunSettings): string | undefined {
  return settings && ownValue(context ?? {}, settings.account);
}
