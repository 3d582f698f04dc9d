/** The workflow `steersmanRun`: one durable session of the agent, from its first message to its end. */
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  patched,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import { isRecord, jsonBytes } from '../base/json/json.js';
import { boundedText, fitted } from '../base/text/fit.js';
import { preview } from '../base/text/preview.js';
import { wordsOf } from '../base/words/words.js';
import { resumedState } from '../conversation/handover.js';
import {
  callerFault,
  chainFault,
  type InitialMessages,
  NOTHING_GIVEN,
  readStart,
} from '../rules/agents/run-input.js';
import { totalsOf } from '../rules/agents/subagent.js';
import { behavesAs, type PinnedRun } from '../run/agents/run-config.js';
import { causeText, USUAL_CAUSES } from '../run/limits/cause.js';
import { type CallFailure, FAILURE } from '../run/limits/failure.js';
import type { GoalEnd } from '../run/state/goal.js';
import { newRunState, type RunState } from '../run/state/run-state.js';
import { lackAtEnd, UNKEPT } from '../run/state/stored-line.js';
import type { Feature } from './beside/feature.js';
import { adopted, seenOf, segmentBegins, settleFeatures } from './beside/moments.js';
import { modelFailed, refusalToBegin, runEnds } from './beside/tell.js';
import { beginRun, endCancelled, endRun, goOn, pursue, waitForFollowUp } from './goals.js';
import { registerHandlers } from './handlers.js';
import { answerFor, failedEnd } from './phases/conclude.js';
import { type TemporalPorts, temporalPorts } from './platform/temporal-ports.js';
import { LACKS_PATCH, type RunInput, type RunResult } from './run/definitions.js';
import { keepEnd } from './run/keep-session.js';
import type { Called } from './run/ports.js';
import { Run } from './run/run.js';
import { resultOf } from './run/views.js';

/** Limit of the memo: every listing of runs loads it. */
const MEMO_BYTES = 64_000;

/** Returns the workflow `steersmanRun` with the features that `src/compose.ts` passes. */
export function workflowOf(features: readonly Feature<Run>[]): (input: RunInput) => Promise<RunResult> {
  return input => runWith(features, input);
}

async function runWith(features: readonly Feature<Run>[], input: RunInput): Promise<RunResult> {
  const { state, given } = stateFor(input, features);
  const ports = temporalPorts(state.settings);
  const run = new Run(state, ports, features);
  registerHandlers(run);
  segmentBegins(run);
  try {
    const refused = state.pinned ? null : await begin(run, ports, given);
    return await session(run, refused);
  } catch (error) {
    if (isCancellation(error)) throw await finishCancelled(run);
    throw error;
  }
}

/** Pursues one goal after the other, until the last is answered and no message waits. */
async function session(run: Run, refused: GoalEnd | null): Promise<RunResult> {
  const { state, ports } = run;
  for (;;) {
    const end = refused ?? (await pursue(run));
    if (goOn(run, end) || (await waitForFollowUp(run, end))) continue;
    // Sending a message to the caller takes an await, in which another message may come up.
    for (let sending = ports.callerTold(); sending; sending = ports.callerTold()) await sending;
    await settleFeatures(run);
    // Check again: ending a goal cannot be cancelled, so a cancellation may have arrived meanwhile.
    ports.throwIfCancelled();
    // The last check of the inbox and `endRun` run without an await between, so a later message finds the run closed.
    if (goOn(run, end)) continue;
    const unread = endRun(run, end);
    const about = { id: workflowInfo().workflowId, now: ports.now(), seen: seenOf(run) };
    const result = resultOf(state, { ...end, unread, ...about });
    if (!isShown(run, end)) upsertMemo({ outcome: end.outcome, cause: end.cause });
    await close(run, end);
    const reported = { ...result, ...lackNoted(run) };
    if (end.outcome === 'failed') throw runFailure(end, reported);
    return reported;
  }
}

/**
 * True if lists can show outcome and cause without the memo. Temporal shows every run with a result as completed, so
 * the memo has the outcomes that no search attribute shows, and unusual causes.
 */
function isShown({ state }: Run, { outcome, cause }: GoalEnd): boolean {
  const isCompleted = outcome === 'completed';
  if (!behavesAs(state.pinned, 5)) return isCompleted;
  return USUAL_CAUSES[outcome] === cause && (isCompleted || state.shown.AgentOutcome === outcome);
}

/** Settles the features and stores the end. A cancellation that arrives now is too late to interrupt it. */
function close(run: Run, end: Pick<GoalEnd, 'outcome' | 'cause'>): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await runEnds(run, end);
    await keepEnd(run);
  });
}

/**
 * Notes in the memo what the store of sessions lacks at the end, so that workers add it later. They find the run by the patch's
 * name, which the SDK writes to the search attribute `TemporalChangeVersion`.
 */
function lackNoted({ state }: Run): Pick<RunResult, 'unkept'> {
  const unkept = lackAtEnd(state);
  if (unkept === null) return {};
  if (patched(LACKS_PATCH)) upsertMemo({ [UNKEPT]: unkept });
  return { unkept };
}

function stateFor(
  input: unknown,
  features: readonly Feature<Run>[],
): { state: RunState; given: InitialMessages } {
  const fault = chainFault(workflowInfo());
  if (fault !== null) throw refusal(fault);
  // Only continue-as-new may pass a state, written by the code of the previous segment. A client's start has no
  // previous segment, and `chainFault` refuses cron schedules and retry policies, which would create one.
  const isHandover = workflowInfo().continuedFromExecutionRunId !== undefined;
  if (isHandover && isRecord(input) && isRecord(input.resume))
    return {
      state: adopted(resumedState(input.resume as unknown as RunState), features),
      given: NOTHING_GIVEN,
    };
  const start = readStart(input);
  const called = start.ok && workflowInfo().parent === undefined ? callerFault(start.settings) : null;
  if (called !== null) throw refusal(called);
  if (start.ok) return { state: newRunState(start.goal, start.settings, Date.now()), given: start.given };
  throw refusal(start.errors.join(' '));
}

function refusal(why: string): ApplicationFailure {
  const message = boundedText(`The run cannot start: ${why}`);
  return ApplicationFailure.create({ type: FAILURE.run.badInput, message, nonRetryable: true });
}

/** Loads what the run pins, and appends the goal to the thread. Returns an end if the run cannot begin. */
async function begin(run: Run, ports: TemporalPorts, given: InitialMessages): Promise<GoalEnd | null> {
  const { state } = run;
  run.journal('run_started', { mode: state.settings.mode, goal: preview(state.goal.text) });
  // A stop that arrives with the start finds no call to interrupt.
  if (state.people.stop) return answerFor(run, 'stopped');
  const loaded = await ports.loadRun();
  ports.throwIfCancelled();
  // Only a stop can interrupt loading.
  if (!loaded.ok) return refusedStart(run, loaded.failure);
  // From here on, the end of the run calls its hooks and releases its place.
  const { listed, start, ...pinned } = loaded.value;
  state.pinned = pinned;
  if (listed) state.log.kept = listed;
  const earlier = await beginMessages(run, pinned, ports, given);
  ports.throwIfCancelled();
  // Without the earlier messages the run would answer another question.
  if (!earlier.ok) {
    // Do not store this run in a conversation that it could not read.
    const { keeps: _keeps, ...unkept } = pinned;
    state.pinned = unkept;
    return refusedStart(run, earlier.failure);
  }
  const refused = await refusalToBegin(run);
  ports.throwIfCancelled();
  if (refused) return refusedStart(run, refused);
  await beginRun(run, pinned, earlier.value);
  if (start) state.goal.start = start;
  return null;
}

/** Returns the messages to begin with: those of its conversation if it continues one, else those of its start. */
async function beginMessages(
  run: Run,
  pinned: PinnedRun,
  { openSession }: TemporalPorts,
  given: InitialMessages,
): Promise<Called<InitialMessages>> {
  const { session } = run.state.settings;
  if (pinned.continues !== true || session === undefined) return { ok: true, value: given };
  const opened = await openSession({
    session,
    tokens: earlierTokens(pinned),
    noAnswer: wordsOf({ pinned }).noAnswer,
    ...(pinned.context?.rollsBack && { rollsBack: true as const }),
  });
  return opened.ok ? { ok: true, value: { ...opened.value, leftOut: 0 } } : opened;
}

async function refusedStart(run: Run, failure: CallFailure): Promise<GoalEnd> {
  if (failure.kind === 'cancelled') return answerFor(run, 'stopped');
  await modelFailed(run, run.state.settings.role ?? '', failure);
  return failedEnd(failure, '');
}

/** Limits for earlier messages: a token count, and a share of the smallest context window. */
const EARLIER_TOKENS = 13_000;
const EARLIER_SHARE = 0.4;

function earlierTokens({ modelInfo }: PinnedRun): number {
  const smallest = Math.min(...Object.values(modelInfo).map(({ contextTokens }) => contextTokens));
  return Math.floor(Math.min(EARLIER_TOKENS, smallest * EARLIER_SHARE));
}

/** Returns the failure that the Web UI shows in red, with the partial answer in its details. */
function runFailure({ failure, cause }: GoalEnd, result: RunResult): ApplicationFailure {
  const type = failure?.type.startsWith('run.') ? failure.type : FAILURE.run.failed;
  const message = failure?.message || causeText(cause);
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [result] });
}

/** Closes what is open. A cancelled workflow has no result, so it goes to the memo and to the caller. */
async function finishCancelled(run: Run): Promise<CancelledFailure> {
  const { state } = run;
  const end = endCancelled(run);
  await close(run, end);
  const about = { id: workflowInfo().workflowId, now: run.ports.now(), seen: seenOf(run) };
  const result = resultOf(state, { ...end, ...about });
  const { steps, dropped } = result.trace;
  const trace = { ...result.trace, steps: [], dropped: dropped + steps.length };
  const small = jsonBytes(result) <= MEMO_BYTES ? result : fitted({ ...result, trace }, MEMO_BYTES);
  upsertMemo({ result: small, outcome: end.outcome, cause: end.cause });
  run.ports.tellCaller({ type: 'cancelled', rest: totalsOf(result) });
  for (let sending = run.ports.callerTold(); sending; sending = run.ports.callerTold()) await sending;
  lackNoted(run);
  return new CancelledFailure('the run was cancelled');
}
