/** The activity that calls hooks: functions of the worker's program, and addresses of its configuration. */
import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { HookName } from '../core/agents/run-config.js';
import type { Cause, Outcome } from '../core/plan/cause.js';
import type { Message, Usage } from '../core/state/message.js';
import { errorText } from '../core/text/error-text.js';
import { preview } from '../core/text/preview.js';
import { failpoint } from '../shared/failpoints.js';
import { askPatiently } from '../shared/query-errors.js';
import type { AccountStore } from '../shared/store/store.js';
import { within } from './stop-signal.js';
import type { Charge, HookEnd, HookInput, SteersmanActivities } from './types.js';

interface Told {
  /** Names what the hook is called for, and nothing else: the same in every try. */
  key: string;
  /** Workflow id of the run. */
  runId: string;
  /** Number of the goal in the run, from 1. */
  goal: number;
  /** What the run was started with as `context`. */
  context: Readonly<Record<string, string>>;
}

/** A reply has come, and its tools have not begun. */
export interface EndedTurn extends Told {
  /** Number of the reply in the run, from 1. */
  turn: number;
  role: string;
  /** `endpoint/model`. */
  model: string;
  /** The endpoint. */
  provider: string;
  usage: Usage;
}

/** A reply, or a result of a tool. */
export interface SaidMessage extends Told {
  message: Message;
}

/** A model has failed a role for good, with all its tries and all that could take its place. */
export interface FailedModel extends Told {
  role: string;
  model: string;
  error: string;
  /** A later try may bring a reply. */
  isRetryable: boolean;
}

export interface EndedRun extends Told {
  outcome: Outcome;
  cause: Cause;
}

/** Functions that are called as runs go on, each in 10 s. A worker that dies meanwhile is replaced: by its key a function knows what it has done. */
export interface RunHooks {
  /** False ends the goal before its tools. What it throws, in three tries, ends the run as failed. */
  onTurnEnd?(turn: EndedTurn): boolean | undefined | Promise<boolean | undefined>;
  /** What it throws is one warning. */
  onMessage?(said: SaidMessage): unknown;
  /** What it throws is ignored. */
  onError?(failed: FailedModel): unknown;
  /** What it throws is one warning. */
  onRunEnd?(ended: EndedRun): unknown;
}

/** Calls one hook wherever it is. @returns false and why, where it says no. */
export type CallHook = (hook: HookName, told: Told) => Promise<{ goOn: boolean; why?: string }>;

export interface HookDeps {
  /** Program and configuration: all of them are called. */
  hooks: readonly CallHook[];
  accounts: AccountStore;
  /** Asks the run for messages. */
  readMessages(ids: string[]): Promise<Message[]>;
  redact<T>(value: T): T;
}

const HEARTBEAT_MS = 1_000;
const FUNCTION_MS = 10_000;
const GIVE_UP_MS = 8_000;
const WHY_CHARS = 300;
const LATE = Symbol('late');

/** The functions of a program as hooks that may be called. */
export function functionHooks(functions: RunHooks): CallHook {
  return async (hook, told) => {
    const called = async () => functions[hook]?.(told as EndedTurn & SaidMessage & FailedModel & EndedRun);
    const answer = await within(FUNCTION_MS, called(), LATE);
    if (answer === LATE) throw new Error(`it did not end within ${FUNCTION_MS / 1_000} s`);
    return { goOn: answer !== false };
  };
}

/** Makes `steersmanHook`. Charges come first: what was used is paid, whatever a hook says. */
export function createHook(deps: HookDeps): SteersmanActivities['steersmanHook'] {
  return async function steersmanHook(input) {
    const timer = setInterval(() => heartbeat(), HEARTBEAT_MS);
    try {
      const account = await settleAccount(deps, input);
      await failpoint('hook.before-call');
      const end = await callAll(deps, input);
      await failpoint('hook.after-call');
      return { ...end, ...(account && { account }) };
    } finally {
      clearInterval(timer);
    }
  };
}

async function callAll(deps: HookDeps, input: HookInput): Promise<HookEnd> {
  const { chain, key, goal, context } = input;
  const runId = activityInfo().workflowExecution?.workflowId ?? '';
  const told = { key, runId, goal, context };
  switch (input.at) {
    case 'turn': {
      const { turn, role, model, usage, messageId } = input;
      const warning = await tellMessages(deps, { ...told, chain }, [messageId]);
      const provider = model.slice(0, Math.max(0, model.indexOf('/')));
      const ended: EndedTurn = { ...told, turn, role, model, provider, usage };
      const end = await strict(() => callEach(deps, 'onTurnEnd', ended), deps);
      return { ...end, ...warning };
    }
    case 'results':
      return { goOn: true, ...(await tellMessages(deps, { ...told, chain }, input.messageIds)) };
    case 'error': {
      const { role, model, error, isRetryable } = input;
      const failed: FailedModel = { ...told, role, model, error, isRetryable };
      await callEach(deps, 'onError', failed).catch(() => undefined);
      return { goOn: true };
    }
    case 'goal':
      return { goOn: true };
    case 'end': {
      const { outcome, cause } = input;
      const ended: EndedRun = { ...told, outcome, cause };
      return { goOn: true, ...(await warned(deps, 'onRunEnd', () => callEach(deps, 'onRunEnd', ended))) };
    }
  }
}

/** In the order in which they were said, each with its own key. */
async function tellMessages(
  deps: HookDeps,
  { chain, ...told }: Told & Pick<HookInput, 'chain'>,
  ids: string[],
): Promise<Pick<HookEnd, 'warning'>> {
  if (deps.hooks.length === 0) return {};
  return warned(deps, 'onMessage', async () => {
    for (const id of ids) {
      // One by one: each may be as large as an answer to a query can be.
      const signal = cancellationSignal();
      const [message] = await askPatiently(() => deps.readMessages([id]), { giveUpMs: GIVE_UP_MS, signal });
      const said = message && { ...told, key: `${chain}-${id}`, message };
      if (said) await callEach(deps, 'onMessage', said);
    }
  });
}

/** All are called, also after one that says no. */
async function callEach({ hooks }: HookDeps, hook: HookName, told: Told): Promise<HookEnd> {
  let end: HookEnd = { goOn: true };
  for (const call of hooks) {
    const { goOn, why } = await call(hook, told);
    if (end.goOn && !goOn) end = { goOn, ...(why !== undefined && { why: preview(why, WHY_CHARS) }) };
  }
  return end;
}

/** Fails the activity, which is tried again. */
async function strict<T>(call: () => Promise<T>, { redact }: HookDeps): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw ApplicationFailure.retryable(redact(preview(errorText(error), WHY_CHARS)), 'hook');
  }
}

async function warned(
  { redact }: HookDeps,
  hook: HookName,
  call: () => Promise<unknown>,
): Promise<Pick<HookEnd, 'warning'>> {
  try {
    await call();
    return {};
  } catch (error) {
    return { warning: redact(`The hook ${hook} failed: ${preview(errorText(error), WHY_CHARS)}`) };
  }
}

/** Charges, refunds and places of the run's account. */
async function settleAccount({ accounts }: HookDeps, input: HookInput): Promise<HookEnd['account']> {
  const { charge } = input;
  const found = charge && (await chargeTo(accounts, charge));
  if (input.at === 'goal' && input.refund !== undefined) {
    await failpoint('hook.before-refund');
    const { balance, dayTokens } = await accounts.refund(input.account, input.refund);
    await failpoint('hook.after-refund');
    return { balance, dayTokens };
  }
  if (input.at === 'end' && input.account !== undefined) await accounts.release(input.account, placeOf());
  return found;
}

async function chargeTo(
  accounts: AccountStore,
  { account, key, keepsPlace, ...what }: Charge,
): Promise<HookEnd['account']> {
  const at = Date.now();
  if (keepsPlace) await accounts.lease(account, placeOf(), Number.MAX_SAFE_INTEGER, at);
  await failpoint('hook.before-charge');
  const { balance, dayTokens } = await accounts.charge(account, key, { ...what, at });
  await failpoint('hook.after-charge');
  return { balance, dayTokens };
}

/** The run in the places of its account: open runs have different ids. */
export function placeOf(): string {
  return activityInfo().workflowExecution?.workflowId ?? '';
}
