/** Hooks of the worker, and the account of a run: what is told when, and what follows. Without them nothing is called. */
import type { Charges, HookEnd, HookInput } from '../../activities/types.js';
import { ownValue } from '../../base/json/json.js';
import { COMPACTOR } from '../../conversation/summary.js';
import type { HookName } from '../../run/agents/run-config.js';
import type { Cause, Outcome } from '../../run/limits/cause.js';
import { dueCharge, newCharged, usedUp } from '../../run/limits/credits.js';
import { type CallFailure, isRetryableModelFailure } from '../../run/limits/failure.js';
import type { AssistantMessage } from '../../run/messages/message.js';
import { here } from '../../run/state/cursor.js';
import { messageNumber } from '../../run/state/kept.js';
import { stopRun } from '../platform/inbox-handlers.js';
import type { Called } from '../run/ports.js';
import type { Run } from '../run/run.js';

interface Reply {
  message: AssistantMessage;
  /** Its number in the run. */
  turn: number;
}

interface Ended {
  outcome: Outcome;
  cause: Cause;
  answer: string;
}

function has({ state: { pinned }, memory }: Run, ...names: HookName[]): boolean {
  const hooks: readonly string[] | undefined = pinned === null ? memory.hooks : pinned.hooks;
  return names.some(name => hooks?.includes(name));
}

/** By the id of this execution: a run that was reset says other things under the same names. */
function told({ state, ports }: Run, name: string): Pick<HookInput, 'key' | 'goal' | 'context'> {
  const { goal, settings } = state;
  return { key: `${ports.runId}-${name}`, goal: goal.number, context: settings.context ?? {} };
}

/** A place among the runs of its account, if those are limited. Gives why there is none; agents work in their caller's. */
export async function takePlace(run: Run): Promise<CallFailure | null> {
  const { account, runsAtOnce } = run.pinned.credits ?? { runsAtOnce: null };
  if (account === undefined || runsAtOnce === null) return null;
  const taken = await call(run, { ...told(run, 'begin'), at: 'begin', account, runsAtOnce });
  return taken.ok ? null : taken.failure;
}

/** The account of the run, if it has one: where nothing is left of it, no model is called. */
export function openAccount(run: Run): void {
  const terms = run.pinned.credits;
  if (!terms) return;
  const { total } = run.state;
  total.charged = newCharged(terms);
  const why = usedUp(terms, terms, total);
  if (why !== null) stop(run, 'credits', why);
}

function stop(run: Run, cause: Cause, why: string): void {
  if (run.state.people.stop === null) stopRun(run, why, cause);
}

/** After a reply, before its tools. A hook that says no stops the run, as a person does. Null: there is nothing to call. */
export function turnEnded(run: Run, { message, turn }: Reply): Promise<void> | null {
  if (!has(run, 'onTurnEnd', 'onMessage') && !run.pinned.credits) return null;
  const { id, role, model, usage } = message;
  // The reply of a wrap-up is outside the count, as a summary is: the next one has its number.
  const isCounted = here(run.cursor).phase !== 'wrap_up' && role !== COMPACTOR;
  const about = told(run, `turn-${turn}${isCounted ? '' : `-${id}`}`);
  return call(run, { ...about, at: 'turn', turn, role, model, usage, messageId: id }).then(ended => {
    if (!ended.ok) return fail(run, ended.failure);
    const { goOn, why = 'The hook onTurnEnd ended it.' } = ended.value;
    if (!goOn) stop(run, 'hook_stop', why);
  });
}

/** After a reply that is no turn, such as a summary. */
export async function replied(run: Run, message: AssistantMessage): Promise<void> {
  await turnEnded(run, { message, turn: run.state.total.turns });
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

/** A model has failed the role for good, or the run could not begin. Whatever the hook does, that failure is what counts. */
export async function modelFailed(run: Run, role: string, failure: CallFailure): Promise<void> {
  if (!has(run, 'onError')) return;
  const { kind, type, message } = failure;
  const { models, settings } = run.state;
  const model = ownValue(models.at, role) ?? settings.model ?? '';
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
  if (!isFree && charged?.open.length === 0 && !dueOf(run)) return;
  // A goal that a message opens again ends twice.
  const about = told(run, `goal-${state.goal.number}-${state.lastId}`);
  const ended = await call(run, {
    ...about,
    at: 'goal',
    account,
    ...(isFree && { refund: goalKey(run) }),
  });
  if (!ended.ok) run.warnOnce('credits', `The account was not settled: ${ended.failure.message}`);
}

/** Once the run has ended, also where it was cancelled, or could not begin: nothing is begun in it any more. */
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
    ...(credits && credits.runsAtOnce !== null && { account: credits.account }),
  });
  if (!ended.ok) run.warnOnce('onRunEnd', `The hook onRunEnd failed: ${ended.failure.message}`);
}

/** Calls the hooks, with what is to be charged by now: whatever is called twice is charged once. */
async function call(run: Run, input: HookInput): Promise<Called<HookEnd>> {
  const isCharged = input.at === 'turn' || input.at === 'goal' || input.at === 'end';
  const charges = isCharged ? takeDue(run, input) : null;
  const ended = await run.ports.hook(charges ? { ...input, charges } : input);
  if (!ended.ok) {
    keepOpen(run, charges);
    if (ended.failure.kind === 'cancelled') run.ports.throwIfCancelled();
  } else {
    const { warning, account } = ended.value;
    // By its name: what a hook says may be another text each time, and the state would grow.
    if (warning !== undefined) run.warnOnce(input.at === 'end' ? 'onRunEnd' : 'onMessage', warning);
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
function takeDue(run: Run, { key }: HookInput): Charges | null {
  const { total, pinned } = run.state;
  const { charged } = total;
  if (!charged || !pinned?.credits) return null;
  const found = dueOf(run);
  const all = [...charged.open, ...(found ? [{ key: `${goalKey(run)}${key}`, ...found.due }] : [])];
  total.charged = { ...charged, ...found?.upTo, open: [] };
  const { account, runsAtOnce } = pinned.credits;
  const keepsPlace = runsAtOnce !== null;
  return all.length > 0 ? { account, keepsPlace, all } : null;
}

/** They may have been taken, and the answer lost. */
function keepOpen({ state: { total } }: Run, charges: Charges | null): void {
  if (charges && total.charged)
    total.charged = { ...total.charged, open: [...total.charged.open, ...charges.all] };
}

function balanceIs(run: Run, account: { balance: number; dayTokens: number }): void {
  const { total, pinned } = run.state;
  if (!total.charged || !pinned?.credits) return;
  total.charged = { ...total.charged, ...account };
  const why = usedUp(pinned.credits, account, total);
  if (why !== null) stop(run, 'credits', why);
}

/** Nobody says that the goal may go on: without the hook it would, and nothing would be paid. */
function fail(run: Run, { kind, type, message }: CallFailure): void {
  if (kind === 'cancelled') return;
  stop(run, 'failed:hook', `The hook at the end of a turn failed: ${message || type || kind}`);
}
