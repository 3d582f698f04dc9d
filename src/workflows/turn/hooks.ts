/** Hooks of the worker, and the account of a run: what is told when, and what follows. Without them nothing is called. */
import type { Charge, HookEnd, HookInput } from '../../activities/types.js';
import type { HookName } from '../../core/agents/run-config.js';
import { dueCharge, newCharged, usedUp } from '../../core/limits/credits.js';
import { type CallFailure, isRetryableModelFailure } from '../../core/limits/failure.js';
import type { Cause, Outcome } from '../../core/plan/cause.js';
import { here } from '../../core/state/cursor.js';
import { messageNumber } from '../../core/state/kept.js';
import { ownValue } from '../../core/text/json.js';
import { stopRun } from '../platform/inbox-handlers.js';
import type { Called } from '../ports.js';
import type { Run } from '../run.js';
import type { WholeReply } from './call-model.js';

interface Ended {
  outcome: Outcome;
  cause: Cause;
  answer: string;
}

function has({ state: { pinned } }: Run, ...names: HookName[]): boolean {
  return names.some(name => pinned?.hooks?.includes(name));
}

function told({ state, ports }: Run, name: string): Pick<HookInput, 'chain' | 'key' | 'goal' | 'context'> {
  const { goal, settings } = state;
  const { chainId: chain } = ports;
  return { chain, key: `${chain}-${name}`, goal: goal.number, context: settings.context ?? {} };
}

/** The account of the run, if it has one: where nothing is left of it, no model is called. */
export function openAccount(run: Run): void {
  const terms = run.pinned.credits;
  if (!terms) return;
  run.state.total.charged = newCharged(terms);
  const why = usedUp(terms, terms);
  if (why !== null) stop(run, 'credits', why);
}

function stop(run: Run, cause: Cause, why: string): void {
  if (run.state.people.stop === null) stopRun(run, why, cause);
}

/** After a reply, before its tools. A hook that says no stops the run, as a person does. Null: there is nothing to call. */
export function turnEnded(run: Run, { message, turn }: WholeReply): Promise<void> | null {
  if (!has(run, 'onTurnEnd', 'onMessage') && !run.pinned.credits) return null;
  const { id, role, model, usage } = message;
  // The reply of a wrap-up is outside the count: the next one has its number.
  const isCounted = here(run.state.cursor).phase !== 'wrap_up';
  const about = told(run, `turn-${turn}${isCounted ? '' : `-${id}`}`);
  return call(run, { ...about, at: 'turn', turn, role, model, usage, messageId: id }).then(ended => {
    if (!ended.ok) return fail(run, ended.failure);
    const { goOn, why = 'The hook onTurnEnd ended it.' } = ended.value;
    if (!goOn) stop(run, 'hook_stop', why);
  });
}

/** Results of tools that were said after the message of number `after`. Null: nobody wants to hear of them. */
export function resultsSaid(run: Run, thread: string, after: number): Promise<void> | null {
  if (!has(run, 'onMessage')) return null;
  // By the name that it keeps: of a branch it is the copy's already.
  const { messages = [] } = ownValue(run.state.threads, thread) ?? {};
  const messageIds = messages
    .filter(message => message.kind === 'tool_result' && messageNumber(message) > after)
    .map(({ id }) => id);
  const [first] = messageIds;
  if (first === undefined) return null;
  return call(run, { ...told(run, first), at: 'results', messageIds }).then(ended => {
    if (!ended.ok) run.warnOnce('onMessage', `The hook onMessage failed: ${ended.failure.message}`);
  });
}

/** A model has failed the role for good. Whatever the hook does, that failure is what counts. */
export async function modelFailed(run: Run, role: string, failure: CallFailure): Promise<void> {
  if (!has(run, 'onError')) return;
  const { kind, type, message } = failure;
  const model = run.state.models.at[role] ?? '';
  const about = { at: 'error' as const, role, model, error: message || type || kind };
  const isRetryable = kind !== 'application' || isRetryableModelFailure(type);
  await call(run, { ...told(run, `error-${run.nextId('c')}`), ...about, isRetryable });
}

/** At the end of a goal: charges what no turn has, such as failed calls; a goal that failed without an answer is free. */
export async function settleGoal(
  run: Run,
  { outcome, answer }: Pick<Ended, 'outcome' | 'answer'>,
): Promise<void> {
  const { state } = run;
  const account = state.pinned?.credits?.account;
  if (account === undefined) return;
  const isFree = outcome === 'failed' && answer.trim() === '';
  const { charged } = state.total;
  if (!isFree && charged && !dueOf(run)) return;
  const about = told(run, `goal-${state.goal.number}`);
  const ended = await call(run, {
    ...about,
    at: 'goal',
    account,
    ...(isFree && { refund: goalKey(run) }),
  });
  if (!ended.ok) run.warnOnce('credits', `The account was not settled: ${ended.failure.message}`);
}

/** Before the run looks for more to do for the last time, and when it is cancelled. */
export async function runEnds(run: Run, { outcome, cause }: Pick<Ended, 'outcome' | 'cause'>): Promise<void> {
  const { pinned, goal } = run.state;
  const { credits } = pinned ?? {};
  if (!has(run, 'onRunEnd') && !credits) return;
  const about = told(run, `goal-${goal.number}-end`);
  const ended = await call(run, {
    ...about,
    at: 'end',
    outcome,
    cause,
    ...(credits?.hasPlace && { account: credits.account }),
  });
  if (!ended.ok && ended.failure.kind !== 'cancelled')
    run.warnOnce('onRunEnd', `The hook onRunEnd failed: ${ended.failure.message}`);
}

/** Calls the hooks, with what is to be charged by now: whatever is called twice is charged once. */
async function call(run: Run, input: HookInput): Promise<Called<HookEnd>> {
  const due = input.at === 'results' || input.at === 'error' ? null : takeDue(run, input);
  const ended = await run.ports.hook(due ? { ...input, charge: due.charge } : input);
  if (!ended.ok) due?.giveBack();
  else {
    const { warning, account } = ended.value;
    if (warning !== undefined) run.warnOnce(warning, warning);
    if (account) balanceIs(run, account);
  }
  return ended;
}

function dueOf({ state: { pinned, total } }: Run) {
  return pinned?.credits && total.charged ? dueCharge(pinned.credits, total, total.charged) : null;
}

/** Begin of the keys of all charges of the goal. */
function goalKey({ state, ports }: Run): string {
  return `${ports.chainId}/goal-${state.goal.number}/`;
}

/** At once: what others in the run use meanwhile is theirs to charge. */
function takeDue(run: Run, { key }: HookInput): { charge: Charge; giveBack(): void } | null {
  const { total, pinned } = run.state;
  const found = dueOf(run);
  if (!found || !total.charged || !pinned?.credits) return null;
  const { upTo, due } = found;
  const before = total.charged;
  total.charged = { ...before, ...upTo };
  const { account, hasPlace: keepsPlace } = pinned.credits;
  return {
    charge: { account, key: `${goalKey(run)}${key}`, ...due, keepsPlace },
    giveBack: () => {
      const { charged } = total;
      if (!charged) return;
      total.charged = {
        ...charged,
        turns: charged.turns - (upTo.turns - before.turns),
        tokens: charged.tokens - (upTo.tokens - before.tokens),
        costUsd: charged.costUsd - (upTo.costUsd - before.costUsd),
      };
    },
  };
}

function balanceIs(run: Run, account: { balance: number; dayTokens: number }): void {
  const { total, pinned } = run.state;
  if (!total.charged || !pinned?.credits) return;
  total.charged = { ...total.charged, balance: account.balance };
  const why = usedUp(pinned.credits, account);
  if (why !== null) stop(run, 'credits', why);
}

/** Nobody says that the goal may go on: without the hook it would, and nothing would be paid. */
function fail(run: Run, { kind, type, message }: CallFailure): void {
  if (kind === 'cancelled') return;
  stop(run, 'failed:hook', `The hook at the end of a turn failed: ${message || type || kind}`);
}
