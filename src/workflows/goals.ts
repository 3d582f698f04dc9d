/** The goals of a run, one after the other: how a goal begins and ends, independent of the platform. */

import { without } from '../base/json/json.js';
import { ANSWER_BYTES, TEXT_BYTES } from '../base/sizes/bounds.js';
import { preview } from '../base/text/preview.js';
import { fill } from '../base/words/words.js';
import { renamed } from '../conversation/earlier.js';
import { fitMessage } from '../conversation/fit-message.js';
import { GIVEN_BYTES } from '../conversation/read-messages.js';
import { type InitialMessages, NOTHING_GIVEN } from '../rules/agents/run-input.js';
import { isSubagent } from '../rules/agents/subagent.js';
import { notDoneText } from '../rules/plan/plan-edit.js';
import type { PinnedRun } from '../run/agents/run-config.js';
import { checksText } from '../run/checks/check.js';
import type { Outcome } from '../run/limits/cause.js';
import { plansLeft } from '../run/limits/limits.js';
import { toolCallsOf } from '../run/messages/message.js';
import { firstPosition } from '../run/position/modes.js';
import { taskOf } from '../run/position/position.js';
import { steeringAt } from '../run/state/cursor.js';
import { endFacts, type GoalEnd, newGoal, withGoal } from '../run/state/goal.js';
import { type InboxItem, steersToFollowUps, takeFollowUp } from '../run/steering/inbox.js';
import { droppedReceipt, queuedReceipt } from '../run/steering/receipt.js';
import { recordCall } from '../run/tools/ledger.js';
import { allowedAtStart } from '../run/tools/permission.js';
import { besideGoal, ended, loaded } from './beside/moments.js';
import { goalEnds } from './beside/tell.js';
import { closeBranches } from './branches/side-by-side.js';
import { setChosen } from './changes/set-model.js';
import { asStopped, whatThereIs } from './phases/conclude.js';
import { beginSteering, UNDERSTANDING } from './run/hearing.js';
import { hasUnkept, keepSession } from './run/keep-session.js';
import { keepText, offloadLastAnswer } from './run/keep-text.js';
import type { Run } from './run/run.js';
import { runMode } from './run-mode.js';
import { giveNotes } from './say/instruct.js';
import { beginNextGoal } from './say/notes.js';
import { cancelled, closeOpenCalls } from './turn/tools/finish-call.js';
import { receipts } from './turn/turn-loop.js';

/** Pins what was loaded, and appends the earlier messages of the conversation and the first goal to the main thread. */
export async function beginRun(
  run: Run,
  pinned: PinnedRun,
  given: InitialMessages = NOTHING_GIVEN,
): Promise<void> {
  const { state } = run;
  state.pinned = pinned;
  const { tools, models } = pinned;
  const { allowed, changed } = allowedAtStart(state.settings.allowTools ?? [], tools);
  state.people.allowedTools = allowed;
  const warnings = [...pinned.warnings];
  if (changed.length > 0)
    warnings.push(`These tools changed since you allowed them, so they ask again: ${changed.join(', ')}.`);
  warnings.push(...notTaken(given));
  run.journal('run_loaded', { tools: tools.length, models, warnings });
  setChosen(run);
  for (const message of renamed(given.messages, prefix => run.nextId(prefix)))
    run.append(run.mainThread(), { ...message, at: message.at || run.ports.now() });
  recordEarlierResults(run);
  loaded(run);
  const text = await keepText(run, 'goal', state.goal.text, TEXT_BYTES);
  state.goal = newGoal(state.goal.number, text, state.goal);
  // Notes precede the goal, so runs of a workspace share a prefix, which endpoints with a cache bill at a tenth of the price.
  giveNotes(run, run.mainThread());
  const beside = besideGoal(run);
  const goalText = [text, ...beside.map(each => each.text)].join('\n\n');
  const shown = beside.flatMap(({ pictures }) => pictures);
  run.say(run.mainThread(), 'goal', goalText, shown.length > 0 ? { pictures: shown } : {});
  run.enter(firstPosition(state.goal.mode));
}

/**
 * Adds reusable results among the run's first messages to its ledger (D7). A result with a note is incomplete, so it
 * is left out.
 */
function recordEarlierResults(run: Run): void {
  const { state, pinned } = run;
  const { messages } = run.mainThread();
  const calls = new Map(
    messages.flatMap(message =>
      message.kind === 'assistant' ? toolCallsOf(message).map(call => [call.id, call] as const) : [],
    ),
  );
  for (const message of messages) {
    if (message.kind !== 'tool_result') continue;
    const [result] = message.content;
    const call = calls.get(result.toolUseId);
    const policy = pinned.tools.find(({ name }) => name === result.toolName)?.policy;
    if (!call || policy?.cache !== 'conversation' || result.note !== '' || result.content.length === 0)
      continue;
    const { workspace } = state.settings;
    recordCall(state.tools.ledger, {
      call,
      result,
      messageId: message.id,
      policy,
      workspace,
      // The result's age counts from the call, not from the start of this run.
      now: message.at,
    });
  }
}

function notTaken({ messages, leftOut, untold = [] }: InitialMessages): string[] {
  const shortened = messages.filter(message => fitMessage(message) !== message).length;
  return [
    ...(leftOut > 0
      ? [
          `Of the messages to begin with, the oldest ${leftOut} are left out: at most ${GIVEN_BYTES} bytes are taken.`,
        ]
      : []),
    ...(shortened > 0
      ? [`Of the messages to begin with, ${shortened} are too long: their ends are cut.`]
      : []),
    ...untold.map(
      id =>
        `The run ${id} ended while the store was unavailable, and cannot be read: this run does not know all of it.`,
    ),
  ];
}

/** Pursues the current goal to its end. A run that is kept open returns the end of its last goal. */
export async function pursue(run: Run): Promise<GoalEnd> {
  const { state } = run;
  const last = state.goals.at(-1);
  if (state.idleSince !== null && last)
    return { outcome: last.outcome, cause: last.cause, answer: last.answer };
  const end = withNotDone(run, asStopped(run, await runMode(run)));
  // Set at once: messages that arrive while the answer is stored follow it, and no task starts.
  state.idleSince = run.ports.now();
  const answer = await keepText(run, `answer-${state.goal.number}`, end.answer, ANSWER_BYTES);
  await offloadLastAnswer(run);
  endGoal(run, { ...end, answer });
  await goalEnds(run, end);
  // Later runs of the conversation read the answer in the store. A sub-agent's answer belongs to its caller.
  if (hasUnkept(run) && !isSubagent(state.settings) && !isAboutToEnd(run, end)) await keepSession(run);
  return { ...end, answer };
}

/** Appends to the answer which tasks and checks were not done, and which parts of the goal are impossible. */
function withNotDone<End extends Pick<GoalEnd, 'outcome' | 'cause' | 'answer'>>(
  { state, limits, words }: Run,
  end: End,
): End {
  if (state.goals.some(goal => goal.number === state.goal.number)) return end;
  const { exceptions = [] } = endFacts(state.goal, end.outcome);
  const excepted = exceptions.map(each => `- ${each}`).join('\n');
  const lacks = [
    notDoneText(state.tasks, end.cause, words),
    checksText(state.goal.checks, { cause: end.cause, left: plansLeft(state.goal.counters, limits) }, words),
    excepted && `**${words.exceptions}**\n\n${excepted}`,
  ];
  const answer = [end.answer, ...lacks].filter(Boolean).join('\n\n');
  return { ...end, answer };
}

/** Records the goal's end, once. A follow-up that only gave an instruction is not a goal. */
function endGoal(run: Run, end: GoalEnd): void {
  const { state } = run;
  const { outcome, cause, answer } = end;
  const { number, text, counters } = state.goal;
  state.idleSince = run.ports.now();
  if (state.goals.some(goal => goal.number === number)) return;
  endRunningTask(run, outcome);
  const rest = endFacts(state.goal, outcome);
  const ended = { number, text, ...without(end, 'failure'), turns: counters.turns, ...rest };
  state.goals = withGoal(state.goals, ended);
  run.journal('goal_ended', { number, outcome, cause, answer: preview(answer), ...rest });
}

/** Marks a task as failed if it was running when its goal ended. */
function endRunningTask(run: Run, reason: Outcome): void {
  const { state } = run;
  const { position } = state.cursor;
  for (const { id, status, rounds } of state.tasks) {
    if (status !== 'executing') continue;
    const end = { status: 'failed', reason } as const;
    run.changeTask(id, { ...end, rounds: id === taskOf(position) ? position.turns.round : rounds });
    run.journal('task_ended', { taskId: id, ...end });
  }
}

/** True if the run must end even if messages wait. A sub-agent has one goal: its unread messages go back to its caller. */
function isLast({ state }: Run, { outcome }: GoalEnd): boolean {
  return outcome === 'stopped' || outcome === 'failed' || isSubagent(state.settings);
}

/** True if the run's end, with its own write to the store, comes next. A message that arrives meanwhile begins another goal. */
function isAboutToEnd(run: Run, end: GoalEnd): boolean {
  const { settings, people } = run.state;
  if (!run.behaves(2)) return false;
  return isLast(run, end) || ((settings.keepOpenSeconds ?? 0) <= 0 && people.inbox.items.length === 0);
}

/** Begins the next follow-up, in order of arrival (S2). It is synchronous, as the last check before a run ends. */
export function goOn(run: Run, end: GoalEnd): boolean {
  const { state } = run;
  if (isLast(run, end) || state.people.stop) return false;
  for (const item of steersToFollowUps(state.people.inbox)) {
    const ahead = state.people.inbox.items.findIndex(({ id }) => id === item.id);
    run.journal('receipt', queuedReceipt(run.words, item, ahead));
  }
  const next = takeFollowUp(state.people.inbox);
  if (!next) return false;
  state.idleSince = null;
  if (run.pinned.roles[UNDERSTANDING]) {
    beginSteering(run, [next], null);
    return true;
  }
  beginNextGoal(run, next.text);
  receipts(run, [next], fill(run.words.receiptAsGoal, { number: state.goal.number }));
  return true;
}

/** Waits for a follow-up in a run that is kept open. Returns true if one arrived. */
export async function waitForFollowUp(run: Run, end: GoalEnd): Promise<boolean> {
  const { state } = run;
  const { keepOpenSeconds = 0 } = state.settings;
  if (isLast(run, end) || keepOpenSeconds <= 0 || state.idleSince === null) return false;
  const deadline = state.idleSince + keepOpenSeconds * 1_000;
  const { people } = state;
  const arrived = () => people.inbox.items.length > 0;
  const done = () => arrived() || people.finishing || people.stop !== null;
  await run.line.waitForPerson(done, deadline, 'the next goal, or the end');
  return arrived() && !people.stop;
}

/** Closes the run to messages. Senders of unread ones get receipts; an agent's caller gets the messages back. */
export function endRun(run: Run, { outcome, cause, answer }: Omit<GoalEnd, 'failure'>): InboxItem[] {
  const { state } = run;
  const isAgent = isSubagent(state.settings);
  const unread = [...(steeringAt(state.cursor)?.items ?? []), ...state.people.inbox.items];
  const why = isAgent ? run.words.receiptRunEndedCaller : run.words.receiptRunEnded;
  for (const item of unread) run.journal('receipt', droppedReceipt(item.id, why));
  state.people.inbox.items = [];
  state.people.gates = [];
  ended(run);
  state.end = { outcome, cause, answer };
  const rest = endFacts(state.goal, outcome);
  run.journal('run_ended', { outcome, cause, answer: preview(answer), ...rest });
  run.show();
  return isAgent ? unread : [];
}

/** Ends a cancelled run: closes its open calls, and answers with the results so far. */
export function endCancelled(run: Run): Omit<GoalEnd, 'failure'> & { unread: InboxItem[] } {
  const { goal, goals, pinned } = run.state;
  closeOpenCalls(run);
  closeBranches(run, 'executing', cancelled(run));
  // A run that is kept open may have answered already.
  const answered = goals.find(({ number }) => number === goal.number);
  const answer = answered?.answer ?? (pinned ? whatThereIs(run) : '');
  const end = withNotDone(run, { outcome: 'cancelled', cause: 'cancelled', answer } as const);
  endRunningTask(run, 'cancelled');
  return { ...end, unread: endRun(run, end) };
}
