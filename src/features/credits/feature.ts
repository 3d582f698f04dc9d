/** Credits: a run's usage is charged to its account, and the run stops when the account is used up. */
import type { MomentEnd } from '../../activities/types.js';
import { ownValue } from '../../base/json/json.js';
import { budgetUse } from '../../run/state/run-state.js';
import type { Feature, Moment, Part } from '../../workflows/beside/feature.js';
import { keyOf, stop } from '../../workflows/beside/tell.js';
import type { Called } from '../../workflows/run/ports.js';
import type { Run } from '../../workflows/run/run.js';
import {
  type Charges,
  chargedSoFar,
  creditsSeenBy,
  dueCharge,
  leftIn,
  limitsPaidFor,
  newCharged,
  paysSecond,
  usedUp,
} from './rules.js';

export const credits: Feature<Run> = {
  name: 'credits',
  slice: chargedSoFar,
  segmentBegins: notePrices,
  loaded: openAccount,
  tells,
  modelChosen,
  facts: state => ({ credits: creditsNow(state) }),
  limits: (run, limits) => {
    const { state, ports } = run;
    const [terms, charged] = [state.pinned?.credits, chargedSoFar.of(state)];
    return terms && charged
      ? limitsPaidFor(limits, budgetUse(state, ports.now()), { terms, total: state.total, charged })
      : limits;
  },
};

/** Returns the credits of the first pool, by which rows choose models. */
function creditsNow(state: Run['state']): number | null {
  const charged = chargedSoFar.of(state);
  if (charged) return charged.balance;
  const seen = state.pinned?.creditsSeen;
  return seen ? creditsSeenBy(seen, state.total) : null;
}

/** Stops a run whose account is used up before it calls a model. */
function openAccount(run: Run): void {
  const { credits: terms } = run.pinned;
  if (!terms) return;
  chargedSoFar.set(run.state, newCharged(terms));
  notePrices(run);
  warn(run);
  const why = usedUp(terms, terms, run.state.total);
  if (why !== null) stop(run, 'credits', why);
}

/** Tells people once that little is left. */
function warn(run: Run): void {
  const { state } = run;
  const [terms, charged] = [state.pinned?.credits, chargedSoFar.of(state)];
  if (!terms || !charged || terms.warnBelow === undefined || charged.warned) return;
  const left = leftIn(charged);
  if (left >= terms.warnBelow) return;
  chargedSoFar.set(state, { ...charged, warned: true });
  const text = `The account ${terms.account} has ${Math.max(0, Math.round(left * 100) / 100)} credits left.`;
  run.journal('system_event', { text });
}

/** Charging by cost requires the price of each call. */
function notePrices({ state: { pinned } }: Run): void {
  if (pinned?.credits && pinned.credits.perUsd > 0) pinned.needsPrices = true;
}

function tells(run: Run, moment: Moment): Part | null {
  const terms = run.state.pinned?.credits;
  if (!terms) return null;
  const { account, runsAtOnce, second } = terms;
  switch (moment.at) {
    case 'begin':
      return runsAtOnce === null ? null : { input: { account, runsAtOnce } };
    case 'turn':
      return charging(run, moment);
    case 'goal': {
      // A goal that failed without an answer is free.
      const isFree = moment.outcome === 'failed' && moment.answer.trim() === '';
      if (!isFree && chargedSoFar.of(run.state)?.open.length === 0 && !dueOf(run)) return null;
      const refund = isFree ? { refund: goalKey(run), ...(second && { second: second.account }) } : {};
      return charging(run, moment, { account, ...refund });
    }
    case 'end': {
      const place = runsAtOnce === null ? {} : { account };
      return charging(run, moment, place);
    }
    default:
      return null;
  }
}

/** Adds the charges that are due. Each has a key, so that a repeated one is charged once. */
function charging(run: Run, moment: Moment, input: Part['input'] = {}): Part {
  const charges = takeDue(run, keyOf(run, moment));
  return {
    input: charges ? { ...input, charges } : input,
    told: ended => {
      settled(run, charges, ended);
      // A turn without its charge stops the run, which says why.
      if (ended.ok || moment.at === 'turn' || ended.failure.kind === 'cancelled') return;
      const settles = charges !== null || Object.keys(input).length > 0;
      if (settles) run.warnOnce('credits', `The account was not settled: ${ended.failure.message}`);
    },
  };
}

function settled(run: Run, charges: Charges | null, ended: Called<MomentEnd>): void {
  const { state } = run;
  const charged = chargedSoFar.of(state);
  const terms = state.pinned?.credits;
  if (!charged || !terms) return;
  if (!ended.ok) {
    // They may have been charged although the answer was lost.
    if (charges) chargedSoFar.set(state, { ...charged, open: [...charged.open, ...charges.all] });
    return;
  }
  const { account, second } = ended.value;
  if (!account && !second) return;
  const now = { ...charged, ...account, ...(second && { second }) };
  chargedSoFar.set(state, now);
  warn(run);
  const why = usedUp(terms, now, state.total);
  if (why !== null) stop(run, 'credits', why);
}

function dueOf({ state }: Run) {
  const [terms, charged] = [state.pinned?.credits, chargedSoFar.of(state)];
  return terms && charged ? dueCharge(terms, state.total, charged) : null;
}

/** Returns the prefix of the keys of all charges of the goal. */
function goalKey({ state, ports }: Run): string {
  return `${ports.chainId}/goal-${state.goal.number}/`;
}

/** Takes the charges that are due, and marks them as taken at once, so that parallel moments do not charge them again. */
function takeDue(run: Run, key: string): Charges | null {
  const { state } = run;
  const [terms, charged] = [state.pinned?.credits, chargedSoFar.of(state)];
  if (!charged || !terms) return null;
  const found = dueOf(run);
  const payer = paysSecond(charged) && { second: true as const };
  const all = [...charged.open, ...(found ? [{ key: `${goalKey(run)}${key}`, ...found.due, ...payer }] : [])];
  chargedSoFar.set(state, { ...charged, ...found?.upTo, open: [] });
  const { account, runsAtOnce, second } = terms;
  const pools = { account, ...(second && { second: second.account }) };
  return all.length > 0 ? { ...pools, keepsPlace: runsAtOnce !== null, all } : null;
}

/** Reports a switch for lack of credits to people, not to models. */
function modelChosen(run: Run, { name }: { name: string }, model: string): void {
  const { pinned, state } = run;
  const before = ownValue(state.models.at, name) ?? model;
  const { row = null } = ownValue(state.models.resolved, name) ?? {};
  const limit = row === null ? undefined : pinned.resolver[row]?.when.creditsBelow;
  if (before === model || limit === undefined) return;
  const text = `The account has less than ${limit} credits: ${name} goes on with ${model} in place of ${before}.`;
  run.journal('context_note', { text });
}
