/** The only loop that calls models for roles: a limited number of rounds, each a reply and its tool calls. */

import { OPINION_BYTES, QUESTION_BYTES } from '../../base/sizes/bounds.js';
import { fitted } from '../../base/text/fit.js';
import { preview } from '../../base/text/preview.js';
import { fill, type Words } from '../../base/words/words.js';
import { joinCut, withCutNote } from '../../conversation/cut-text.js';
import { capabilitiesOf } from '../../rules/agents/capabilities.js';
import { isSilent } from '../../rules/limits/model-failure.js';
import { parseRoleOutput, type RoleReply, reaskText, silentText } from '../../rules/outputs/parse-output.js';
import { decideTask } from '../../rules/plan/decide.js';
import type { PinnedRole } from '../../run/agents/role.js';
import { offeredTools } from '../../run/agents/run-config.js';
import type { EvidenceItem } from '../../run/evidence/evidence.js';
import type { CallFailure } from '../../run/limits/failure.js';
import { type BudgetKind, checkBudgets } from '../../run/limits/limits.js';
import { type AssistantMessage, textOf, toolCallsOf } from '../../run/messages/message.js';
import { CONTRACTS, type OutputContract, type OutputOf } from '../../run/outputs/contracts.js';
import type { EnvelopeMeta } from '../../run/outputs/envelope.js';
import type { SpecialOutput } from '../../run/outputs/special-output.js';
import { planInForce } from '../../run/plan/plan.js';
import { choicesOf } from '../../run/position/modes.js';
import type { Batch } from '../../run/position/position.js';
import { here, taskAt } from '../../run/state/cursor.js';
import { accountOf, budgetUse, isCounted, isHeld } from '../../run/state/run-state.js';
import { envelopeOf, type Thread } from '../../run/state/thread.js';
import { shown } from '../../run/state/trace.js';
import { beforeCall } from '../beside/moments.js';
import { modelFailed, notifyCutReply, notifyResults, turnEnded } from '../beside/tell.js';
import { beginInterpreting, mustInterpret } from '../run/hearing.js';
import type { Run } from '../run/run.js';
import { instruct, nameRole } from '../say/instruct.js';
import { askedNatively, callModel, type ModelReply, type WholeReply } from './call-model.js';
import { answerable, askForRemainder } from './go-on.js';
import { budgetAsked, raiseBudget, rescueFailure } from './rescue.js';
import { safePoint } from './safe-point.js';
import { applySteering, skipForSteering } from './take-steering.js';
import { skipOpenCalls } from './tools/finish-call.js';
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
  | { kind: 'reply'; message: AssistantMessage; output: OutputOf[C]; envelope: EnvelopeMeta }
  /** The role asks the user, reports an error or escalates, instead of its output. */
  | { kind: 'special'; special: SpecialOutput }
  /** The cursor has moved, such as to the interpretation of a user's message. */
  | { kind: 'moved' }
  /** The reply could not be read, even after a re-ask. */
  | { kind: 'unusable'; text: string; errors: string[] }
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

function mayCall({ pinned }: Run, role: PinnedRole, toolsOffered: boolean): boolean {
  return toolsOffered && offeredTools(pinned, role).length > 0;
}

/** Notes a call that failed, or was interrupted. Returns null if no feature is told of it. */
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

/** Reads a reply by the role's contract. Null: it was sent back, which happens once a turn and costs no round. */
function readReply<C extends OutputContract>(
  run: Run,
  role: PinnedRole,
  { output: contract, tools }: Pick<TurnSpec<C>, 'output' | 'tools'>,
  reply: WholeReply & { strayCalls: number },
): TurnEnd<C> | null {
  const { turns } = here(run.cursor);
  const { message } = reply;
  const text = turns.cut === null ? reply.text : joinCut(turns.cut, reply.text);
  const has = contract === 'plan' ? capabilitiesOf(run.pinned) : null;
  const evidence = contract === 'verdict' ? evidenceAt(run) : undefined;
  const known = { names: namesFor(contract, run), has, evidence, steps: run.behaves(4) };
  const options = { ...known, dialect: role.dialect };
  const asked = turns.reasked || turns.cut !== null;
  const isCut = message.stopReason === 'max_tokens' || (turns.cut !== null && reply.text.trim() === '');
  const parsed = parseRoleOutput(contract, text, options);
  const read = isCut ? whereCut(contract, parsed, { asked, words: run.words }) : parsed;
  const special = read.special && fitted(read.special, QUESTION_BYTES);
  const envelope = fitted(read.envelope, OPINION_BYTES);
  const value = read.value === null ? null : fitted(read.value, CONTRACTS[contract].maxBytes);
  const decidedBy = special ? null : deciderOf(run, contract, value);
  if (special || read.ok) noteOutput(run, reply, { decidedBy });
  if (special) return { kind: 'special', special };
  if (read.ok && value !== null) return { kind: 'reply', message, output: value, envelope };
  const faults = read.ok ? [] : read.errors;
  const errors = reply.strayCalls > 0 ? [run.words.noTools, ...faults] : faults;
  if (turns.reasked) {
    noteOutput(run, reply, { decidedBy, error: errors.join(' ') });
    return value === null
      ? { kind: 'unusable', text, errors }
      : { kind: 'reply', message, output: value, envelope };
  }
  turns.reasked = true;
  const account = accountOf(run.state);
  account.counters = { ...account.counters, reasks: account.counters.reasks + 1 };
  run.journal('reask', { role: role.name, errors });
  // A role with tools is told to continue: asking for its output now would end work that is not done.
  const goesOn = !isCut && isSilent(message) && mayCall(run, role, tools);
  const said = goesOn
    ? silentText(contract, role.dialect, run.words)
    : reaskText(contract, errors, role.dialect, run.words);
  run.say(run.threadOf(role), 'reask', said);
  return null;
}

/** Returns the names that a reply of this contract may or must use. */
function namesFor(contract: OutputContract, { state, pinned }: Run): string[] {
  if (contract === 'choice') return choicesOf(pinned.modes);
  const tasks = contract === 'verdict' ? planInForce(state.tasks) : state.tasks;
  return tasks.map(task => task.id);
}

/** Returns the evidence that a verdict may cite here. */
function evidenceAt({ cursor }: Run): readonly EvidenceItem[] | undefined {
  const at = here(cursor);
  return at.phase === 'verification' ? at.looked?.items : undefined;
}

/** Sends a reply that was cut at its limit back once. After that, cut text gets a note, and complete JSON is accepted. */
function whereCut<C extends OutputContract>(
  contract: C,
  read: RoleReply<OutputOf[C]>,
  { asked, words }: { asked: boolean; words: Words },
): RoleReply<OutputOf[C]> {
  if (read.special) return read;
  if (!read.ok) return { ...read, errors: [words.cutError] };
  if (contract !== 'text') return read;
  if (!asked) return { ...read, ok: false, errors: [words.cutError] };
  // The compiler does not see that the value of this contract is text.
  return { ...read, value: withCutNote(`${read.value}`, words) as OutputOf[C] };
}

/** Returns the field of an executor's reply that decides its task; null if the task ends anyway. */
function deciderOf<C extends OutputContract>(
  { cursor }: Run,
  contract: C,
  value: OutputOf[C] | null,
): string | null {
  const at = here(cursor);
  const taskId = taskAt(cursor);
  if (contract !== 'execution' || value === null || at.phase !== 'execution' || at.reporting) return null;
  // The compiler does not see that the value of this contract is a report.
  return taskId === null ? null : decideTask(value as OutputOf['execution'], taskId).by;
}

/** Notes a reply that counts as the role's output. */
function noteOutput(
  run: Run,
  { message: { role, id: messageId }, turn }: WholeReply,
  { decidedBy, error }: { decidedBy: string | null; error?: string },
): void {
  run.journal('output_read', {
    ...{ role, taskId: taskAt(run.cursor), turn, messageId },
    ...(decidedBy !== null && { decidedBy }),
    ...(error !== undefined && { error: shown(error) }),
  });
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
