/** The workflow `steersmanRun`: one session with the agents, durable from its first message. */
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
import { fitted, told } from '../base/text/fit.js';
import { preview } from '../base/text/preview.js';
import { wordsOf } from '../base/words/words.js';
import { resumedState } from '../conversation/handover.js';
import { callerFault, chainFault, type Given, NOTHING_GIVEN, readStart } from '../rules/agents/run-input.js';
import { restOf } from '../rules/agents/subagent.js';
import type { PinnedRun } from '../run/agents/run-config.js';
import { causeText } from '../run/limits/cause.js';
import { type CallFailure, FAILURE } from '../run/limits/failure.js';
import { lackAtEnd, UNKEPT } from '../run/state/kept.js';
import { newRunState, type RunState } from '../run/state/run-state.js';
import type { Feature } from './beside/feature.js';
import { adopted, comeToRest, partBegins, seenOf } from './beside/moments.js';
import { modelFailed, refusalToBegin, runEnds } from './beside/tell.js';
import { beginRun, endCancelled, endRun, goOn, keptOpen, pursue } from './goals.js';
import { registerHandlers } from './handlers.js';
import { answerFor, failedEnd, type GoalEnd } from './phases/conclude.js';
import { type TemporalPorts, temporalPorts } from './platform/temporal-ports.js';
import { LACKS_PATCH, type RunInput, type RunResult } from './run/definitions.js';
import { keepEnd } from './run/keep-session.js';
import type { Called } from './run/ports.js';
import { Run } from './run/run.js';
import { resultOf } from './run/views.js';

/** A memo is read with every list of runs. */
const MEMO_BYTES = 64_000;

/** The workflow `steersmanRun` with these features, which `src/compose.ts` names. */
export function workflowOf(features: readonly Feature<Run>[]): (input: RunInput) => Promise<RunResult> {
  return input => runWith(features, input);
}

async function runWith(features: readonly Feature<Run>[], input: RunInput): Promise<RunResult> {
  const { state, given } = stateFor(input, features);
  const ports = temporalPorts(state.settings);
  const run = new Run(state, ports, features);
  registerHandlers(run);
  partBegins(run);
  try {
    const refused = state.pinned ? null : await begin(run, ports, given);
    return await session(run, refused);
  } catch (error) {
    if (isCancellation(error)) throw await finishCancelled(run);
    throw error;
  }
}

/** One goal after the other, until the last is answered and nothing waits. */
async function session(run: Run, refused: GoalEnd | null): Promise<RunResult> {
  const { state, ports } = run;
  for (;;) {
    const end = refused ?? (await pursue(run));
    if (goOn(run, end) || (await keptOpen(run, end))) continue;
    // What comes meanwhile may be for the caller too.
    for (let told = ports.callerTold(); told; told = ports.callerTold()) await told;
    await comeToRest(run);
    // It may have come while the end was settled, which no cancellation interrupts.
    ports.throwIfCancelled();
    // The last look and the end are one block without an await: what arrives later finds the run closed.
    if (goOn(run, end)) continue;
    const unread = endRun(run, end);
    const about = { id: workflowInfo().workflowId, now: ports.now(), seen: seenOf(run) };
    const result = resultOf(state, { ...end, unread, ...about });
    // Temporal's own status is the same for all of these: a list tells them apart also without search attributes.
    if (end.outcome !== 'completed') upsertMemo({ outcome: end.outcome, cause: end.cause });
    await close(run, end);
    noteLack(run);
    if (end.outcome === 'failed') throw runFailure(end, result);
    return result;
  }
}

/** It has ended: whatever comes meanwhile is told so, and a cancellation too late. */
function close(run: Run, end: Pick<GoalEnd, 'outcome' | 'cause'>): Promise<void> {
  return CancellationScope.nonCancellable(async () => {
    await runEnds(run, end);
    await keepEnd(run);
  });
}

/**
 * Says what the store lacks at the end of the run, which workers give it later. They find the run by the name of the
 * patch, which the SDK writes to the search attribute `TemporalChangeVersion`.
 */
function noteLack({ state }: Run): void {
  const lack = lackAtEnd(state);
  if (lack !== null && patched(LACKS_PATCH)) upsertMemo({ [UNKEPT]: lack });
}

function stateFor(input: unknown, features: readonly Feature<Run>[]): { state: RunState; given: Given } {
  const fault = chainFault(workflowInfo());
  if (fault !== null) throw refusal(fault);
  // Only what continues a part may be a state, written by the code of that part: what a client starts has no part before
  // it, and cron schedules and retry policies, which would make one of it, are refused.
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
  const message = told(`The run can not start: ${why}`);
  return ApplicationFailure.create({ type: FAILURE.run.badInput, message, nonRetryable: true });
}

/** Loads what the run pins and says the goal. Returns an end where that is impossible. */
async function begin(run: Run, ports: TemporalPorts, given: Given): Promise<GoalEnd | null> {
  const { state } = run;
  run.journal('run_started', { mode: state.settings.mode, goal: preview(state.goal.text) });
  // A stop that comes with the start finds no call to interrupt.
  if (state.people.stop) return answerFor(run, 'stopped');
  const loaded = await ports.loadRun();
  ports.throwIfCancelled();
  // Nothing but a stop interrupts the loading.
  if (!loaded.ok) return refusedStart(run, loaded.failure);
  // From here on its hooks are called at its end, and its place is given back.
  state.pinned = loaded.value;
  const earlier = await saidEarlier(run, loaded.value, ports, given);
  ports.throwIfCancelled();
  // Without what was said before, it would answer something else.
  if (!earlier.ok) {
    // It is no part of the conversation that it could not read.
    const { keeps: _keeps, ...unkept } = loaded.value;
    state.pinned = unkept;
    return refusedStart(run, earlier.failure);
  }
  const refused = await refusalToBegin(run);
  ports.throwIfCancelled();
  if (refused) return refusedStart(run, refused);
  await beginRun(run, loaded.value, earlier.value);
  return null;
}

/** What the run begins with: what its conversation has, else what its start gave. */
async function saidEarlier(
  run: Run,
  pinned: PinnedRun,
  { openSession }: TemporalPorts,
  given: Given,
): Promise<Called<Given>> {
  const { session } = run.state.settings;
  if (pinned.continues !== true || session === undefined) return { ok: true, value: given };
  const opened = await openSession({
    session,
    tokens: earlierTokens(pinned),
    noAnswer: wordsOf({ pinned }).noAnswer,
  });
  return opened.ok ? { ok: true, value: { ...opened.value, leftOut: 0 } } : opened;
}

async function refusedStart(run: Run, failure: CallFailure): Promise<GoalEnd> {
  if (failure.kind === 'cancelled') return answerFor(run, 'stopped');
  await modelFailed(run, run.state.settings.role ?? '', failure);
  return failedEnd(failure, '');
}

/** Half of what is sent without a thought of its price, and of what the models take. */
const EARLIER_TOKENS = 13_000;
const EARLIER_SHARE = 0.4;

function earlierTokens({ modelInfo }: PinnedRun): number {
  const smallest = Math.min(...Object.values(modelInfo).map(({ contextTokens }) => contextTokens));
  return Math.floor(Math.min(EARLIER_TOKENS, smallest * EARLIER_SHARE));
}

/** Red in the Web UI, with the partial answer in its details. */
function runFailure({ failure, cause }: GoalEnd, result: RunResult): ApplicationFailure {
  const type = failure?.type.startsWith('run.') ? failure.type : FAILURE.run.failed;
  const message = failure?.message || causeText(cause);
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [result] });
}

/** Closes what is open, and leaves the result in the memo and with the caller: a cancelled workflow has none. */
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
  run.ports.tellCaller({ type: 'cancelled', rest: restOf(result) });
  for (let told = run.ports.callerTold(); told; told = run.ports.callerTold()) await told;
  noteLack(run);
  return new CancelledFailure('the run was cancelled');
}
