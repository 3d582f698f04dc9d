/** Charges, refunds and places of accounts. They are settled before the hooks of the same moment. */
import { cancellationSignal } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { pause } from '../../activities/stop-signal.js';
import { runIdOf } from '../../activities/store-text.js';
import type { Hears } from '../../activities/tell.js';
import type { MomentEndParts, MomentInput } from '../../activities/types.js';
import { errorText } from '../../base/text/error-text.js';
import { FAILURE } from '../../run/limits/failure.js';
import { failpoint } from '../../shared/process/failpoints.js';
import type { AccountStore } from '../../shared/store/store.js';
import { LATE, within } from '../../shared/waits.js';
import type { Charges, Pool } from './rules.js';

const STORE_MS = 9_000;
const NO_STORE = `the store of accounts did not answer within ${STORE_MS / 1_000} s`;

export function settlesAccounts(accounts: AccountStore): Hears {
  return input => settlePatiently(accounts, input);
}

/** Retries each second, because a restarting database refuses connections for some seconds. */
async function settlePatiently(accounts: AccountStore, input: MomentInput): Promise<MomentEndParts> {
  for (let second = 1; ; second += 1) {
    try {
      const pools = await within(STORE_MS, settleAccount(accounts, input), LATE);
      if (pools === LATE) throw notSettled(NO_STORE);
      return pools;
    } catch (error) {
      if (error instanceof ApplicationFailure) throw error;
      if (second === STORE_MS / 1_000) throw notSettled(errorText(error));
    }
    cancellationSignal().throwIfAborted();
    await pause(1_000);
  }
}

function notSettled(why: string): ApplicationFailure {
  return ApplicationFailure.retryable(why, FAILURE.accountFailed);
}

/** Settles charges, refunds and the place of the run's account. */
async function settleAccount(accounts: AccountStore, input: MomentInput): Promise<MomentEndParts> {
  const { charges, account, refund, second } = input;
  if (account === undefined) return charges ? chargeTo(accounts, charges) : {};
  if (input.at === 'begin') {
    await takePlace(accounts, account, input.runsAtOnce);
    return {};
  }
  const found = charges ? await chargeTo(accounts, charges) : {};
  if (input.at === 'goal' && refund !== undefined) {
    await failpoint('hook.before-refund');
    const first = poolOf(await accounts.refund(account, refund));
    const other = second !== undefined && { second: poolOf(await accounts.refund(second, refund)) };
    await failpoint('hook.after-refund');
    return { account: first, ...other };
  }
  if (input.at === 'end') await accounts.release(account, runIdOf());
  return found;
}

/** The failure is retryable, because the place of a run that has just ended is soon released. */
async function takePlace(
  accounts: AccountStore,
  account: string,
  runsAtOnce = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  if (await accounts.lease(account, runIdOf(), runsAtOnce)) return;
  const message = `The run cannot start: the account ${account} has ${runsAtOnce} at work already, and no more are allowed at once.`;
  throw ApplicationFailure.retryable(message, FAILURE.run.busy);
}

async function chargeTo(
  accounts: AccountStore,
  { account, second = account, keepsPlace, all }: Charges,
): Promise<MomentEndParts> {
  const found: MomentEndParts = {};
  let isFirst = false;
  for (const { key, second: ofSecond, ...what } of all) {
    await failpoint('hook.before-charge');
    const charged = await accounts.charge(ofSecond ? second : account, key, what);
    await failpoint('hook.after-charge');
    found[ofSecond ? 'second' : 'account'] = poolOf(charged);
    isFirst ||= charged.isNew;
  }
  // A late attempt, on a worker that was suspended: the run may have released its place since.
  if (keepsPlace && isFirst) await accounts.lease(account, runIdOf(), Number.MAX_SAFE_INTEGER);
  return found;
}

function poolOf({ balance, dayTokens }: Pool): Pool {
  return { balance, dayTokens };
}
