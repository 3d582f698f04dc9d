import { preview } from '../../base/text/preview.js';
import { fill } from '../../base/words/words.js';
import type { PinnedRole } from '../../run/agents/role.js';
import type { CallFailure } from '../../run/limits/failure.js';
import { type BudgetKind, checkBudgets } from '../../run/limits/limits.js';
import { type AssistantMessage, textOf, toolCallsOf } from '../../run/messages/message.js';
import type { OutputContract } from '../../run/outputs/contracts.js';
import type { Batch } from '../../run/position/position.js';
import { here, taskAt } from '../../run/state/cursor.js';
import { budgetUse, isCounted, isHeld } from '../../run/state/run-state.js';
import { envelopeOf, type Thread } from '../../run/state/thread.js';
import {
  batchAction,
  type InboxItem,
  takeSteers,
  waitingSteers,
  wantsInterrupt,
} from '../../run/steering/inbox.js';
import { appliedReceipt } from '../../run/steering/receipt.js';
import { tellRead } from '../agents/agents.js';
import { beforeCall } from '../beside/moments.js';
import { modelFailed, notifyCutReply, notifyResults, turnEnded } from '../beside/tell.js';
import { branchesOf } from '../run/branch-line.js';
import { beginInterpreting, beginSteering, mayRead, mustInterpret, UNDERSTANDING } from '../run/hearing.js';
import type { Run } from '../run/run.js';
import { instruct, nameRole } from '../say/instruct.js';
import { askedNatively, callModel, type ModelReply, type WholeReply } from './call-model.js';
import { answerable, askForRemainder } from './go-on.js';
import { mayCall, type ReplyEnd, readReply } from './read-reply.js';
import { budgetAsked, raiseBudget, rescueFailure } from './rescue.js';
import { safePoint } from './safe-point.js';
import { callsBesideReads } from './tools/decide-call.js';
import { skipOpenCalls, supersedeCalls } from './tools/finish-call.js';
import { runNextCalls } from './tools/run-tools.js';

export interface TurnSpec<C extends OutputContract> {
  role: string;
  /** The role that reads people's messages here. Default: the same. */
  reader?: string;
  /** The contract that the mode needs of the role; it was checked when the run was loaded. */
  output: C;
  /** Most rounds at this position; the cursor counts them. */
  maxRounds: number;
  /** False takes tools away from a role that has some: for reports after a limit. */
  tools: boolean;
  /** Looks up what the instruction needs, once at the position; null if nothing is missing. */
  prepare?: () => Promise<void> | null;
  /** Added to the thread once when the position is entered. */
  instruction: () => string;
  /** Called before each model call, to add further messages. */
  remind?: () => void;
  /** Called before each model call. True if it moved the run elsewhere, which makes the call useless. */
  leaves?: () => boolean;
}

export type TurnEnd<C extends OutputContract = OutputContract> =
  | ReplyEnd<C>
  /** The cursor has moved, such as to the interpretation of a user's message. */
  | { kind: 'moved' }
  | { kind: 'rounds_used' }
  | { kind: 'budget_used'; budgets: BudgetKind[] }
  | { kind: 'stopped' }
  /** `refused`: a person was asked, and does not want a retry. */
  | { kind: 'failed'; failure: CallFailure; refused: boolean };

/**
 * Runs turns until the role replies without tool calls, or a limit, a stop or a failure ends it. All its awaits are in this
 * function: one more would change the order in which parallel tasks make their calls.
 */
export async function runTurns<C extends OutputContract>(run: Run, spec: TurnSpec<C>): Promise<TurnEnd<C>> {
  const role = run.role(spec.role);
  const { reader = role.name } = spec;
  for (;;) {
    const wait = safePoint(run, () => mustInterpret(run, reader));
    if (wait) await wait;
    const at = here(run.cursor);
    const { turns } = at;
    const next = nextAt(run, { role, reader }, spec);
    if (next.kind === 'end') return next.end;
    if (next.kind === 'calls') {
      const before = run.state.lastId;
      if (!skipForSteering(run, next.batch, reader)) await runNextCalls(run, next.batch);
      const telling = notifyResults(run, next.batch.thread, before);
      if (telling) await telling;
      if (here(run.cursor) !== at) return { kind: 'moved' };
    } else if (next.kind === 'rescue') {
      const { failure } = next;
      const rescue = await rescueFailure(run, role, failure);
      if (rescue !== 'again') return { kind: 'failed', failure, refused: rescue === 'stop' };
      turns.failure = null;
    } else if (next.kind === 'raise') {
      if (!(await raiseBudget(run, next.budget))) return { kind: 'budget_used', budgets: next.budgets };
    } else if (next.kind === 'look') await next.looking;
    if (next.kind !== 'reply') continue;
    await answerable(run, role);
    // `answerable` may have waited for the store, so check again.
    if (run.state.people.stop !== null || isHeld(run.state)) continue;
    const reply = await callModel(run, role, spec.tools);
    if (reply.kind !== 'message') {
      const telling = withoutMessage(run, role, reply);
      if (telling) await telling;
      continue;
    }
    const calls = toolCallsOf(reply.message).length;
    if (calls > 0) turns.batch = newBatch(run.threadOf(role), spec.tools, reply);
    const ending = turnEnded(run, reply);
    if (ending) {
      await ending;
      if (turns.batch) await skipIfStopped(run, turns.batch);
    }
    if (calls > 0) {
      if (mayCall(run, role, spec.tools)) {
        endRound(run, reply.message);
        continue;
      }
      // Calls of a role without tools are closed at once; the remaining text is its output.
      const { lastId } = run.state;
      while (turns.batch) await runNextCalls(run, turns.batch);
      const telling = notifyResults(run, run.threadOf(role).id, lastId);
      if (telling) await telling;
    }
    if (askedNatively(run, role, reply) || (await askForRemainder(run, role, reply))) continue;
    const end = readReply(run, role, spec, { ...reply, strayCalls: calls });
    if (end) {
      endRound(run, reply.message);
      return end;
    }
  }
}

type Next<C extends OutputContract> =
  | { kind: 'end'; end: TurnEnd<C> }
  /** The open calls of a reply. */
  | { kind: 'calls'; batch: Batch }
  /** A failed call, about which a person may decide. */
  | { kind: 'rescue'; failure: CallFailure }
  /** A used-up budget that may be raised; `budgets`: all that are used up. */
  | { kind: 'raise'; budget: BudgetKind; budgets: BudgetKind[] }
  | { kind: 'look'; looking: Promise<void> }
  | { kind: 'reply' };

const AWAY = { kind: 'end', end: { kind: 'moved' } } as const;

/** Returns what is next at the position. If it is a reply, the role's thread has all messages that it needs. */
function nextAt<C extends OutputContract>(
  run: Run,
  { role, reader }: { role: PinnedRole; reader: string },
  spec: TurnSpec<C>,
): Next<C> {
  const { phase, turns } = here(run.cursor);
  if (isHeld(run.state)) {
    beginInterpreting(run, reader);
    return AWAY;
  }
  if (turns.batch) return { kind: 'calls', batch: turns.batch };
  if (run.state.people.stop) return { kind: 'end', end: { kind: 'stopped' } };
  if (spec.leaves?.()) return AWAY;
  if (turns.failure) return { kind: 'rescue', failure: turns.failure };
  const asked = budgetAsked(run);
  if (asked === null && applySteering(run, reader)) return AWAY;
  const budgets = usedBudgets(run);
  const budget = asked ?? budgets[0];
  if (budget) {
    run.line.giveWay();
    // Only work asks for more budget; a message can be noted without interpretation.
    if (phase === 'steering') return { kind: 'end', end: { kind: 'budget_used', budgets } };
    return { kind: 'raise', budget, budgets };
  }
  if (turns.round >= spec.maxRounds) return { kind: 'end', end: { kind: 'rounds_used' } };
  if (!turns.instructed) {
    const looking = spec.prepare?.();
    if (looking) return { kind: 'look', looking };
    instruct(run, role, spec.instruction(), taskAt(run.cursor));
    turns.instructed = true;
  }
  spec.remind?.();
  tellRoundsLeft(run, role, spec.maxRounds);
  beforeCall(run, role);
  nameRole(run, role);
  return { kind: 'reply' };
}

/** Notes a call that failed, or was interrupted. Returns null if no feature must be notified. */
function withoutMessage(
  run: Run,
  role: PinnedRole,
  reply: Exclude<ModelReply, WholeReply>,
): Promise<void> | null {
  if (reply.kind === 'again') return reply.cut === undefined ? null : notifyCutReply(run, reply.cut);
  here(run.cursor).turns.failure = reply.failure;
  return modelFailed(run, role.name, reply.failure);
}

function newBatch({ id: thread }: Thread, toolsOffered: boolean, { message, turn }: WholeReply): Batch {
  return { thread, messageId: message.id, turn, toolsOffered, next: 0, edited: {} };
}

/** Skips the calls of a reply after which a hook stopped the run. */
async function skipIfStopped(run: Run, batch: Batch): Promise<void> {
  const { stop } = run.state.people;
  if (!stop?.cause) return;
  const before = run.state.lastId;
  skipOpenCalls(run, batch, { ending: 'skipped', note: run.words.noteHookStop, why: stop.reason });
  await notifyResults(run, batch.thread, before);
}

const ROUNDS_TOLD = 2;

/** Tells the role once that two rounds are left. */
function tellRoundsLeft(run: Run, role: PinnedRole, maxRounds: number): void {
  const left = maxRounds - here(run.cursor).turns.round;
  if (left !== ROUNDS_TOLD || maxRounds <= 2 * ROUNDS_TOLD) return;
  const text = fill(run.words.roundsLeft, { left });
  const last = run.threadOf(role).messages.at(-1);
  if (last === undefined || !textOf(last).includes(text)) instruct(run, role, text);
}

const MOST_TOLD_CHARS = 1_000;

/** Counts the reply as a round. Its envelope's message to the person is reported, for every role. */
function endRound(run: Run, message: AssistantMessage): void {
  const { userMessage } = envelopeOf(message);
  if (userMessage !== null)
    run.journal('user_message', { role: message.role, text: preview(userMessage, MOST_TOLD_CHARS) });
  const { turns } = here(run.cursor);
  turns.round += 1;
  turns.reasked = false;
  turns.cut = null;
}

/** Returns used-up budgets; journals new warnings. Work outside a goal has only the run's limit; the wrap-up is free. */
export function usedBudgets(run: Run): BudgetKind[] {
  const { cursor } = run;
  const { goal } = run.state;
  const { exhausted, warned } = checkBudgets(run.limits, budgetUse(run.state, run.ports.now()));
  if (!isCounted(run.state))
    return here(cursor).phase === 'wrap_up' ? [] : exhausted.filter(budget => budget === 'totalTurns');
  for (const budget of warned) {
    if (goal.warned.includes(budget)) continue;
    goal.warned.push(budget);
    run.journal('budget_warning', { budget });
  }
  return exhausted;
}

// Waiting messages (S1): they skip the rest of a batch, then are routed or noted. Roles interpret them first
// (`phases/steering.ts`) by default; with `steering: note` they go straight into the thread.

/**
 * Skips the rest of an open batch if waiting messages want that. False if calls remain to run: all of them, or (unless the
 * message interrupts) those that only read (SE7).
 */
export function skipForSteering(run: Run, batch: Batch, role: string): boolean {
  const waiting = mayRead(run) ? waitingSteers(run.state.people.inbox, role) : [];
  if (batchAction(waiting) !== 'skip_rest') return false;
  const others = run.behaves(2) && !wantsInterrupt(waiting) ? callsBesideReads(run, batch) : null;
  if (others === null) {
    skipRemaining(run, batch, waiting);
    return true;
  }
  if (!batch.readsOnly) noteSkipped(run, waiting, others);
  batch.readsOnly = true;
  return false;
}

function noteSkipped(run: Run, items: readonly InboxItem[], skippedTools: string[]): void {
  run.journal('steering', { ids: items.map(item => item.id), skippedTools });
}

function skipRemaining(run: Run, batch: Batch, items: readonly InboxItem[]): void {
  const skippedTools = supersedeCalls(run, batch);
  if (!batch.readsOnly || wantsInterrupt(items)) noteSkipped(run, items, skippedTools);
}

/** Applies waiting messages together: notes them for the role, or returns true after moving to their interpretation. */
export function applySteering(run: Run, role: string): boolean {
  const { state } = run;
  const items = mayRead(run) ? takeSteers(state.people.inbox, role) : [];
  if (items.length === 0) return false;
  if (run.pinned.roles[UNDERSTANDING]) {
    beginSteering(run, items, role);
    return true;
  }
  note(run, { items, role }, fill(run.words.receiptAsNote, { role }));
  return false;
}

/** Adds the messages to the running role's thread, and to each branch's, with receipts. */
export function note(
  run: Run,
  { items, role }: { items: readonly InboxItem[]; role: string | null },
  as: string,
): void {
  const branches = branchesOf(run);
  // A held run may have open tool calls: those that have not begun are skipped.
  for (const line of [run, ...branches]) {
    const { batch } = here(line.cursor).turns;
    if (batch) skipRemaining(line, batch, items);
  }
  const thread = threadFor(run, role);
  const messages = items.map(item => run.say(thread, 'steer', item.text));
  for (const line of branches) for (const message of messages) line.append(threadFor(line, role), message);
  for (const item of items) run.wish(item.text);
  for (const line of [run, ...branches]) beginAnew(line, role);
  receipts(run, items, as);
}

function threadFor(run: Run, role: string | null): Thread {
  return role === null ? run.mainThread() : run.threadOf(run.role(role));
}

/** Discards the cut text and re-ask that preceded the messages: the role begins its reply to them anew. */
function beginAnew(run: Run, role: string | null): void {
  const { turns } = here(run.cursor);
  if (turns.cut !== null) run.say(threadFor(run, role), 'instruction', run.words.reaskText);
  turns.cut = null;
  turns.reasked = false;
}

export function receipts(run: Run, items: readonly InboxItem[], as: string): void {
  const turn = run.state.goal.counters.turns + 1;
  for (const item of items) {
    run.journal('receipt', appliedReceipt(run.words, item.id, { as, turn }));
    tellRead(run, item.id);
  }
}
